#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_page.py PAGE [TEXT ...]: is a page of docs/report.py whole, and does it hold each TEXT?

Well-formed; a language, a title, one h1, no level of headings left out; every id once, every link within
the page leads somewhere; nothing from another host, no script; words for each picture; a box that scrolls
is a named region that the keyboard reaches.
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
    root = ET.fromstring(path.read_text())
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
want(len(regions) == len(set(regions)) and all(regions), "two regions of one name, or one without")
for e in elements:
    want(e.tag not in ("script", "link", "iframe", "object"), f"<{e.tag}>")
    want(e.tag != "img" or e.get("alt"), "a picture without words")
    want(e.tag != "table" or e.find("caption") is not None, "a table without a caption")
    want(e.get("class") != "box" or (e.get("tabindex") == "0" and e.get("role") == "region"), "a mute box")
    want(not e.get("src") or e.get("src").startswith("data:"), f"src {e.get('src')}")
    link = e.get("href", "")
    want(not re.match(r"\w+:|//", link), f"a link to another host: {link}")
    want(not link.startswith("#") or link[1:] in ids, f"no {link}")
for style in root.iter("style"):
    want(not re.search(r"url\(|@import|//", style.text or ""), "a style from elsewhere")
for wanted in sys.argv[2:]:
    want(wanted in text, f"not in it: {wanted}")
print(*(f"{path}: {what}" for what in wrong), sep="\n", end="\n" if wrong else "")
sys.exit(bool(wrong))
