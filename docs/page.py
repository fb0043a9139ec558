# SPDX-License-Identifier: MIT
"""What the pages of report.py and compared.py are made of."""
import pathlib
import re
from html import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
STYLE = (ROOT / "docs/page.css").read_text()
CLASS_N = ' class="n"'  # a number's cell


def element(name, text, attributes=""):
    return f"<{name}{attributes}>{escape(text)}</{name}>\n"


def page(title, body):
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
            f'<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n'
            f'<h1>{escape(title)}</h1>\n{body}</main>\n</body>\n</html>\n')


def box(label, inner):
    """Scrolls by itself where the window is narrow, by the keyboard too."""
    return f'<div class="box" tabindex="0" role="region" aria-label="{escape(label)}">{inner}</div>\n'


def is_number(text):
    return re.fullmatch(r"[-+]?[\d.]+( disturbed)?|-", text)


def cell(text):
    number = CLASS_N if is_number(text) else ""
    return f"<td{number}>{escape(text)}</td>".replace("disturbed", '<strong class="warn">disturbed</strong>')


def column_name(name, cells):
    return f'<th scope="col"{CLASS_N if all(map(is_number, cells)) else ""}>{escape(name)}</th>'


def table(caption, head, rows):
    """The first cell of a row is its name."""
    names = "".join(map(column_name, head, zip(*([""] + row[1:] for row in rows))))
    lines = "".join(f'<tr><th scope="row">{escape(row[0])}</th>{"".join(map(cell, row[1:]))}</tr>\n' for row in rows)
    return box(caption, f"<table><caption>{escape(caption)}</caption>\n<thead><tr>{names}</tr></thead>\n"
                        f"<tbody>\n{lines}</tbody></table>")


def tables_of(text):
    """compare.sh's lines, table by table, a key for each: a row is its label, and a cell for each machine."""
    found = {}
    for line in text.splitlines():
        title, keys, label, *cells = line.split("\t")
        found.setdefault((title, keys), []).append([label] + [c.replace("!", " disturbed") for c in cells])
    return found


def machine(path):
    """What environment.sh wrote."""
    pairs = (re.match(r"(opencl device \d+|[^:]+):? +(.*)", line) for line in path.read_text().splitlines())
    return "<dl>" + "".join(element("dt", p[1]) + element("dd", p[2]) for p in pairs if p) + "</dl>\n"
