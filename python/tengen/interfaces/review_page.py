"""A reviewed game as one HTML file that needs no network and no program: its curve, its mistakes, all of its moves."""

from __future__ import annotations

from html import escape

from tengen import GameSpec
from tengen.interfaces.chart import Line, lines
from tengen.interfaces.report_page import whole_page
from tengen.strength.review import Review, ReviewedMove

__all__ = ["build_review_page"]

MOST_BOARDS = 6  # the worst mistakes, drawn
CELL = 20  # of a board, in its own units


def build_review_page(review: Review, title: str, about: str) -> str:
    """The page as text. `title` says whose game it is, `about` what looked at it."""
    summaries = "".join(f"<li>{escape(review.summary(player))}</li>" for player in (0, 1))
    mistakes = review.mistakes()
    body = [
        f"<header><h1>{escape(title)}</h1><p>{escape(about)}</p></header>",
        f'<section class="card wide"><h2>In short</h2><ul>{summaries}</ul></section>',
        f'<figure class="card"><h2>Win rate</h2><figcaption>of {_name(review, 0)}, after each move; dots are mistakes'
        f"</figcaption>{_curve(review)}</figure>",
    ]
    if mistakes:
        boards = "".join(map(_mistake, mistakes[:MOST_BOARDS]))
        body.append(f'<section class="charts">{boards}</section>')
    body.append(f'<section class="card wide"><h2>All moves</h2><div class="scroll">{_table(review)}</div></section>')
    return whole_page(title, body, STYLE)


def _curve(review: Review) -> str:
    rates = list(enumerate(review.win_rates))
    wrong = [
        Line(
            f"mistakes of {_name(review, player)}",
            [(move.number, review.win_rates[move.number]) for move in review.mistakes(player)[::-1]],
            colour,
            dots=True,
        )
        for player, colour in ((0, 2), (1, 5))
    ]
    even = Line("even", [(0, 0.5), (len(rates) - 1, 0.5)], 7, dashed=True)
    curves = [even, Line("win rate", rates, 1), *wrong]
    return lines(curves, label=lambda y: f"{y:.0%}", spanning=(0.0, 1.0), x_name="move")


def _mistake(move: ReviewedMove) -> str:
    name = escape(move.state.game.spec.player_names[move.player])
    return (
        f'<figure class="card"><h2>Move {move.number}: {name} {escape(move.text)}, {move.lost:.0%} lost</h2>'
        f"<figcaption>{escape(move.best_text)} was better: {escape(move.line_text)}</figcaption>"
        f"{_board(move)}</figure>"
    )


def _board(move: ReviewedMove) -> str:
    """The position before a move, with the move that was made and the one that was better."""
    state, spec = move.state, move.state.game.spec
    cells = state.cells
    if cells is None:
        return f"<pre>{escape(str(state))}</pre>"
    is_hex = spec.shape == "hex"
    wide, high = spec.width + (spec.height - 1) / 2 * is_hex, spec.height
    parts = [f'<svg class="board" viewBox="0 0 {CELL * wide:g} {CELL * high:g}" role="img">']
    for cell, code in enumerate(cells.ravel().tolist()):
        x, y = _middle(spec, cell)
        parts.append(f'<rect class="cell" x="{x - CELL / 2:g}" y="{y - CELL / 2:g}" width="{CELL}" height="{CELL}"/>')
        if code:
            parts.append(_piece(spec, code, x, y))
    for action, kind in ((move.action, "played"), (move.best_action, "better")):
        where = state.game.action_cells(state, action)
        title = f"<title>{kind}: {escape(state.action_text(action))}</title>"
        if where.source is not None and where.target is not None:
            (x1, y1), (x2, y2) = _middle(spec, where.source), _middle(spec, where.target)
            parts.append(f'<line class="{kind}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}">{title}</line>')
        end = where.target if where.target is not None else where.source
        if end is not None:
            x, y = _middle(spec, end)
            parts.append(f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="{CELL * 0.3:g}">{title}</circle>')
    keys = '<div class="legend"><span><i class="c5"></i>played</span><span><i class="c3"></i>better</span></div>'
    return "".join([*parts, "</svg>", keys])


def _middle(spec: GameSpec, cell: int) -> tuple[float, float]:
    """Of a cell; rows of hexagons lie half a cell further right each."""
    row, column = divmod(cell, spec.width)
    return CELL * (column + 0.5 + (row / 2 if spec.shape == "hex" else 0.0)), CELL * (row + 0.5)


def _piece(spec: GameSpec, code: int, x: float, y: float) -> str:
    """A stone of its owner's; where there are several kinds of pieces, with its letter."""
    piece = spec.pieces[code - 1]
    kind = {0: "first", 1: "second", None: "nobodys"}[piece.owner]
    drawn = f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="{CELL * 0.45:g}"/>'
    if len(spec.pieces) > 2:
        drawn += f'<text class="{kind}" x="{x:g}" y="{y + CELL * 0.17:g}">{escape(piece.letter)}</text>'
    return drawn


def _table(review: Review) -> str:
    worst = set(map(id, review.mistakes()))
    rows = (
        f"<tr{' class=warning' * (id(move) in worst)}><td>{move.number}</td><td>{_name(review, move.player)}</td>"
        f"<td>{escape(move.text)}</td><td>{move.before:.1%}</td><td>{move.after:.1%}</td><td>{_lost(move)}</td>"
        f"<td>{'' if move.is_best else escape(move.best_text)}</td><td>{escape(move.line_text)}</td></tr>"
        for move in review.moves
    )
    names = ("move", "player", "played", "before", "after", "lost", "better", "the line expected")
    return f"<table><tr>{''.join(f'<th>{name}</th>' for name in names)}</tr>{''.join(rows)}</table>"


def _lost(move: ReviewedMove) -> str:
    return f"{move.lost:.1%}" if move.lost > 0 else ""


def _name(review: Review, player: int) -> str:
    return escape(review.start.game.spec.player_names[player])


STYLE = """
figure > svg { max-width: 640px } .scroll { overflow-x: auto }
td:last-child, th:last-child { text-align: left }
figure > .board { max-width: 360px; margin: 8px auto; background: #dfb976; border-radius: 6px }
.board .cell { fill: none; stroke: #b08d52 } .board .nobodys { fill: #8d867b }
.board text { font: 600 9px sans-serif; text-anchor: middle } .board text.first { fill: #fffefb }
.board text.second, .board text.nobodys { fill: #161614; stroke: none }
.board circle.first { fill: #161614 } .board .second { fill: #fffefb; stroke: #66635c }
.board .played { fill: none; stroke: var(--c5); stroke-width: 3 }
.board .better { fill: none; stroke: #087a50; stroke-width: 3 }
"""
