"""A reviewed game as one HTML file that needs no network and no program: its curve, its mistakes, all of its moves."""

from __future__ import annotations

from html import escape

from tengen.interfaces.chart import Line, lines
from tengen.interfaces.report_page import whole_page
from tengen.strength.review import Review, ReviewedMove

__all__ = ["build_review_page"]

MOST_BOARDS = 6  # the worst mistakes, drawn
CELL = 20.0  # of a board, in its own units


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
    if state.cells is None:
        return f"<pre>{escape(str(state))}</pre>"
    width, height = spec.width, spec.height
    parts = [f'<svg class="board" viewBox="0 0 {CELL * width:g} {CELL * height:g}" role="img">']
    for row in range(height):
        parts.append(_grid_line(0.5, row + 0.5, width - 0.5, row + 0.5))
    for column in range(width):
        parts.append(_grid_line(column + 0.5, 0.5, column + 0.5, height - 0.5))
    for cell, code in enumerate(state.cells.ravel().tolist()):
        if code:
            piece = spec.pieces[code - 1]
            kind = "second" if piece.owner == 1 else "first"
            parts.append(_circle(cell, width, kind, 0.45))
    for action, kind in ((move.action, "played"), (move.best_action, "better")):
        target = state.game.action_cells(state, action).target
        if target is not None:
            parts.append(_circle(target, width, kind, 0.3, f"{kind}: {state.action_text(action)}"))
    keys = '<div class="legend"><span><i class="c5"></i>played</span><span><i class="c3"></i>better</span></div>'
    return "".join([*parts, "</svg>", keys])


def _circle(cell: int, width: int, kind: str, radius: float, title: str = "") -> str:
    row, column = divmod(cell, width)
    named = f"<title>{escape(title)}</title>" if title else ""
    return (
        f'<circle class="{kind}" cx="{CELL * (column + 0.5):g}" cy="{CELL * (row + 0.5):g}" '
        f'r="{CELL * radius:g}">{named}</circle>'
    )


def _grid_line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="grid" x1="{CELL * x1:g}" y1="{CELL * y1:g}" x2="{CELL * x2:g}" y2="{CELL * y2:g}"/>'


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
.board .grid { stroke: #8a6a33 } .board .first { fill: #161614 } .board .second { fill: #fffefb; stroke: #66635c }
.board .played { fill: none; stroke: var(--c5); stroke-width: 3 }
.board .better { fill: none; stroke: #087a50; stroke-width: 3 }
"""
