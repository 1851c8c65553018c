"""AlphaGo (Silver et al. 2016) as stages of a run, one after the other in one folder:

imitation  a policy network learns to foretell the moves of recorded games
rollout    a linear policy over small patterns learns the same, far faster and less well; it is for play-outs
gradient   the policy is improved by REINFORCE against a pool of its older selves
value      a network of its own learns the result from one position of each of that policy's games

Then `alphago:RUN:400` searches with the first policy as prior and (1 - lambda) v + lambda z as the value of a leaf.

An iteration belongs to one stage, by the share of the run that is done. The records that the run began with become the
first games of its folder, so that it goes on without them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tengen._core import Game
from tengen.base.crew import Crew
from tengen.config import ConfigError, RunConfig
from tengen.learner import Learner
from tengen.learner.alphago import STAGES, AlphaGoLearner
from tengen.methods.alphazero import AlphaZero, Measured
from tengen.methods.people import PeoplesGames
from tengen.network.checkpoint import NetworkFile, save_network
from tengen.network.evaluator import NetworkEvaluator, make_evaluator
from tengen.network.rollout_file import save_rollout
from tengen.players import ROLLOUT_FILE, STAGES_FOLDER
from tengen.records import GameRecord, ShardEnd
from tengen.records.record import RecordBuilder
from tengen.records.shards import read_games
from tengen.replay import EVERYTHING, ReplayWindow
from tengen.report import (
    GateReport,
    ImitationReport,
    IterationReport,
    LearnerReport,
    Observer,
    SelfPlayReport,
)
from tengen.run.clock import Clock, Plan
from tengen.run.commits import Commit
from tengen.run.folder import RunFolder
from tengen.run.footprint import threads_of
from tengen.selfplay import SelfPlayResult
from tengen.selfplay.policies import PlayedGame, play_policies
from tengen.selfplay.without_search import certain_policy

__all__ = ["AlphaGo"]

_MATCH = 3  # after seed and iteration, for the chance of the match
LONGEST_OPENING = 0.7  # of the usual length of a game: how late the position that the value learns may be


class AlphaGo(AlphaZero):
    """The pipeline. What an iteration plays and learns depends on its stage."""

    learner: AlphaGoLearner  # type: ignore[assignment]

    plays_in_units = False

    def __init__(
        self, game: Game, run: RunFolder, learner: AlphaGoLearner, observer: Observer, crew: Crew | None = None
    ) -> None:
        super().__init__(game, run, learner, observer, crew)  # type: ignore[arg-type]
        self.people = PeoplesGames(game, self.config.imitation)
        # Read before anything is written, so that bad records leave no trace.
        self._given = self.people.read() if run.newest_commit() is None else ()
        self._positions = ReplayWindow(game, EVERYTHING)  # of the last stage, one a game

    @staticmethod
    def new_learner(  # type: ignore[override]
        game: Game, config: RunConfig, start: NetworkFile | None = None
    ) -> AlphaGoLearner:
        if start is not None:
            raise ConfigError("AlphaGo begins with records, not with a network; leave --from out.")
        if config.network.kind != "policy and value" or config.network.module or config.network.grow:
            raise ConfigError(
                "network: AlphaGo makes a policy and a value network of these sizes by itself; leave network.kind, "
                "network.module and network.grow as they are."
            )
        if config.arena.gating:
            raise ConfigError("arena.gating: the stages of AlphaGo have no champion to beat; leave it out.")
        return AlphaGoLearner(game, config)

    def resume(self, commit: Commit, games_end: ShardEnd) -> None:
        self.learner.load_state(self.run.learner_state(commit))
        self.iteration = commit.iteration
        values = self.learner.began[3] if len(self.learner.began) > 3 else math.inf
        for record in read_games(self.run.folder / "games", self.game, games_end):
            if record.iteration == 0:
                self.people.add(record)
            elif record.iteration >= values:
                self._positions.add(record)
        self._look_at_stage()
        self.champion = self._network()

    # ---- The stages, in the order of the loop

    def play(self, plan: Plan, clock: Clock) -> SelfPlayResult:
        """The games of an iteration: people's, none, against the pool, or to learn the value from."""
        self._enter(plan)
        began = clock.seconds()
        stage = self.learner.stage
        records: tuple[GameRecord, ...] = ()
        if stage == "imitation" and self.iteration == 0:
            records, self._given = self._given, ()
        elif stage == "gradient":
            records = self._play_pool()
        elif stage == "value":
            records = self._play_for_value()
        return SelfPlayResult(records, (), _self_play_report(records, max(1e-6, clock.seconds() - began)))

    def learn(self, plan: Plan, clock: Clock, positions: int) -> LearnerReport:
        """What the stage learns. The iteration counts from here on."""
        began = clock.seconds()
        rng = np.random.default_rng([self.config.seed, self.iteration])
        batch = self.config.learner.batch
        if self.learner.stage == "rollout":
            learned = self._learn_rollout(rng)
        else:
            learner: Learner = self.learner.policy
            steps = self.config.imitation.steps
            if self.learner.stage == "gradient":
                assert self.learner.gradient is not None
                learner, steps = self.learner.gradient, math.ceil(positions / batch)
            elif self.learner.stage == "value":
                samples = positions * self.config.learner.samples_per_position
                learner, steps = self.learner.value, math.ceil(samples / batch)
            learned = learner.learn(
                self.window,
                steps if self.window.positions else 0,
                rng,
                progress=(self._within(plan.progress[0]), self._within(plan.progress[1])),
                on_step=partial(self.observer.stage, "learning"),
                should_stop=lambda: clock.seconds() >= plan.learn_until,
            )
        self.iteration += 1
        if self.learner.stage == "gradient" and self._since_stage % self.config.alphago.pool_every == 0:
            self.learner.remember_self()
        return replace(learned, seconds=clock.seconds() - began)

    def promote(self, plan: Plan) -> GateReport | None:
        """Every network plays on. When the third stage is over, its policy meets that of the first."""
        self.champion = self._network()
        self._write_stage()
        is_first_of_value = self.learner.stage == "value" and self._since_stage == 1
        return self._match() if is_first_of_value and self.config.alphago.match_games else None

    def measure(self, clock: Clock, reports: Sequence[IterationReport]) -> Measured:
        """Moves of unseen games in the first two stages; matches, as in every run, when there is a value."""
        stage, started = self.learner.stage, time.perf_counter()
        if stage in {"imitation", "rollout"}:
            if stage == "imitation":
                found = self.people.foretold_by(self._evaluator(self.learner.policy_file()))
            else:
                found = self.people.foretold_by_rollout(self.learner.rollout)
            return Measured(imitation=ImitationReport(found, None, time.perf_counter() - started))
        return super().measure(clock, reports) if stage == "value" else Measured()

    # ---- What they are made of

    def _enter(self, plan: Plan) -> None:
        """Goes on to the next stage when its share of the run has come."""
        done = plan.progress[0] + 1e-9
        if not self.learner.began or (
            len(self.learner.began) < len(STAGES) and done >= self._ends()[len(self.learner.began) - 1]
        ):
            self.learner.begin_stage(self.iteration)
        self._look_at_stage()

    def _look_at_stage(self) -> None:
        """Where the games of the stage go, and its samples come from."""
        windows = {
            "imitation": self.people,
            "rollout": self.people,
            "gradient": ReplayWindow(self.game, EVERYTHING),  # of this iteration alone
            "value": self._positions,
        }
        self.window = windows[self.learner.stage]  # type: ignore[assignment]

    def _ends(self) -> tuple[float, ...]:
        alphago = self.config.alphago
        first = alphago.imitation_share
        second = first + alphago.rollout_share
        return first, second, second + alphago.gradient_share, 1.0

    def _within(self, progress: float) -> float:
        """The share of the stage that is done, of the share of the run."""
        number = STAGES.index(self.learner.stage)
        ends = (0.0, *self._ends())
        return min(1.0, max(0.0, (progress - ends[number]) / (ends[number + 1] - ends[number])))

    @property
    def _since_stage(self) -> int:
        """Iterations of this stage that are done."""
        return self.iteration - self.learner.began[-1]

    def _evaluator(self, network: NetworkFile) -> NetworkEvaluator:
        """For whole batches on all cores; int8 would need positions to calibrate on."""
        precision = "bf16" if self.config.self_play.precision == "int8" else self.config.self_play.precision
        on_cpu = self.learner.device == "cpu"
        return make_evaluator(
            network,
            backend="openvino" if on_cpu else "torch",
            precision=precision,
            threads=threads_of(self.config),
            device=self.learner.device,
        )

    def _play_pool(self) -> tuple[GameRecord, ...]:
        """The policy against one of its older selves for the whole batch, with each colour in half of the games."""
        rng = np.random.default_rng([self.config.seed, self.iteration, 4])
        current = self.learner.improved_file()
        older = self.learner.pool[int(rng.integers(len(self.learner.pool)))]
        games = self.config.alphago.gradient_games
        played = play_policies(
            self.game,
            [self._evaluator(current), self._evaluator(replace(current, weights=older))],
            [partial(_own_or_other, number % 2) for number in range(games)],
            seed=[self.config.seed, self.iteration],
            on_progress=partial(self.observer.stage, "self-play"),
        )
        baseline = _mean_results(played)
        return tuple(self._gradient_record(number, each, baseline, current) for number, each in enumerate(played))

    def _gradient_record(
        self, number: int, played: PlayedGame, baseline: Sequence[float], network: NetworkFile
    ) -> GameRecord:
        """Every move of the policy itself, with what its colour came to on average as the value."""
        record = RecordBuilder(network=network.digest, iteration=self.iteration, seed=number)
        for action, player, policy in zip(played.moves, played.players, played.policies, strict=True):
            if policy == 0:
                record.target(certain_policy(action, self.game.spec.num_actions), baseline[player], 0.0)
            record.play(action)
        return record.finish(played.outcome)

    def _play_for_value(self) -> tuple[GameRecord, ...]:
        """Imitation's policy up to a random ply, there a random move, the improved policy to the end.

        Of each game the position after the random move is recorded: positions of one game would be too much alike.
        """
        rng = np.random.default_rng([self.config.seed, self.iteration, 5])
        improved = self.learner.improved_file()
        length = max(2, round(self.people.mean_length * LONGEST_OPENING))  # policies imitate these
        turns = rng.integers(length, size=self.config.alphago.value_games).tolist()
        played = play_policies(
            self.game,
            [self._evaluator(self.learner.policy_file()), self._evaluator(improved)],
            [partial(_first_or_second, turn) for turn in turns],
            seed=[self.config.seed, self.iteration],
            on_progress=partial(self.observer.stage, "self-play"),
        )
        records = []
        for number, (turn, each) in enumerate(zip(turns, played, strict=True)):
            record = RecordBuilder(network=improved.digest, iteration=self.iteration, seed=number)
            for ply, action in enumerate(each.moves):
                if ply == turn + 1:
                    record.target(certain_policy(action, self.game.spec.num_actions), 0.0, 0.0)
                record.play(action)
            records.append(record.finish(each.outcome))
        return tuple(records)

    def _learn_rollout(self, rng: np.random.Generator) -> LearnerReport:
        alphago = self.config.alphago
        games = self.people.rollout_games(self.people.taught, rng)
        figures = self.learner.rollout.learn(**games, rate=alphago.rollout_rate, decay=alphago.rollout_decay)
        positions = max(1, figures.positions)
        return LearnerReport(
            steps=figures.positions,
            samples=figures.positions,
            seconds=0.0,
            sampling_seconds=0.0,
            policy_loss=figures.log_loss / positions,
            value_loss=0.0,
            reply_loss=0.0,
            ownership_loss=0.0,
            score_loss=0.0,
            value_loss_of_mean=0.0,
            learning_rate=alphago.rollout_rate,
            window=self.people.positions,
            gradient_norm=0.0,
        )

    def _write_stage(self) -> None:
        """The network of the stage alone, to be compared with those of the others."""
        folder = self.run.folder / STAGES_FOLDER
        folder.mkdir(exist_ok=True)
        stage = self.learner.stage
        about: dict[str, Any] = {"run": self.run.folder.resolve().name, "iteration": self.iteration}
        if stage == "rollout":
            weights, share = self.learner.rollout.weights(), self.config.alphago.share_players
            save_rollout(folder / ROLLOUT_FILE, self.game, weights, share_players=share)
            return
        files = {"imitation": self.learner.policy_file, "gradient": self.learner.improved_file}
        made = files[stage](**about) if stage in files else self.learner.value.network_file(**about)
        save_network(folder / f"{stage}.safetensors", made)

    def _match(self) -> GateReport:
        """The improved policy against imitation's, both drawing their moves."""
        games = self.config.alphago.match_games
        policies = [self._evaluator(self.learner.improved_file()), self._evaluator(self.learner.policy_file())]
        played = play_policies(
            self.game,
            policies,
            [partial(_own_or_other, number % 2) for number in range(games)],
            seed=[self.config.seed, self.iteration, _MATCH],
            on_progress=partial(self.observer.stage, "gradient against imitation"),
        )
        results = [each.outcome.value_for(number % 2) for number, each in enumerate(played) if each.outcome]
        score = float(np.mean([(1.0 + result) / 2.0 for result in results]))
        return GateReport(champion=self.learner.began[2], games=games, score=score, promoted=True, seconds=0.0)


