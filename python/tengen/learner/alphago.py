"""What learns in a run of AlphaGo (2016): a policy, a rollout policy, the policy improved by its gradient, and a value.

Each is a learner of its own; this holds them together, so that a run commits and resumes them as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from tengen._core import Game, RolloutLearner
from tengen.config import ConfigError, LearnerConfig, RunConfig
from tengen.learner.learner import Learner
from tengen.learner.policy_gradient import PolicyGradientLearner
from tengen.network.architecture import side_by_side
from tengen.network.checkpoint import NetworkFile

__all__ = ["STAGES", "AlphaGoLearner"]

STAGES = ("imitation", "rollout", "gradient", "value")

Weights = dict[str, NDArray[np.float32]]


class AlphaGoLearner:
    """The four learners, the pool of older selves, and in which iteration each stage has begun."""

    def __init__(self, game: Game, config: RunConfig) -> None:
        self._game = game
        self._config = config
        alone = {"reply_head": False, "ownership_head": False, "score_head": False, "grow": ()}
        policy = config.network.model_copy(update={**alone, "kind": "policy"})
        value = config.network.model_copy(update={**alone, "kind": "value"})
        result_only = {"search_value_share": 0.0}
        self.policy = Learner(game, policy, config.learner, seed=config.seed, discount=1.0)
        self.value = Learner(game, value, self._settings(result_only), seed=config.seed + 1, discount=1.0)
        self.rollout = RolloutLearner(game, config.alphago.share_players)
        self.gradient: PolicyGradientLearner | None = None
        self.pool: list[Weights] = []  # older selves of the third stage, oldest first
        self.began: list[int] = []  # iterations done when each stage began, in the order of STAGES
        self.device = self.policy.device

    @property
    def num_parameters(self) -> int:
        """Of the largest that are in memory at once."""
        return 2 * self.policy.num_parameters + self.value.num_parameters

    @property
    def stage(self) -> str:
        """That the run is in, or comes to first."""
        return STAGES[max(0, len(self.began) - 1)]

    def begin_stage(self, iteration: int) -> None:
        """Goes on to the next stage."""
        self.began.append(iteration)
        if self.stage == "gradient":
            self.gradient = self._new_gradient()
            self.pool = [dict(self.policy_file().weights)]

    def share_with(self, partners: object) -> None:
        raise ConfigError("learner.partners: the networks of AlphaGo learn in one process; leave them out.")

    def remember_self(self) -> None:
        """Adds the improved policy to the pool; the oldest but the first makes room for it."""
        self.pool.append(dict(self.improved_file().weights))
        if len(self.pool) > self._config.alphago.pool:
            del self.pool[1 if len(self.pool) > 2 else 0]

    def policy_file(self) -> NetworkFile:
        """Of imitation."""
        return self.policy.network_file()

    def improved_file(self) -> NetworkFile:
        """After the policy gradient; that of imitation before."""
        return (self.gradient or self.policy).network_file()

    def network_file(self, *, iteration: int = 0, **made_by: str) -> NetworkFile:
        """What plays: policy and value side by side. The prior is that of imitation, but while it is being improved."""
        policy = self.improved_file() if self.stage == "gradient" else self.policy_file()
        value = self.value.network_file()
        weights = {f"policy_net.{name}": weight for name, weight in policy.weights.items()}
        weights |= {f"value_net.{name}": weight for name, weight in value.weights.items()}
        architecture = side_by_side(policy_net=policy.architecture, value_net=value.architecture)
        return NetworkFile.of(self._game, architecture, weights, made_by, iteration=iteration)

    def state(self) -> Weights:
        """Everything needed to go on."""
        state = {"began": np.array(self.began, np.float32)}
        for name, learner in self._learners():
            state |= {f"{name}.{key}": value for key, value in learner.state().items()}
        state |= {"rollout.weights": self.rollout.weights(), "rollout.sums": self.rollout.sums()}
        for number, older in enumerate(self.pool):
            state |= {f"pool.{number}.{name}": weight for name, weight in older.items()}
        return state

    def load_state(self, state: Weights) -> None:
        self.began = [int(iteration) for iteration in np.atleast_1d(state["began"])]
        if any(name.startswith("gradient.") for name in state):
            self.gradient = self._new_gradient()
        for name, learner in self._learners():
            learner.load_state(_part(state, f"{name}."))
        self.rollout.load(state["rollout.weights"], state["rollout.sums"])
        pool = _part(state, "pool.")
        count = len({name.partition(".")[0] for name in pool})
        self.pool = [_part(pool, f"{number}.") for number in range(count)]

    def _learners(self) -> Iterator[tuple[str, Learner]]:
        yield "policy", self.policy
        yield "value", self.value
        if self.gradient is not None:
            yield "gradient", self.gradient

    def _new_gradient(self) -> PolicyGradientLearner:
        """Begins as the policy of imitation, with an optimizer of its own."""
        alphago, learner = self._config.alphago, self._config.learner
        rate = learner.learning_rate * alphago.gradient_rate
        return PolicyGradientLearner(
            self._game,
            self._config.network,
            self._settings({"learning_rate": rate, "average_decay": 0.0}),
            seed=self._config.seed + 2,
            discount=1.0,
            start=self.policy_file(),
            entropy_weight=alphago.entropy_weight,
        )

    def _settings(self, changes: Mapping[str, object]) -> LearnerConfig:
        return self._config.learner.model_copy(update=dict(changes))


def _part(state: Mapping[str, NDArray[np.float32]], prefix: str) -> Weights:
    return {name.removeprefix(prefix): value for name, value in state.items() if name.startswith(prefix)}
