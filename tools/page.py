# SPDX-License-Identifier: MIT
"""What the page of report.py is made of: HTML with its pictures in it, nothing from elsewhere."""
import math
import pathlib
import re
from html import escape

ROOT = pathlib.Path(__file__).resolve().parents[1]
STYLE = (ROOT / "tools/page.css").read_text()
UNITS = {"us": "us", "ms": "ms", "ns": "ns", "gb_s": "GB/s", "s": "s", "percent": "percent", "mhz": "MHz", "days": "days"}
CLASS_N = ' class="n"'  # a number's cell
MARKED = " disturbed"  # the end of a text
MARK = '<strong class="warn">disturbed</strong>'


def element(name, text, attributes=""):
    return f"<{name}{attributes}>{escape(text)}</{name}>\n"


def page(title, body):
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
            f'<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n'
            f'<h1>{escape(title)}</h1>\n{body}</main>\n</body>\n</html>\n')


def link(path, text):
    """To a file of the suite; report.py says where from."""
    return f'<a href="suite:{escape(path)}">{escape(text)}</a>'


def box(label, inner):
    """Scrolls by itself where the window is narrow, by the keyboard too."""
    return f'<div class="box" tabindex="0" role="region" aria-label="{escape(label)}">{inner}</div>\n'


def folded(summary, inner):
    return f"<details><summary>{escape(summary)}</summary>\n{inner}</details>\n"


def is_number(text):
    return re.fullmatch(r"[-+]?\d[\d.]*|-|", text.removesuffix(MARKED))


def as_printed(column):
    """median_us as "median (us)"."""
    for unit, shown in UNITS.items():
        if column.endswith("_" + unit):
            return f"{column.removesuffix('_' + unit)} ({shown})"
    return column


def rounded(text, digits=4):
    """A number with a point to so many digits, never to more than it has; its mark stays. Any other text as it is."""
    number, mark, _ = text.partition(MARKED)
    if not re.fullmatch(r"[-+]?\d+\.\d+", number):
        return text
    value = float(number)
    places = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
    shown = max(0, min(places, len(number.partition(".")[2])))
    return f"{round(value, places):.{shown}f}{mark}"


def name(text):
    """Escaped, and its mark, if it ends in "disturbed"; a long name may be broken after an underscore."""
    plain = text.removesuffix(MARKED)
    return escape(plain).replace("_", "_<wbr/>") + (" " + MARK if plain != text else "")


def table(caption, head, rows):
    """The first cell of a row is its name, which stays in sight; "disturbed" at the end of a cell is a mark. The points of
    a column stand below each other: what a number lacks behind its point is blank, and as wide."""
    def places(text):
        return len(text.removesuffix(MARKED).partition(".")[2])

    def cell(tag, text, number, width=0):
        lacks = 0 if MARKED in text else width - places(text)
        blank = "\u2008" * (lacks == width) + "\u2007" * lacks if number and lacks else ""
        return (f"<{tag}{CLASS_N if number else ''}>{name(text)}{f'<i>{blank}</i>' if blank else ''}"
                f"</{tag.split()[0]}>")

    numbers = [all(map(is_number, cells)) for cells in zip(*rows)] or [False] * len(head)
    widths = [max(map(places, cells)) if n else 0 for n, cells in zip(numbers, zip(*rows))]
    names = "".join(cell('th scope="col"', text, n and c) for c, (text, n) in enumerate(zip(head, numbers)))
    lines = "".join("<tr>" + cell('th scope="row"', row[0], False) +
                    "".join(cell("td", text, n, w) for text, n, w in zip(row[1:], numbers[1:], widths[1:])) + "</tr>" for row in rows)
    return box(caption, f"<table><caption><span>{escape(caption)}</span></caption><thead><tr>{names}</tr></thead>"
                        f"<tbody>{lines}</tbody></table>")


def bars(caption, rows):
    """Rows (label, number as text, which series): lying bars from one axis, at zero."""
    numbers = [float(text.removesuffix(MARKED)) for _, text, _ in rows]
    least, most = min(0, *numbers), max(0, *numbers)
    percent = 100 / (most - least or 1)
    drawn = ""
    for (label, text, which), number in zip(rows, numbers):
        left, width = (min(0, number) - least) * percent, abs(number) * percent
        drawn += (f'<div class="bar"><span>{name(label)}</span><span>{name(text)}</span></div>'
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
    for which, (name, line) in enumerate(series.items()):
        path = " ".join("{:.1f},{:.1f}".format(*place(*point)) for point in line)
        drawn += (f'<g class="s{which}"><polyline points="{path}"/>'
                  + "".join('<circle cx="{:.1f}" cy="{:.1f}" r="3.5"/>'.format(*place(*point)) for point in line)
                  + f'<path d="M{left + 4} {12 + 18 * which}h24"/></g>'
                    f'<text x="{left + 34}" y="{16 + 18 * which}">{escape(name)}</text>')
    return (f'<figure><figcaption>{escape(caption)}</figcaption>\n<svg viewBox="0 0 360 284" role="img" '
            f'aria-label="{escape(caption)}. The table above has the numbers.">{drawn}</svg></figure>\n')


def environment(text):
    """What environment.sh wrote."""
    pairs = (re.match(r"(opencl device \d+|[^:]+):? +(.*)", line) for line in text.splitlines())
    return "<dl>" + "".join(element("dt", p[1]) + element("dd", p[2]) for p in pairs if p) + "</dl>\n"
