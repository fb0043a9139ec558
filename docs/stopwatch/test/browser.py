#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Clicks through the page in headless Chromium, and compares what it shows with browser.txt (REFRESH=1 writes it).
Usage: browser.py, or browser.py picture FILE [WIDTH HEIGHT [#EXAMPLE]] for a picture of the page."""
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
CHROMIUM = next(filter(None, map(shutil.which, ("google-chrome", "chromium", "chromium-browser"))), None)


def chromium(folder, *options):
    command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--lang=en",
               f"--user-data-dir={folder}/profile", "--virtual-time-budget=60000", *options]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout


def main():
    if not CHROMIUM:
        print("chromium is missing")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1:2] == ["picture"]:
            name, width, height, example = (sys.argv[2:] + ["1200", "900", ""][len(sys.argv) - 3:])[:4]
            chromium(folder, f"--window-size={width},{height}", f"--screenshot={name}", f"file://{HERE}/../index.html{example}")
            return 0
        shutil.copytree(os.path.dirname(HERE), f"{folder}/docs/stopwatch", ignore=shutil.ignore_patterns("*.png"))
        with open(f"{folder}/docs/stopwatch/index.html", "a", encoding="utf-8") as file:
            file.write('<script src="test/browser.js"></script>\n')
        page = chromium(folder, "--window-size=1200,900", "--dump-dom", f"file://{folder}/docs/stopwatch/index.html")
    found = re.search(r'<pre id="shown">(.*?)</pre>', page, re.S)
    if not found:
        print("the page has stopped")
        return 1
    shown = html.unescape(found[1]).splitlines()
    if os.environ.get("REFRESH"):
        with open(f"{HERE}/browser.txt", "w", encoding="utf-8") as file:
            file.write("\n".join(shown) + "\n")
    with open(f"{HERE}/browser.txt", encoding="utf-8") as file:
        expected = file.read().splitlines()
    for line in shown:
        if line not in expected:
            print(f"not expected: {line}")
    return 0 if shown == expected else 1


if __name__ == "__main__":
    sys.exit(main())
