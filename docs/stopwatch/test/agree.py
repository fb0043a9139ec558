#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the page's rules give what the C simulator gives, to the nanosecond? Usage: agree.py [COUNT [SEED]]
All examples of the page, and COUNT random programs (200)."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.realpath(__file__))
NODE = shutil.which("node") or shutil.which("nodejs")
ENVIRONMENT = {**os.environ, "SIMULATED_NOISE": "", "SIMULATED_TIMES": "h200,l2_kib=8", "SIMCC_CHECKS": "off"}


def environment(settings):
    return {**ENVIRONMENT, "SIMULATED_TIMES": f"{ENVIRONMENT['SIMULATED_TIMES']},queue_holds={settings.get('queue', 1024)}",
            "FAULT": f"clock_climbs:{settings['idle']}"}


def agrees(case, done):
    """Whether the numbers are the same, or both refuse."""
    said = [float(value) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]
            for value, unit in re.findall(r"(-?[\d.]+) (\w+)", done.stdout)]
    page = case["page"]
    if done.returncode:
        return isinstance(page, str), said
    # A float holds 24 bits, and what the host adds to its clock is a double.
    return not isinstance(page, str) and len(page) == len(said) and all(
        abs((a or 0) - b) <= max(0.6, abs(b) * 2e-7) for a, b in zip(page, said)), said


def main():
    if not NODE:
        print("node is missing: nodejs of Debian")
        return 77
    count, seed = (sys.argv[1:] + ["200", "7"][len(sys.argv) - 1:])[:2]
    bad = numbers = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([NODE, f"{HERE}/cases.js", count, seed, folder], check=True)
        def simcc(name):
            subprocess.run([sys.executable, f"{HERE}/../../../simulator/simcc", f"{folder}/{name}.cu", "-o", f"{folder}/{name}"], check=True)

        simcc("cases")
        with open(f"{folder}/cases.json", encoding="utf-8") as file:
            cases = json.load(file)
        with ThreadPoolExecutor(2) as pool:
            answers = pool.map(lambda i: subprocess.run([f"{folder}/cases", str(i)], text=True, check=False, capture_output=True,
                                                        env=environment(cases[i]["settings"])), range(len(cases)))
            for case, done in zip(cases, answers):
                good, said = agrees(case, done)
                numbers += len(said) if good and not done.returncode else 0
                refused += bool(good and done.returncode)
                bad += not good
                if not good and bad <= int(os.environ.get("SHOW", "3")):
                    print(f"--- {case['name']} {case['settings']}\n{case['text']}\npage {case['page']}\nC    {said} {done.stderr[-300:]}")
        with open(f"{folder}/wholes.json", encoding="utf-8") as file:
            wholes = json.load(file)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(simcc, (each["name"] for each in wholes)))
        for each in wholes:
            done = subprocess.run([f"{folder}/{each['name']}"], env={**ENVIRONMENT, "SIMULATED_TIMES": "h200", "FAULT": f"clock_climbs:{each['idle']}"},
                                  text=True, check=False, capture_output=True)
            if done.returncode or abs(float(done.stdout.split()[0]) - each["us"]) > 0.001 + 0.03 * (each["idle"] < 100):
                print(f"the whole program of {each['name']}: {done.stdout} {done.stderr}, and not {each['us']} us")
                bad += 1
    print(f"{len(cases) - min(bad, len(cases))} of {len(cases)} programs agree: {numbers} numbers, and {refused} refused by both")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
