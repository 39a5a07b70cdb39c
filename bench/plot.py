"""Two small plots as SVG: bars, and a line over a logarithmic axis."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 360, 90, 110, 40
FONT = 'font-family="sans-serif" font-size="12"'


def svg(path, title, body):
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {FONT}>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n'
        f'<text x="{WIDTH / 2}" y="22" text-anchor="middle">{escape(title)}</text>\n' + "\n".join(body) + "\n</svg>\n",
        encoding="utf-8",
    )


def text(x, y, words, extra='text-anchor="end"'):
    return f'<text x="{x:.1f}" y="{y:.1f}" {extra}>{escape(words)}</text>'


def ceiling(value):
    """The next round number: 1, 2 or 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(value)) if value > 0 else 1
    return next(power * step for step in (1, 2, 5, 10) if power * step >= value)


def y_axis(top):
    """Five lines across, and the function that places a value."""
    span = HEIGHT - BOTTOM - TOP

    def place(value):
        return HEIGHT - BOTTOM - span * value / top

    body = []
    for i in range(6):
        value = top * i / 5
        body.append(f'<path d="M{LEFT} {place(value):.1f}H{WIDTH - 20}" stroke="#ddd"/>')
        body.append(text(LEFT - 8, place(value) + 4, f"{value:,.10g}"))
    return place, body


def bars(path, title, pairs):
    place, body = y_axis(ceiling(max([value for _, value in pairs] + [1e-9])))
    step = (WIDTH - LEFT - 20) / max(len(pairs), 1)
    for i, (name, value) in enumerate(pairs):
        x, y = LEFT + step * (i + 0.15), place(value)
        body.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{step * 0.7:.1f}" height="{HEIGHT - BOTTOM - y:.1f}" fill="#4878a8"/>')
        at = f"{x + step * 0.4:.1f},{HEIGHT - BOTTOM + 14}"
        body.append(f'<text transform="translate({at}) rotate(-35)" text-anchor="end">{escape(name)}</text>')
    svg(path, title, body)


def line(path, x_title, y_title, points):
    place, body = y_axis(ceiling(max([y for _, y in points] + [1e-9])))
    low = math.floor(math.log10(min(x for x, _ in points)))
    high = max(math.ceil(math.log10(max(x for x, _ in points))), low + 1)

    def across(x):
        return LEFT + (WIDTH - LEFT - 20) * (math.log10(x) - low) / (high - low)

    for power in range(low, high + 1):
        body.append(text(across(10**power), HEIGHT - BOTTOM + 20, f"1e{power}", 'text-anchor="middle"'))
    body.append(text(WIDTH / 2, HEIGHT - BOTTOM + 44, x_title, 'text-anchor="middle"'))
    spots = [(across(x), place(y)) for x, y in points]
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    body.append(f'<polyline points="{joined}" fill="none" stroke="#4878a8" stroke-width="2"/>')
    body += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#4878a8"/>' for x, y in spots]
    svg(path, y_title, body)


COLOURS = ["#4878a8", "#d1605e", "#6a9f58", "#b07aa1", "#e7a33e", "#85b6b2", "#9c755f"]


def lines(path, title, x_title, series):
    """One line per name over small whole numbers; the y axis is logarithmic."""
    every = [point for points in series.values() for point in points]
    low = math.floor(math.log10(min(y for _, y in every)))
    high = max(math.ceil(math.log10(max(y for _, y in every))), low + 1)
    xs = sorted({x for x, _ in every})
    span = HEIGHT - BOTTOM - TOP

    def place(y):
        return HEIGHT - BOTTOM - span * (math.log10(y) - low) / (high - low)

    def across(x):
        return LEFT + (WIDTH - LEFT - 200) * (x - xs[0]) / max(xs[-1] - xs[0], 1)

    body = []
    for power in range(low, high + 1):
        body.append(f'<path d="M{LEFT} {place(10.0**power):.1f}H{WIDTH - 180}" stroke="#ddd"/>')
        body.append(text(LEFT - 8, place(10.0**power) + 4, f"1e{power}"))
    body += [text(across(x), HEIGHT - BOTTOM + 20, str(x), 'text-anchor="middle"') for x in xs]
    body.append(text(LEFT + (WIDTH - LEFT - 200) / 2, HEIGHT - BOTTOM + 44, x_title, 'text-anchor="middle"'))
    for i, (name, points) in enumerate(sorted(series.items())):
        colour = COLOURS[i % len(COLOURS)]
        spots = [(across(x), place(y)) for x, y in sorted(points)]
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        body.append(f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>')
        body += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>' for x, y in spots]
        body.append(text(WIDTH - 170, TOP + 20 * i + 10, name, f'text-anchor="start" fill="{colour}"'))
    svg(path, title, body)


def scatter(path, x_title, title, points):
    """Named points, both axes logarithmic."""
    def bounds(values):
        low = math.floor(math.log10(min(values)))
        return low, max(math.ceil(math.log10(max(values))), low + 1)

    left, right = bounds([x for x, _, _ in points])
    low, high = bounds([y for _, y, _ in points])

    def across(x):
        return LEFT + (WIDTH - LEFT - 140) * (math.log10(x) - left) / (right - left)

    def place(y):
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (math.log10(y) - low) / (high - low)

    body = [text(across(10**p), HEIGHT - BOTTOM + 20, f"1e{p}", 'text-anchor="middle"') for p in range(left, right + 1)]
    for power in range(low, high + 1):
        body.append(f'<path d="M{LEFT} {place(10.0**power):.1f}H{WIDTH - 140}" stroke="#ddd"/>')
        body.append(text(LEFT - 8, place(10.0**power) + 4, f"1e{power}"))
    body.append(text(WIDTH / 2, HEIGHT - BOTTOM + 44, x_title, 'text-anchor="middle"'))
    for x, y, name in points:
        body.append(f'<circle cx="{across(x):.1f}" cy="{place(y):.1f}" r="4" fill="#4878a8"/>')
        body.append(text(across(x) + 8, place(y) + 4, name, 'text-anchor="start"'))
    svg(path, title, body)
