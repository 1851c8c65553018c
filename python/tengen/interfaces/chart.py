"""Charts as SVG text, so that a page needs no library for them. Colours are CSS variables of the page.

Everything is laid out in a box 400 units wide, about the width of a phone, so that labels stay readable there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Bar", "Line", "bars", "lines", "ticks"]

WIDTH, HEIGHT = 400.0, 214.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 8.0, 10.0, 30.0
MOST_POINTS = 400  # of a curve; more are not visible at this width


@dataclass(frozen=True)
class Line:
    """A curve. `errors` are drawn as error bars at its points."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: int = 1  # 1 to 5, a colour of the page
    dashed: bool = False
    errors: Sequence[float] = ()
    dots: bool = False  # draw only the points, each with its value


@dataclass(frozen=True)
class Bar:
    """A part of a whole."""

    name: str
    amount: float
    colour: int


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers that span low to high: 1, 2 or 5 times a power of ten apart."""
    span = high - low if high > low else abs(high) or 1.0
    step = 10.0 ** math.floor(math.log10(span / most))
    step *= next(factor for factor in (1, 2, 5, 10, 20) if span / (step * factor) <= most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 12) for number in range(first, max(last, first + 1) + 1)]


def lines(
    curves: Sequence[Line],
    *,
    label: Callable[[float], str],
    from_zero: bool = False,
    spanning: Sequence[float] = (),
    x_name: str = "iteration",
) -> str:
    """Curves over iterations, or over what `x_name` names. `label` formats a value for the axis and the legend.

    With `from_zero` the axis begins at 0 if no value is negative. The axis always includes the values of `spanning`.
    """
    curves = [curve for curve in (_thinned(curve) for curve in curves) if curve.points]
    if not curves:
        return '<p class="none">Nothing to show yet.</p>'
    xs = [x for curve in curves for x, _ in curve.points]
    ends = [y + sign * error for curve in curves for (_, y), error in _with_errors(curve) for sign in (-1.0, 1.0)]
    ends += spanning
    y_ticks = ticks(min(0.0, *ends) if from_zero else min(ends), max(ends))
    x_ticks = [x for x in ticks(min(xs), max(xs)) if min(xs) < x <= max(xs) and x == round(x)] or [max(xs)]

    def across(x: float) -> float:
        share = (x - min(xs)) / (max(xs) - min(xs)) if max(xs) > min(xs) else 0.5
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def down(y: float) -> float:
        return HEIGHT - BOTTOM - (y - y_ticks[0]) / (y_ticks[-1] - y_ticks[0]) * (HEIGHT - TOP - BOTTOM)

    parts = [f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img">']
    for y in y_ticks:
        parts.append(
            f'<line class="grid" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{down(y):.1f}" y2="{down(y):.1f}"/>'
            f'<text x="{LEFT - 6:g}" y="{down(y) + 4:.1f}" text-anchor="end">{escape(label(y))}</text>'
        )
    parts.append(f'<text x="0" y="{HEIGHT - 7:g}">{escape(x_name)}</text>')
    for x in x_ticks:
        parts.append(f'<text x="{across(x):.1f}" y="{HEIGHT - 7:g}" text-anchor="middle">{x:g}</text>')
    for curve in curves:
        parts += _curve(curve, across, down, lambda x, y: f"{x_name} {x:g}: {label(y)}")
    return "".join([*parts, "</svg>", _legend(curves, label)])


def _curve(
    curve: Line, across: Callable[[float], float], down: Callable[[float], float], about: Callable[[float, float], str]
) -> list[str]:
    places = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in curve.points)
    line = f'<polyline class="c{curve.colour}{" dashed" * curve.dashed}" points="{places}"/>'
    parts = [] if curve.dots else [line]
    for (x, y), error in _with_errors(curve):
        if curve.errors:
            parts.append(
                f'<line class="c{curve.colour}" x1="{across(x):.1f}" x2="{across(x):.1f}" '
                f'y1="{down(y - error):.1f}" y2="{down(y + error):.1f}"/>'
            )
        spread = f" ± {error:.0f}" if curve.errors else ""
        if curve.errors or curve.dots or len(curve.points) == 1:
            parts.append(
                f'<circle class="c{curve.colour}" cx="{across(x):.1f}" cy="{down(y):.1f}" r="3.5">'
                f"<title>{escape(about(x, y))}{spread}</title></circle>"
            )
    return parts


def _legend(curves: Sequence[Line], label: Callable[[float], str]) -> str:
    """Names with the newest value of each."""
    items = (
        f'<span><i class="c{curve.colour}{" dashed" * curve.dashed}"></i>{escape(curve.name)}'
        + ("" if curve.dots else f" <b>{escape(label(curve.points[-1][1]))}</b>")
        + "</span>"
        for curve in curves
    )
    return f'<div class="legend">{"".join(items)}</div>'


def _with_errors(curve: Line) -> list[tuple[tuple[float, float], float]]:
    return list(zip(curve.points, curve.errors or [0.0] * len(curve.points), strict=True))


def _thinned(curve: Line) -> Line:
    """Without NaN and infinite values, and with at most MOST_POINTS points; the newest point stays."""
    kept = [(point, error) for point, error in _with_errors(curve) if all(map(math.isfinite, (*point, error)))]
    stride = -(-len(kept) // MOST_POINTS)
    kept = kept[::-1][:: max(1, stride)][::-1]
    return Line(
        curve.name,
        [point for point, _ in kept],
        curve.colour,
        curve.dashed,
        [error for _, error in kept] if curve.errors else (),
        curve.dots,
    )


def bars(parts: Sequence[Bar]) -> str:
    """One bar made of parts, with the share of each."""
    whole = sum(part.amount for part in parts)
    if whole <= 0:
        return '<p class="none">Nothing to show yet.</p>'
    drawn, names, start = [], [], 0.0
    for part in parts:
        width = part.amount / whole * WIDTH
        if part.amount > 0:
            drawn.append(
                f'<rect class="c{part.colour}" x="{start:.1f}" y="4" width="{max(0.0, width - 1.5):.1f}" height="26" '
                f'rx="3"><title>{escape(part.name)}: {part.amount / whole:.0%}</title></rect>'
            )
            names.append(
                f'<span><i class="c{part.colour}"></i>{escape(part.name)} <b>{part.amount / whole:.0%}</b></span>'
            )
        start += width
    return (
        f'<svg viewBox="0 0 {WIDTH:g} 34" role="img">{"".join(drawn)}</svg><div class="legend">{"".join(names)}</div>'
    )
