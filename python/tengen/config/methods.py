"""What each method has of its own: tables by temporal differences, DQN, REINFORCE, imitation, AlphaGo."""

from __future__ import annotations

from pydantic import Field, model_validator

from tengen.config.stage import Stage, setting


class TablesConfig(Stage):
    """Tables of an n-tuple network (network.kind = "ntuple"), and how they learn by temporal differences."""

    tuples: int = setting(24, "tuples of cells, chosen by random walks on the board", unit="tuples", ge=1, le=1024)
    tuple_cells: int = setting(
        0, "cells of a tuple; 0: as many as keep its table within 65,536 entries", unit="cells", ge=0, le=40
    )
    stages: int = setting(1, "tables apart for positions with few and with many pieces", unit="stages", ge=1, le=64)
    share_players: bool = setting(
        False, "whether both players use the same tables, with the colours swapped; right where the rules are the same"
    )
    mark_targets: bool = setting(
        False, "whether an empty cell that the player can move to is told apart from the other empty ones"
    )
    prior_temperature: float = setting(0.4, "the priors are softmax(value after the move / temperature)", gt=0)
    games: int = setting(5_000, "games an iteration; a run of minutes plays what fits", unit="games", ge=1)
    learning_rate: float = setting(1.0, "share of its error that a new position corrects", gt=0)
    final_rate: float = setting(0.1, "the rate at the end, as a share of learning_rate", unit="share", gt=0, le=1)
    coherence: bool = setting(
        True, "whether each weight has a step size of its own (temporal coherence, Beal and Smith 1999)"
    )
    return_share: float = setting(
        0.7, "lambda of TD(lambda): 0 learns from the next position, 1 from the result", unit="share", ge=0, le=1
    )
    random_moves: float = setting(0.1, "share of random moves (epsilon), from which nothing is learned", ge=0, le=1)
    teach_share: float = setting(
        0.0, "share of a run of layers in which tables play the games that it learns from; 0: never", ge=0, lt=1
    )
    teach_games: int = setting(
        250_000, "games by which these tables learn at first; a run of minutes plays what fits", unit="games", ge=1
    )
    teach_simulations: int = setting(128, "simulations per position that they play", unit="simulations", ge=1)


class DqnConfig(Stage):
    """Deep Q-learning (method = "dqn")."""

    epsilon: float = setting(0.5, "share of random moves in self-play at first", unit="share", ge=0, le=1)
    final_epsilon: float = setting(0.05, "share of random moves from half of the run on", unit="share", ge=0, le=1)

    def epsilon_at(self, progress: float) -> float:
        """Falls evenly until half of the run is done."""
        fallen = min(1.0, 2.0 * progress)
        return self.epsilon + (self.final_epsilon - self.epsilon) * fallen


class ReinforceConfig(Stage):
    """REINFORCE with a baseline (method = "reinforce")."""

    entropy_weight: float = setting(0.02, "weight of the policy's entropy, which keeps it trying other moves", ge=0)
    older_share: float = setting(
        0.5, "share of the games against older networks of the run, as there are any", unit="share", ge=0, le=1
    )
    older_selves: int = setting(4, "older networks that are met, the newest that the run has kept", ge=1, le=64)


class ImitationConfig(Stage):
    """Learning from games that exist (method = "imitation"): which games, how they are split, and when it is enough."""

    records: str = Field("", description="folder of the records, as `tengen records import` writes it, or of a run")
    validation_share: float = setting(
        0.05, "share of the games that tell which network is the best", unit="share", gt=0, le=0.5
    )
    test_share: float = setting(
        0.1, "share of the games that only the last network is measured on", unit="share", gt=0, le=0.5
    )
    steps: int = setting(1000, "steps an iteration; a run of minutes takes what fits", unit="steps", ge=1)
    positions: int = setting(
        8192, "positions of the validation games that are looked at after an iteration", unit="positions", ge=1
    )
    patience: int = setting(
        8, "iterations without a better network before the run ends; 0: never", unit="iterations", ge=0
    )


class AlphaGoConfig(Stage):
    """The four stages of AlphaGo (method = "alphago"): imitation, rollout policy, policy gradient, value.

    Records, steps and test games of the first are those of `imitation`.
    """

    imitation_share: float = setting(0.4, "share of the iterations for imitation", unit="share", gt=0, lt=1)
    rollout_share: float = setting(0.05, "share of the iterations for the rollout policy", unit="share", gt=0, lt=1)
    gradient_share: float = setting(0.3, "share of the iterations for the policy gradient", unit="share", gt=0, lt=1)
    share_players: bool = setting(
        False, "whether both players have one rollout policy; right where the rules are the same for both"
    )
    rollout_rate: float = setting(0.1, "step size of the rollout policy (AdaGrad)", gt=0)
    rollout_decay: float = setting(1e-4, "how fast weights of the rollout policy that nothing confirms fall to 0", ge=0)
    gradient_games: int = setting(
        128, "games against the pool in an iteration of the policy gradient (AlphaGo: 128)", unit="games", ge=2
    )
    gradient_rate: float = setting(0.1, "the rate of the policy gradient, as a share of learner.learning_rate", gt=0)
    entropy_weight: float = setting(0.0, "weight of the policy's entropy in the policy gradient (AlphaGo: 0)", ge=0)
    pool: int = setting(10, "older selves that the policy plays against, imitation's among them", ge=1, le=64)
    pool_every: int = setting(5, "iterations of the policy gradient between two older selves", unit="iterations", ge=1)
    match_games: int = setting(
        100,
        "games of the improved policy against imitation's when the third stage is over; 0: none",
        unit="games",
        ge=0,
    )
    value_games: int = setting(
        512, "games in an iteration of the value, of each of which one position is learned", unit="games", ge=1
    )

    @model_validator(mode="after")
    def _leaves_time_for_the_value(self) -> AlphaGoConfig:
        if self.imitation_share + self.rollout_share + self.gradient_share >= 1.0:
            raise ValueError("imitation_share, rollout_share and gradient_share together must be below 1")
        return self
