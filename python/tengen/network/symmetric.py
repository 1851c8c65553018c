"""A network that is asked about a position in all symmetries of its game, and answers with the mean.

A network is not quite of one opinion about a position and its mirror image; the mean of both is better than either. It
costs an evaluation for each symmetry.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tengen._core import Game
from tengen.network.evaluator import Evaluation, NetworkEvaluator, Planes

__all__ = ["SymmetricEvaluator"]


class SymmetricEvaluator:
    """Logits and chances averaged over the symmetries; what the network thinks of ownership is left as it is.

    It is for as many threads at a time as the network's evaluator is; a clone has a clone of that.
    """

    def __init__(self, evaluator: NetworkEvaluator, game: Game) -> None:
        self.network = evaluator.network
        self.description = f"{evaluator.description}; the mean of {len(game.symmetries)} symmetric positions"
        self._evaluator = evaluator
        self._game = game
        spec = game.spec
        cells = np.arange(spec.height * spec.width, dtype=np.float32).reshape(1, spec.height, spec.width)
        actions = np.arange(spec.num_actions, dtype=np.float32)
        self._cells = [symmetry.planes(cells).ravel().astype(np.int64) for symmetry in game.symmetries]
        self._actions = [np.argsort(symmetry.policy(actions)) for symmetry in game.symmetries]  # the way back

    def __call__(self, planes: Planes, /) -> Evaluation:
        batch, channels, height, width = planes.shape
        flat = planes.reshape(batch, channels, height * width)
        turned = np.concatenate([flat[:, :, cells] for cells in self._cells])  # [S * B, C, H * W]
        answer = self._evaluator(turned.reshape(-1, channels, height, width))
        logits = answer.logits.reshape(len(self._actions), batch, -1)
        back = [turned_logits[:, actions] for turned_logits, actions in zip(logits, self._actions, strict=True)]
        return Evaluation(np.mean(back, axis=0), answer.values.reshape(len(self._actions), batch, -1).mean(axis=0))

    def ownership(self, planes: Planes, /) -> Planes | None:
        return self._evaluator.ownership(planes)

    def score(self, planes: Planes, /) -> NDArray[np.float32] | None:
        return self._evaluator.score(planes)

    def clone(self) -> SymmetricEvaluator:
        return SymmetricEvaluator(self._evaluator.clone(), self._game)
