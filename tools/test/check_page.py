#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_page.py PAGE [TEXT ...]: is a page of tools/report.py whole, and does it hold each TEXT ("no TEXT": not)?
Red: who opens the tour's page sees a broken page, a dead link, or a picture that is not of the numbers.

Well-formed; a language, a title, one h1, no level of headings left out; every id once; every link leads to a file that
is there; no script; words for each picture; the bars of a picture begin at its one axis and fill it.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

path = pathlib.Path(sys.argv[1])
wrong = []


def want(holds, what):
    wrong.extend([] if holds else [f"{path}: {what}"])


try:
    root = ET.fromstring(path.read_text().replace("<wbr/>", ""))
except (ET.ParseError, OSError) as error:
    sys.exit(f"{path}: {error}")
elements = list(root.iter())
ids = [e.get("id") for e in elements if e.get("id")]
levels = [int(e.tag[1]) for e in elements if re.fullmatch("h[1-6]", e.tag)]
text = " ".join(" ".join(root.find("body").itertext()).split())

want(root.get("lang") and root.findtext("head/title") and root.find("body/main") is not None, "no lang, title or main")
want(levels.count(1) == 1 and levels[0] == 1, "not one h1, first")
want(all(b <= a + 1 for a, b in zip(levels, levels[1:])), "a level of headings is left out")
want(len(ids) == len(set(ids)), "an id twice")
want(not re.search(r"url\(|@import|//", root.findtext("head/style")), "a style from elsewhere")
for e in elements:
    want(e.tag not in ("script", "img", "link", "iframe", "object") and not e.get("src"), f"<{e.tag}>")
    want(e.tag != "svg" or e.get("aria-label"), "a drawing without words")
    want(e.tag != "a" or (path.parent / e.get("href", "")).is_file(), f"a link to {e.get('href')}")
    if e.get("class") == "bars":
        zero, *others = {float(re.search(r"[\d.]+", mark.get("style"))[0]) for mark in e.iter("b")}
        drawn = [tuple(map(float, re.findall(r"[\d.]+", bar.get("style")))) for bar in e.iter("i")]
        want(not others and all(min(abs(left - zero), abs(left + width - zero)) < 0.02 for left, width in drawn),
             "a bar that does not begin at the axis")
        want(min(zero, *(left for left, _ in drawn)) < 0.02 and max(zero, *(sum(bar) for bar in drawn)) > 99.9, "room")
for wanted in sys.argv[2:]:
    want((wanted.removeprefix("no ") in text) != wanted.startswith("no "), f"in it, or not: {wanted}")
sys.exit("\n".join(wrong) or None)
