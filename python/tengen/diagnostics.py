"""Why a run does not learn: findings from its own figures, each with a cause and a remedy in words.

Every rule reads the newest iterations and says nothing when there is nothing to say. The thresholds are ours, set where
healthy Connect Four and tic-tac-toe runs stay clear of them.
"""

from collections.abc import Callable, Sequence

from tengen.config import RunConfig
from tengen.report import Finding, IterationReport

__all__ = ["find_problems"]

ENOUGH_GAMES = 30  # fewer say little about how games end
SETTLING = 5  # iterations before the network can be expected to know anything


def _identical_games(config: RunConfig, newest: IterationReport) -> Finding | None:
    games = newest.self_play
    if games.games < ENOUGH_GAMES or games.different_games > 0.5:
        return None
    return Finding(
        "identical games",
        f"only {games.different_games:.0%} of the {games.games} games differ from all others",
        "raise self_play.random_start_share or self_play.temperature_plies",
    )


def _all_drawn(config: RunConfig, newest: IterationReport) -> Finding | None:
    games = newest.self_play
    if games.games < ENOUGH_GAMES or games.draws < 0.95:
        return None
    return Finding(
        "all games drawn",
        f"{games.draws:.0%} of the games were drawn, so results teach the value head nothing",
        "raise self_play.random_start_plies, so that games start from uneven positions",
    )


def _collapsed_policy(config: RunConfig, newest: IterationReport) -> Finding | None:
    if newest.iteration < SETTLING or newest.self_play.prior_entropy > 0.02:
        return None
    return Finding(
        "policy collapsed",
        f"the network is certain of one move everywhere (entropy {newest.self_play.prior_entropy:.3f})",
        "lower learner.learning_rate, or explore more (self_play.search.noise_fraction or gumbel_scale)",
    )


def _little_exploration(config: RunConfig, newest: IterationReport) -> Finding | None:
    if newest.iteration < SETTLING or newest.self_play.surprise > 1e-3:
        return None
    return Finding(
        "search adds nothing",
        "the search agrees with the network everywhere, so there is nothing to learn",
        "raise self_play.simulations, or explore more at the root",
    )


def _value_no_better_than_mean(config: RunConfig, newest: IterationReport) -> Finding | None:
    learner = newest.learner
    if newest.iteration < SETTLING or learner.value_loss < 0.98 * learner.value_loss_of_mean:
        return None
    return Finding(
        "value head knows no more than the average",
        f"its loss is {learner.value_loss:.3f}; guessing the average result has {learner.value_loss_of_mean:.3f}",
        "wait a few iterations; then raise learner.value_weight or lower learner.learning_rate",
    )


def _samples_reused_too_often(config: RunConfig, newest: IterationReport) -> Finding | None:
    uses = newest.learner.samples / max(1, newest.self_play.positions)
    if uses <= 8.0 or newest.iteration < SETTLING:
        return None
    return Finding(
        "samples reused too often",
        f"the learner took {uses:.1f} samples for every new position",
        "lower learner.samples_per_position (2 to 4 is usual)",
    )


_RULES: tuple[Callable[[RunConfig, IterationReport], Finding | None], ...] = (
    _identical_games,
    _all_drawn,
    _collapsed_policy,
    _little_exploration,
    _value_no_better_than_mean,
    _samples_reused_too_often,
)


def find_problems(config: RunConfig, reports: Sequence[IterationReport]) -> tuple[Finding, ...]:
    """What the newest iterations say is wrong."""
    if not reports:
        return ()
    found = [finding for rule in _RULES if (finding := rule(config, reports[-1])) is not None]
    if config.arena.gating and len(reports) >= 10 and not any(report.promoted for report in reports[-10:]):
        found.append(
            Finding(
                "no candidate promoted",
                "none of the last 10 candidates beat the champion",
                "lower arena.threshold, play more arena.games, or turn arena.gating off",
            )
        )
    return tuple(found)