def _own_or_other(own: int, ply: int, player: int) -> int | None:
    """The first policy plays the player `own`, the second the other."""
    return 0 if player == own else 1


def _first_or_second(turn: int, ply: int, player: int) -> int | None:
    """The first policy moves before the ply `turn`, the second after it."""
    return None if ply == turn else 0 if ply < turn else 1


def _mean_results(played: Iterable[PlayedGame]) -> list[float]:
    """What each colour of the first policy came to, on average."""
    results: list[list[float]] = [[], []]
    for number, each in enumerate(played):
        if each.outcome is not None:
            results[number % 2].append(each.outcome.value_for(number % 2))
    return [float(np.mean(each)) if each else 0.0 for each in results]


def _self_play_report(records: Sequence[GameRecord], seconds: float) -> SelfPlayReport:
    """An answer of the network counts as a simulation."""
    positions = sum(len(record.recorded) for record in records)
    plies = sum(len(record.moves) for record in records)
    results = np.array([record.outcome.value_for(0) for record in records if record.outcome is not None])
    return SelfPlayReport(
        games=len(records),
        positions=positions,
        simulations=plies,
        evaluations=plies,
        seconds=seconds,
        evaluator_seconds=seconds,
        threads=1,
        mean_length=plies / max(1, len(records)),
        first_player_score=float(np.mean((results + 1.0) / 2.0)) if len(results) else 0.5,
        draws=float(np.mean(results == 0.0)) if len(results) else 0.0,
        different_games=len({record.moves.tobytes() for record in records}) / max(1, len(records)),
        target_entropy=0.0,
        prior_entropy=0.0,
        surprise=0.0,
    )
