#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_page.py PAGE [TEXT ...]: is a page of tools/report.py whole, and does it hold each TEXT ("no TEXT": not)?

Well-formed; a language, a title, one h1, no level of headings left out; every id once; every link leads to a place in
the page, or to a file that is there; no script; words for each picture and table; a box that scrolls is a named region
that the keyboard reaches; each head of a table once; the bars of a picture begin at its one axis and fill it.
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
regions = [e.get("aria-label") for e in elements if e.get("role") == "region"]
text = " ".join(" ".join(root.find("body").itertext()).split())

want(root.get("lang") and root.findtext("head/title") and root.find("body/main") is not None, "no lang, title or main")
want(levels.count(1) == 1 and levels[0] == 1, "not one h1, first")
want(all(b <= a + 1 for a, b in zip(levels, levels[1:])), "a level of headings is left out")
want(len(ids) == len(set(ids)), "an id twice")
want(len(regions) == len(set(regions)) and all(regions), "two regions of one name, or one without")
want(not re.search(r"url\(|@import|//", root.findtext("head/style")), "a style from elsewhere")
for e in elements:
    want(e.tag not in ("script", "img", "link", "iframe", "object") and not e.get("src"), f"<{e.tag}>")
    want(e.tag != "table" or e.find("caption") is not None, "a table without a caption")
    want(e.tag != "svg" or e.get("aria-label"), "a drawing without words")
    if e.tag == "a":
        file, _, anchor = e.get("href", "").partition("#")
        want((path.parent / file).is_file() if file else anchor in ids, f"a link to {e.get('href')}")
    want(e.get("class") != "box" or (e.get("tabindex") == "0" and e.get("role") == "region"), "a mute box")
    heads = ["".join(head.itertext()) for head in e.findall("thead/tr/th")]
    want(len(heads) == len(set(heads)), f"a head twice: {heads}")
    if e.get("class") == "bars":
        zero, *others = {float(re.search(r"[\d.]+", mark.get("style"))[0]) for mark in e.iter("b")}
        drawn = [tuple(map(float, re.findall(r"[\d.]+", bar.get("style")))) for bar in e.iter("i")]
        want(not others and all(min(abs(left - zero), abs(left + width - zero)) < 0.02 for left, width in drawn),
             "a bar that does not begin at the axis")
        want(min(zero, *(left for left, _ in drawn)) < 0.02 and max(zero, *(sum(bar) for bar in drawn)) > 99.9, "room")
for wanted in sys.argv[2:]:
    want((wanted.removeprefix("no ") in text) != wanted.startswith("no "), f"in it, or not: {wanted}")
sys.exit("\n".join(wrong) or None)
