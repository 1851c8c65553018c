"""Learning: `learner.py` takes the steps, `loss.py` says what is wrong, `optimizers.py` how the weights change."""

from tengen.learner.learner import Learner, TrainingDivergedError, learning_rate_at

__all__ = ["Learner", "TrainingDivergedError", "learning_rate_at"]
