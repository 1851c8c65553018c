"""What a search found, in the words of the protocol."""

from __future__ import annotations

from tengen.engine import MoveAnalysis
from tengen.games.notation import line_notations
from tengen.interfaces.web.boards import action_word, drawn_line, outcome_word, position_of, state_word
from tengen.interfaces.web.searches import Finding
from tengen.interfaces.web.shapes import AnalysisWord, MoveWord, Position, PriorWord

__all__ = ["analysis_word"]

DRAWN_MOVES, DRAWN_PLIES = 8, 8  # lines that the page draws, and how much of them


def analysis_word(finding: Finding, asked: Position) -> AnalysisWord:
    """The whole of it. Where no network has an opinion, the chances are those that the search found."""
    analysis, sight = finding.analysis, finding.sight
    state = analysis.state
    win, draw, loss = (1.0 + analysis.value) / 2.0, 0.0, (1.0 - analysis.value) / 2.0
    if state.outcome is not None and state.outcome.is_draw:
        win, draw, loss = 0.0, 1.0, 0.0
    elif sight is not None and finding.model.evaluator is not None:
        win, draw, loss = sight.win, sight.draw, sight.loss
    return AnalysisWord(
        state=state_word(state, position_of(state, asked)),
        model=finding.model.name,
        simulations=analysis.simulations,
        seconds=analysis.seconds,
        win=win,
        draw=draw,
        loss=loss,
        value=analysis.value,
        moves=[_move(finding, move, rank) for rank, move in enumerate(analysis.moves)],
        policy=[PriorWord(action=action, prior=prior) for action, prior in (sight.priors if sight else {}).items()],
        ownership=finding.ownership,
        lead=finding.lead,
        proven=outcome_word(state.game, analysis.proven),
        final=finding.final,
    )


def _move(finding: Finding, move: MoveAnalysis, rank: int) -> MoveWord:
    state = finding.analysis.state
    action = action_word(state, move.action)
    return MoveWord(
        **action.model_dump(),
        visits=move.visits,
        value=move.value,
        win_rate=move.win_rate,
        prior=move.prior,
        line=line_notations(state, move.line),
        drawn=drawn_line(state, move.line[:DRAWN_PLIES]) if rank < DRAWN_MOVES else [],
    )
