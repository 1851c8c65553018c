"""What methods without a search in self-play share: rounds of whole games, and measuring the network by itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np

from tengen.methods.alphazero import AlphaZero
from tengen.network.checkpoint import NetworkFile
from tengen.network.evaluator import NetworkEvaluator
from tengen.players import NetworkPlayer, Player
from tengen.records import GameRecord
from tengen.report import AccuracyReport, SelfPlayReport
from tengen.run.clock import Clock, Plan
from tengen.selfplay import SelfPlayResult
from tengen.selfplay.without_search import ChooseMove, RoundOfGames, drawn_move, play_round
from tengen.strength.accuracy import ScoredPositions
from tengen.strength.ratings import network_name

__all__ = ["WithoutSearch"]


class WithoutSearch(AlphaZero):
    """Games of the network as it is. No game is in flight between two iterations."""

    plays_in_units = False

    def play(self, plan: Plan, clock: Clock) -> SelfPlayResult:
        """Rounds of games until there are as many positions as an iteration has."""
        began = clock.seconds()
        [evaluator, *_] = self._evaluators(self.champion)
        choose, older, older_share = self._rule(plan), self._older(), self._older_share
        at_once = plan.play.games_per_unit * plan.play.units
        rounds: list[RoundOfGames] = []
        done = games = 0
        for first in count(0, at_once):
            if done >= plan.play.positions or (first and clock.seconds() >= plan.play_until):
                break
            played = play_round(
                self.game,
                evaluator,
                choose,
                plan.play,
                numbers=range(first, first + at_once),
                seed=self.config.seed,
                iteration=self.iteration,
                network=self.champion.digest,
                older=older,
                older_share=older_share,
            )
            rounds.append(played)
            done += played.positions
            games += at_once
            self.observer.stage("self-play", min(done, plan.play.positions), plan.play.positions)
        records = tuple(record for played in rounds for record in played.records)
        return SelfPlayResult(records, (), _report(rounds, records, clock.seconds() - began))

    def _rule(self, plan: Plan) -> ChooseMove:
        """How a move is made of the network's answer in this iteration: it is drawn from the policy."""
        return drawn_move

    def _older(self) -> Sequence[NetworkEvaluator]:
        """Older networks that are met in self-play."""
        return ()

    @property
    def _older_share(self) -> float:
        return 0.0

    def _players(self, network: NetworkFile, simulations: int) -> list[Player]:  # type: ignore[override]
        """Measured as it has learned: by itself."""
        return [NetworkPlayer(network_name(network.iteration), each) for each in self._evaluators(network)]

    def _compared(self, positions: ScoredPositions, simulations: int) -> AccuracyReport:
        return super()._compared(positions, 0)


def _report(rounds: Sequence[RoundOfGames], records: Sequence[GameRecord], seconds: float) -> SelfPlayReport:
    """An answer of the network counts as a simulation."""
    positions = sum(played.positions for played in rounds)
    results = np.array([record.outcome.value_for(0) for record in records if record.outcome is not None])
    entropy = sum(played.entropy for played in rounds) / max(1, positions)
    return SelfPlayReport(
        games=len(records),
        positions=positions,
        simulations=positions,
        evaluations=sum(played.evaluations for played in rounds),
        seconds=seconds,
        evaluator_seconds=seconds,
        threads=1,
        mean_length=float(np.mean([len(record.moves) for record in records])),
        first_player_score=float(np.mean((results + 1.0) / 2.0)),
        draws=float(np.mean(results == 0.0)),
        different_games=len({record.moves.tobytes() for record in records}) / len(records),
        target_entropy=0.0,
        prior_entropy=entropy,
        surprise=0.0,
    )
