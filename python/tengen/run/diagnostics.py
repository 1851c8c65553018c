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
LONG = 40  # iterations after which the first games have nothing to teach any more
CANDIDATES = 10  # one of so many should be promoted


def _identical_games(config: RunConfig, newest: IterationReport) -> Finding | None:
    games = newest.self_play
    if games.games < ENOUGH_GAMES or games.different_games > 0.75:
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


def _one_side_wins(config: RunConfig, newest: IterationReport) -> Finding | None:
    games = newest.self_play
    share = max(games.first_player_score, 1.0 - games.first_player_score)
    if newest.iteration < SETTLING or games.games < ENOUGH_GAMES or share < 0.95:
        return None
    side = "first" if games.first_player_score > 0.5 else "second"
    return Finding(
        "one side wins every game",
        f"the {side} player scored {share:.0%}; the other one has given up and learns nothing",
        "raise self_play.random_start_share and self_play.random_start_plies, or begin anew with fairer options (komi)",
    )


def _collapsed_policy(config: RunConfig, newest: IterationReport) -> Finding | None:
    if newest.iteration < SETTLING or newest.self_play.prior_entropy > 0.02:
        return None
    return Finding(
        "policy collapsed",
        f"the network is certain of one move everywhere (entropy {newest.self_play.prior_entropy:.3f})",
        f"lower learner.learning_rate, or explore more: {_more_exploration(config)}",
    )


def _only_one_move(config: RunConfig, newest: IterationReport) -> Finding | None:
    games = newest.self_play
    if newest.iteration < SETTLING or games.target_entropy > 0.05 or games.prior_entropy <= 0.02:
        return None
    return Finding(
        "exploration too small",
        f"the search tries only one move nearly everywhere (entropy of its targets {games.target_entropy:.3f})",
        _more_exploration(config),
    )


def _more_exploration(config: RunConfig) -> str:
    if config.self_play.search_params.selection == "gumbel":
        return "raise self_play.search.gumbel_considered or gumbel_scale, or self_play.simulations"
    return "raise self_play.search.noise_fraction or c_puct, or self_play.simulations"


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


def _window_too_old(config: RunConfig, newest: IterationReport) -> Finding | None:
    oldest = newest.iteration - newest.window_age
    if newest.iteration < LONG or oldest > 0.1 * newest.iteration:
        return None
    return Finding(
        "window too old",
        f"at iteration {newest.iteration} the learner still sees games of iteration {oldest + 1}, whose network knew "
        "next to nothing",
        "lower replay.window_start or replay.window_share, or raise self_play.positions",
    )


# ---- Over several iterations


def _never_promoted(config: RunConfig, reports: Sequence[IterationReport]) -> Finding | None:
    newest = reports[-CANDIDATES:]
    if not config.arena.gating or len(newest) < CANDIDATES or any(report.promoted for report in newest):
        return None
    scores = [report.gate.score for report in newest if report.gate is not None]
    best = f"; the best of them scored {max(scores):.0%}" if scores else ""
    return Finding(
        "no candidate promoted",
        f"none of the last {CANDIDATES} candidates beat the champion{best}",
        "lower arena.threshold, play more arena.gating_games, or turn arena.gating off; if they score below half, "
        "lower learner.learning_rate",
    )


def _weaker_than_before(config: RunConfig, reports: Sequence[IterationReport]) -> Finding | None:
    ratings = [report.rating for report in reports if report.rating is not None]
    if not ratings or reports[-1].rating is None:
        return None
    best, newest = max(ratings, key=lambda rating: rating.elo), ratings[-1]
    if best.elo - best.error <= newest.elo + newest.error:
        return None
    return Finding(
        "weaker than before",
        f"Elo {newest.elo:.0f} +- {newest.error:.0f}, but {best.elo:.0f} +- {best.error:.0f} at {best.network}",
        "lower learner.learning_rate, raise replay.window_share or self_play.random_start_share,"
        " or turn on arena.gating",
    )


def _much_time_in_matches(config: RunConfig, reports: Sequence[IterationReport]) -> Finding | None:
    newest = reports[-1]
    spent = sum(part.seconds for report in reports for part in (report.rating, report.gate) if part is not None)
    if newest.iteration < SETTLING or spent <= 0.3 * newest.seconds:
        return None
    return Finding(
        "much time goes into matches",
        f"{spent / newest.seconds:.0%} of the run's time was spent on measuring and gating instead of learning",
        "raise arena.every, or lower arena.simulations, arena.games or arena.gating_games",
    )


_Rule = Callable[[RunConfig, IterationReport], Finding | None]

_RULES: tuple[_Rule, ...] = (_identical_games, _all_drawn, _one_side_wins, _value_no_better_than_mean)

# Of runs with a policy, a search and a window; other methods than AlphaZero's learn without one of them.
_RULES_OF_SEARCH: tuple[_Rule, ...] = (
    _collapsed_policy,
    _only_one_move,
    _little_exploration,
    _samples_reused_too_often,
    _window_too_old,
)

_RULES_OVER_TIME: tuple[Callable[[RunConfig, Sequence[IterationReport]], Finding | None], ...] = (
    _never_promoted,
    _weaker_than_before,
    _much_time_in_matches,
)


def _plays_by_search(config: RunConfig) -> bool:
    return config.network.kind != "ntuple" and config.method == "alphazero"


def find_problems(config: RunConfig, reports: Sequence[IterationReport]) -> tuple[Finding, ...]:
    """What the reports of a run say is wrong, as of the newest."""
    if not reports:
        return ()
    found = [
        *(rule(config, reports[-1]) for rule in _RULES),
        *(rule(config, reports[-1]) for rule in _RULES_OF_SEARCH if _plays_by_search(config)),
        *(rule(config, reports) for rule in _RULES_OVER_TIME),
    ]
    return tuple(finding for finding in found if finding is not None)
