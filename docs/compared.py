#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compared.py PAGE A B: writes PAGE, two recorded machines side by side, from the lines that
docs/results/compare.sh --tsv A B prints; docs/results/compare.sh --html A B calls it.
"""
import pathlib
import sys
from html import escape

from page import ROOT, element, machine, page, table, tables_of


def pair(rows):
    """Rows that one machine alone has, of one method or number of blocks: another size, or other threads."""
    alone = [[r for r in rows if r[side] == "-"] for side in (2, 1)]
    for a in alone[0]:
        mine = [r for r in alone[0] if r[0].split()[0] == a[0].split()[0]]
        others = [r for r in alone[1] if r[0].split()[0] == a[0].split()[0]]
        if len(mine) == len(others) == 1 and " " in a[0]:
            rows[rows.index(a)] = [f"{a[0]} | {others[0][0].split(None, 1)[1]}", a[1], others[0][2]]
            rows.remove(others[0])
    return rows


def compared(lines, a, b):
    results = ROOT / "docs/results"
    body = f"""<p>The same rows of two records. The ratio is {escape(b)} divided by {escape(a)}. An error may be near zero:
there the last column is the difference. Where the size or the number of threads changed, a row has both,
with a bar between them.</p>
<p>Do not believe a number with <strong class="warn">disturbed</strong> behind it.</p>
"""
    body += "".join(element("h2", name) + machine(results / name / "environment.txt") for name in (a, b))
    body += "<h2>Side by side</h2>\n"
    left_out = []
    for (title, keys), rows in tables_of(lines).items():
        if any(all(row[side] == "-" for row in rows) for side in (1, 2)):
            left_out.append(title)
            continue
        is_error = "error" in title or "less" in title
        both = []
        for label, x, y in pair(rows):
            u, v = (float(n.split()[0]) if n != "-" else None for n in (x, y))
            none = u is None or v is None or (not is_error and u == 0)
            both.append([label, x, y, "-" if none else f"{v - u:+.3f}" if is_error else f"{v / u:.3f}"])
        body += table(title, [keys, a, b, "difference" if is_error else "ratio"], both)
    if left_out:
        body += element("p", "Left out, because one of the two has no such rows: " + "; ".join(left_out) + ".")
    return page(f"{a} and {b} side by side", body)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[1]).write_text(compared(sys.stdin.read(), *sys.argv[2:]))
