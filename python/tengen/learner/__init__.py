"""Learning: `learner.py` takes the steps, `loss.py` says what is wrong, `optimizers.py` how the weights change."""

import importlib.util

from tengen._core import TengenError

if importlib.util.find_spec("torch") is None:
    raise TengenError("Learning needs torch: pip install 'tengen[train]'.")

from tengen.learner.learner import Learner, TrainingDivergedError, learning_rate_at

__all__ = ["Learner", "TrainingDivergedError", "learning_rate_at"]
