"""A line chart as an SVG file that is readable on a light and on a dark page."""
from __future__ import annotations

import html
import math
import pathlib

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 570, 40, 350
# Colors that people with color blindness can distinguish (Okabe and Ito).
COLORS = ["#888888", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
Series = dict[str, list[tuple[float, float]]]


def ticks(values: list[float], is_logarithmic: bool) -> list[float]:
    """The values of an axis's lines, the first and the last around all values."""
    most = max(values)
    if is_logarithmic:
        first = math.floor(math.log10(min(values)))
        return [10.0 ** power for power in range(first, max(first + 1, math.ceil(math.log10(most))) + 1)]
    power = 10 ** math.floor(math.log10(max(most, 1)))
    step = next((part * power for part in (0.2, 0.5, 1, 2) if part * power * 6 >= most), power)
    return [number * step for number in range(math.ceil(most / step) + 1)]


def text(content: str, x: float, y: float, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(content)}</text>'


def line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="#808080" stroke-opacity="0.3"/>'


def write(path: pathlib.Path, title: str, x_name: str, y_name: str, series: Series, is_logarithmic: bool) -> None:
    """Draws one line for each name."""
    scale = math.log10 if is_logarithmic else float
    axes = [ticks([point[axis] for points in series.values() for point in points], is_logarithmic) for axis in (0, 1)]

    def place(axis: int, value: float) -> float:
        first, last = scale(axes[axis][0]), scale(axes[axis][-1])
        share = (scale(value) - first) / (last - first)
        return LEFT + (RIGHT - LEFT) * share if axis == 0 else BOTTOM - (BOTTOM - TOP) * share

    parts = []
    for tick in axes[0]:
        at = place(0, tick)
        parts += [line(at, TOP, at, BOTTOM), text(f"{tick:g}", at, BOTTOM + 18, "middle")]
    for tick in axes[1]:
        at = place(1, tick)
        parts += [line(LEFT, at, RIGHT, at), text(f"{tick:g}", LEFT - 8, at + 4, "end")]
    for index, ((name, points), color) in enumerate(zip(series.items(), COLORS)):
        path_points = " ".join(f"{place(0, x):.1f},{place(1, y):.1f}" for x, y in points)
        parts.append(f'<polyline fill="none" stroke="{color}" stroke-width="2" points="{path_points}"/>')
        at = TOP + 20 + index * 22
        parts.append(f'<rect x="585" y="{at - 9}" width="12" height="4" fill="{color}"/>')
        parts.append(text(name, 604, at - 2, "start"))
    parts += [
        text(title, WIDTH / 2, 22, "middle"), text(x_name, (LEFT + RIGHT) / 2, HEIGHT - 10, "middle"),
        f'<g transform="translate(16 195) rotate(-90)">{text(y_name, 0, 0, "middle")}</g>']
    content = "\n".join(parts)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="13" fill="#808080">\n{content}\n</svg>\n')
