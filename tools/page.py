# SPDX-License-Identifier: MIT
"""What the page of report.py is made of: HTML with its pictures in it, nothing from elsewhere."""
import math
from html import escape


def element(name, text, attributes=""):
    return f"<{name}{attributes}>{escape(text)}</{name}>\n"


def page(title, style, body):
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
            f'<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n'
            f'<h1>{escape(title)}</h1>\n{body}</main>\n</body>\n</html>\n')


def name(text, doubt=""):
    """A long name may be broken after an underscore; a doubt stands behind it."""
    return escape(text).replace("_", "_<wbr/>") + (f' <strong class="warn">{name(doubt)}</strong>' if doubt else "")


def bars(caption, rows):
    """Rows (label, number as text, why not to believe it, which series): lying bars from one axis, at zero."""
    numbers = [float(text) for _, text, *_ in rows]
    least, most = min(0, *numbers), max(0, *numbers)
    percent = 100 / (most - least or 1)
    drawn = ""
    for (label, text, doubt, which), number in zip(rows, numbers):
        left, width = (min(0, number) - least) * percent, abs(number) * percent
        drawn += (f'<div class="bar"><span>{name(label, doubt)}</span><span>{text}</span></div>'
                  f'<div class="track"><i class="s{which}" style="left:{left:.2f}%;width:{width:.2f}%"></i>'
                  f'<b style="left:{-least * percent:.2f}%"></b></div>')
    return f'<figure class="bars"><figcaption>{escape(caption)}</figcaption>{drawn}</figure>\n'


def lines(caption, across, series):
    """A line for each of series {name: [(x, y)]}, over x, both axes by factors."""
    points = [point for line in series.values() for point in line]
    left, right, top, bottom = 34, 352, 14 + 18 * len(series), 246
    (x0, x1), (y0, y1) = [(math.log2(min(values)), math.log2(max(values))) for values in zip(*points)]
    y0, y1 = math.floor(y0), max(math.ceil(y1), math.floor(y0) + 1)

    def place(x, y):
        return (left + 8 + (math.log2(x) - x0) / (x1 - x0 or 1) * (right - left - 16),
                bottom - (math.log2(y) - y0) / (y1 - y0) * (bottom - top))

    drawn = ""
    for power in range(y0, y1 + 1, 1 + (y1 - y0) // 6):
        _, y = place(points[0][0], 2.0 ** power)
        drawn += (f'<path class="grid" d="M{left} {y:.1f}H{right}"/>'
                  f'<text x="{left - 4}" y="{y + 4:.1f}" text-anchor="end">{2.0 ** power:g}</text>')
    for power in range(math.ceil(x0), math.floor(x1) + 1, 1 + int(x1 - x0) // 6):
        x, _ = place(2.0 ** power, 1)
        drawn += f'<text x="{x:.1f}" y="{bottom + 17}" text-anchor="middle">{2 ** power}</text>'
    drawn += f'<text x="{right}" y="{bottom + 34}" text-anchor="end">{escape(across)}</text>'
    for which, (of, line) in enumerate(series.items()):
        path = " ".join("{:.1f},{:.1f}".format(*place(*point)) for point in line)
        drawn += (f'<g class="s{which}"><polyline points="{path}"/>'
                  + "".join('<circle cx="{:.1f}" cy="{:.1f}" r="3.5"/>'.format(*place(*point)) for point in line)
                  + f'<path d="M{left + 4} {12 + 18 * which}h24"/></g>'
                    f'<text x="{left + 34}" y="{16 + 18 * which}">{escape(of)}</text>')
    return (f'<figure><figcaption>{escape(caption)}</figcaption>\n<svg viewBox="0 0 360 284" role="img" '
            f'aria-label="{escape(caption)}.">{drawn}</svg></figure>\n')
