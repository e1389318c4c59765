"""Small drawings as inline SVG, for a page that needs no network and no script.

Holds: `line_plot`, `bar_plot`, `scatter_plot`.
Add here: another shape of drawing.
Never here: what is drawn (report.py).
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 520, 220
LEFT, RIGHT, TOP, BOTTOM = 44, 150, 14, 30
COLOURS = ("#0b6e99", "#c2571a", "#3a7d34", "#7b4fa3", "#a33a4a", "#5f6b73", "#b08900", "#2f4f9e")


class Point(NamedTuple):
    x: float
    y: float
    label: str = ""


def line_plot(series: Mapping[str, Sequence[Point]], *, low: float = 0.0, high: float = 1.0, title: str) -> str:
    """One line a series over its points; the y axis runs from `low` to `high`, the x axis over all points."""
    xs = [point.x for points in series.values() for point in points]
    if not xs:
        return _empty(title)
    scale = _Scale(min(xs), max(xs), low, high)
    marks = [_axes(scale)]
    for n, (name, points) in enumerate(series.items()):
        colour = COLOURS[n % len(COLOURS)]
        path = " ".join(f"{scale.x(p.x):.1f},{scale.y(p.y):.1f}" for p in points)
        marks.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        marks += [_dot(scale, point, colour, f"{name} {point.y:.3f}") for point in points]
        marks.append(_legend(n, name, colour))
    labels = {point.x: point.label for points in series.values() for point in points}
    first, last = min(labels), max(labels)
    marks += [_tick(scale, x, labels[x]) for x in dict.fromkeys((first, last))]
    return _svg(marks, title)


def bar_plot(groups: Mapping[str, Mapping[str, float]], *, high: float = 1.0, title: str, unit: str = "") -> str:
    """Bars beside each other for each group, one colour a series."""
    names = list(dict.fromkeys(name for values in groups.values() for name in values))
    if not names:
        return _empty(title)
    scale = _Scale(0, len(groups), 0, high or 1.0)
    marks = [_axes(scale)]
    step = 0.8 / len(names)
    for place, (group, values) in enumerate(groups.items()):
        for n, name in enumerate(names):
            if name not in values:
                continue
            left, top = scale.x(place + 0.1 + n * step), scale.y(values[name])
            width = scale.x(step) - scale.x(0)
            said = escape(f"{group} {name} {values[name]:.3f}{unit}")
            marks.append(
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{scale.y(0) - top:.1f}" '
                f'fill="{COLOURS[n % len(COLOURS)]}"><title>{said}</title></rect>'
            )
        marks.append(_tick(scale, place + 0.5, group))
    marks += [_legend(n, name, COLOURS[n % len(COLOURS)]) for n, name in enumerate(names)]
    return _svg(marks, title)


def scatter_plot(points: Sequence[Point], *, title: str) -> str:
    """Points in the unit square, each with its label on hovering."""
    if not points:
        return _empty(title)
    scale = _Scale(0, 1, 0, 1)
    marks = [_axes(scale), _tick(scale, 0, "0"), _tick(scale, 1, "1")]
    marks += [_dot(scale, point, COLOURS[0], point.label) for point in points]
    return _svg(marks, title)


class _Scale(NamedTuple):
    left: float
    right: float
    low: float
    high: float

    def x(self, value: float) -> float:
        span = self.right - self.left or 1.0
        return LEFT + (value - self.left) / span * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        span = self.high - self.low or 1.0
        return HEIGHT - BOTTOM - (min(value, self.high) - self.low) / span * (HEIGHT - TOP - BOTTOM)


def _axes(scale: _Scale) -> str:
    left, right = LEFT, WIDTH - RIGHT
    lines = []
    for part in (0.0, 0.25, 0.5, 0.75, 1.0):
        value = scale.low + part * (scale.high - scale.low)
        y = scale.y(value)
        lines.append(f'<line x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
        lines.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.3g}</text>')
    return "".join(lines)


def _dot(scale: _Scale, point: Point, colour: str, said: str) -> str:
    x, y = scale.x(point.x), scale.y(point.y)
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"><title>{escape(said)}</title></circle>'


def _legend(n: int, name: str, colour: str) -> str:
    x, y = WIDTH - RIGHT + 14, TOP + 10 + n * 18
    box = f'<rect x="{x}" y="{y - 8}" width="10" height="10" fill="{colour}"/>'
    return f'{box}<text x="{x + 15}" y="{y + 1}">{escape(name)}</text>'


def _tick(scale: _Scale, x: float, label: str) -> str:
    return f'<text x="{scale.x(x):.1f}" y="{HEIGHT - 10}" text-anchor="middle">{escape(label)}</text>'


def _svg(marks: Sequence[str], title: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(marks)}</svg>"
    )


def _empty(title: str) -> str:
    return f'<p class="empty">{escape(title)}: nothing scored yet</p>'
