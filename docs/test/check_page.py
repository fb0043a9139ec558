#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_page.py PAGE [TEXT ...]: is a page of docs/tools/report.py whole, and does it hold each TEXT ("no TEXT":
not)?

Well-formed; a language, a title, one h1, no level of headings left out; every id once, every link leads to
a place in the page, which may be sent alone; no script; words for each picture; a box that scrolls is a
named region that the keyboard reaches; each head of a table once; no table among the words of a program; a
number before the environment; the bars of a picture begin at its one axis, and the longest with it fills the
picture; no backquotes.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

path = pathlib.Path(sys.argv[1])
wrong = []


def want(holds, what):
    if not holds:
        wrong.append(what)


try:
    root = ET.fromstring(path.read_text().replace("<wbr/>", ""))
except (ET.ParseError, OSError) as error:
    sys.exit(f"{path}: {error}")
elements = list(root.iter())
ids = [e.get("id") for e in elements if e.get("id")]
levels = [int(e.tag[1]) for e in elements if re.fullmatch("h[1-6]", e.tag)]
regions = [e.get("aria-label") for e in elements if e.get("role") == "region"]
text = " ".join(" ".join(root.find("body").itertext()).split())

want(root.get("lang"), "no lang")
want(root.findtext("head/title"), "no title")
want(root.find("body/main") is not None, "no main")
want(levels.count(1) == 1 and levels[0] == 1, "not one h1, first")
want(all(b <= a + 1 for a, b in zip(levels, levels[1:])), "a level of headings is left out")
want(len(ids) == len(set(ids)), "an id twice")
tags = [e.tag for e in elements]
want("table" in tags[:tags.index("dl")], "the environment before the first number")
want(len(regions) == len(set(regions)) and all(regions), "two regions of one name, or one without")
for e in elements:
    want(e.tag not in ("script", "img", "link", "iframe", "object"), f"<{e.tag}>")
    want(e.tag != "table" or e.find("caption") is not None, "a table without a caption")
    want(e.get("class") != "box" or (e.get("tabindex") == "0" and e.get("role") == "region"), "a mute box")
    want(not e.get("src"), f"src {e.get('src')}")
    want(e.get("class") != "said" or not re.search(r"\S {2,}\S", e.text), f"a table among the words: {e.text}")
    want(e.tag != "a" or e.get("href", "")[:1] == "#" and e.get("href")[1:] in ids, f"a link to {e.get('href')}")
    want(e.tag != "svg" or e.get("aria-label"), "a drawing without words")
    heads = ["".join(head.itertext()) for head in e.iter("th") if head.get("scope") == "col"] if e.tag == "table" else []
    want(len(heads) == len(set(heads)), f"a head twice: {heads}")
    if e.get("class") == "bars":
        axes = {mark.get("style") for mark in e.iter("b")}
        drawn = [tuple(map(float, re.findall(r"[\d.]+", bar.get("style")))) for bar in e.iter("i")]
        want(len(axes) == 1, f"axes {axes}")
        zero = float(re.search(r"[\d.]+", axes.pop())[0])
        want(all(min(abs(left - zero), abs(left + width - zero)) < 0.02 for left, width in drawn), "a bar that floats")
        want(min(left for left, _ in drawn) < 0.02 or zero < 0.02, "room left of the bars")
        want(max(zero, *(left + width for left, width in drawn)) > 99.9, "room right of the bars")
for style in root.iter("style"):
    want(not re.search(r"url\(|@import|//", style.text or ""), "a style from elsewhere")
for wanted in sys.argv[2:]:
    is_in = wanted.removeprefix("no ") in text
    want(is_in != wanted.startswith("no "), f"{'in it' if is_in else 'not in it'}: {wanted}")
print(*(f"{path}: {what}" for what in wrong), sep="\n", end="\n" if wrong else "")
sys.exit(bool(wrong))
