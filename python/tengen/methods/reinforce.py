"""REINFORCE as a method: moves of won games become more probable, those of lost games less (Williams 1992).

The network plays its policy as it is, against itself and against older networks of the run, so that it does not forget
how to beat what it no longer plays. Only the games of the iteration teach, and of them only the moves of the newest
network: the gradient holds for the policy that played. The loss, with its baseline, is in learner/policy_gradient.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from tengen._core import Game
from tengen.config import RunConfig
from tengen.learner import Learner
from tengen.learner.policy_gradient import PolicyGradientLearner
from tengen.methods.alphazero import discount
from tengen.methods.without_search import WithoutSearch
from tengen.network.checkpoint import NetworkFile, numbered_networks
from tengen.network.evaluator import NetworkEvaluator
from tengen.replay import EVERYTHING, ReplayWindow
from tengen.report import LearnerReport
from tengen.run.clock import Clock, Plan
from tengen.run.folder import KEPT_NETWORKS
from tengen.selfplay import SelfPlayResult

__all__ = ["Reinforce"]


class Reinforce(WithoutSearch):
    """Self-play that draws its moves from the policy, and the learner of its gradient."""

    _played: SelfPlayResult | None = None  # by the last play()
    _older_evaluators: dict[int, NetworkEvaluator] | None = None  # by iteration

    @staticmethod
    def new_learner(game: Game, config: RunConfig, start: NetworkFile | None = None) -> Learner:
        return PolicyGradientLearner(
            game,
            config.network,
            config.learner,
            seed=config.seed,
            discount=discount(config),
            start=start,
            entropy_weight=config.reinforce.entropy_weight,
        )

    def play(self, plan: Plan, clock: Clock) -> SelfPlayResult:
        self._played = super().play(plan, clock)
        return self._played

    def learn(self, plan: Plan, clock: Clock, positions: int) -> LearnerReport:
        """From the games of this iteration and no others."""
        assert self._played is not None
        kept, self.window = self.window, ReplayWindow(self.game, EVERYTHING)
        for record in self._played.records:
            self.window.add(record)
        try:
            return super().learn(plan, clock, positions)
        finally:
            self.window = kept

    @property
    def _older_share(self) -> float:
        return self.config.reinforce.older_share

    def _older(self) -> Sequence[NetworkEvaluator]:
        """Of the networks that a run keeps for good. They are the same whenever it was stopped."""
        known = self._older_evaluators or {}
        kept = [number for number in numbered_networks(self.run.folder / "networks") if number % KEPT_NETWORKS == 0]
        numbers = sorted(number for number in kept if 0 < number < self.iteration)[
            -self.config.reinforce.older_selves :
        ]
        found = self.run.readable_networks(number for number in numbers if number not in known)
        made = known | {number: self._evaluators(network)[0] for number, network in found.items()}
        self._older_evaluators = {number: made[number] for number in numbers if number in made}
        return list(self._older_evaluators.values())
