"""A plot of figures as SVG: both axes logarithmic, a line for each series."""

import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 56, 150, 16, 40
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#8c564b"]


def decades(values: list[float]) -> tuple[int, int]:
    return math.floor(math.log10(min(values))), max(math.ceil(math.log10(max(values))), math.floor(math.log10(min(values))) + 1)


def log_log(series: dict[str, list[tuple[float, float]]], x_name: str, y_name: str) -> str:
    """`series`: points by the line's name, all above 0."""
    points = [point for line in series.values() for point in line]
    (x0, x1), (y0, y1) = decades([x for x, _ in points]), decades([y for _, y in points])

    def at(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - x0) / (x1 - x0)
        up = (math.log10(y) - y0) / (y1 - y0)
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    def text(x: float, y: float, words: str, anchor: str = "middle", colour: str = "#333") -> str:
        return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for power in range(x0, x1 + 1):
        x, bottom = at(10**power, 10**y0)
        parts += [f'<path d="M{x:.0f} {TOP}V{bottom:.0f}" stroke="#ddd"/>', text(x, bottom + 16, f"{10**power:,}")]
    for power in range(y0, y1 + 1):
        left, y = at(10**x0, 10**power)
        parts += [f'<path d="M{left:.0f} {y:.0f}H{WIDTH - RIGHT}" stroke="#ddd"/>', text(left - 6, y + 4, f"{10**power:g}", "end")]
    parts += [text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, x_name), text(8, 12, y_name, "start")]
    ends: list[float] = []
    for (name, line), colour in zip(series.items(), COLOURS, strict=False):
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in (at(*point) for point in sorted(line)))
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x, y = at(*max(line))
        while any(abs(y - other) < 13 for other in ends):  # names stand below each other
            y += 1
        ends.append(y)
        parts.append(text(x + 6, y + 4, name, "start", colour))
    return "\n".join([*parts, "</svg>"]) + "\n"
