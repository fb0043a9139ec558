#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""exercises.py EXERCISE: what simulator/check says of its answer and of edits of it, as exercises.txt has it. This
one process makes all tries; the command makes the first one. It reads no file that a learner changes: those to begin with
are asked by exercises.py begin, in .ci/run."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMMAND = HERE.parent / "check"
loader = importlib.machinery.SourceFileLoader("check", str(COMMAND))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
loader.exec_module(check)


def by_command(file):
    """Returns the exit code of check, and what it says."""
    done = subprocess.run([COMMAND, file], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def by_call(file):
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            return int(check.main([str(file)])), said.getvalue()
    except check.Problem as problem:
        return (problem.args[1:] or (1,))[0], problem.args[0]


def lost_headings(rules):
    """Returns a line for each place where a reader is sent, and where no heading is."""
    sent = re.findall(r"(0[1-6]_[a-z_]*/README\.md), ([^\n\"(]*)", COMMAND.read_text("utf-8") + rules.read_text("utf-8"))
    return [f"no heading: {page}, {heading}" for page, heading in sorted(set(sent))
            if f"\n## {heading}" not in (ROOT / page).read_text("utf-8")]


def tried(line, solution, file):
    """Makes of the line's edit the file, asks check, and returns what is wrong with its answer, or nothing."""
    kind, _, edit = line.partition(" ")
    edit, arrow, words = f" {edit}".rpartition(" -> ") if " -> " in f" {edit}" else (edit, "", "")
    words = words if arrow else f"right: {file.name}" if kind == "right" else "no words to look for"
    text = subprocess.run(["sed", edit], input=solution, capture_output=True, text=True, check=True).stdout
    if edit.strip() and text == solution:
        return f"{line}\n  the edit changes nothing\n"
    file.write_text(text, "utf-8")
    longest = re.search(r"still runs after (\d+) s", words)
    check.LONGEST_S = int(longest[1]) if longest else LONGEST_S
    code, answer = (by_call if edit.strip() else by_command)(file)
    return "" if code == (kind != "right") and words in answer else f"{line}\n  check ends with {code}:\n{answer}\n"


def begun():
    """Asks check of each file to begin with."""
    wrong = 0
    for name, words in re.findall(r"^\[(\w+)\]\nbegin -> (.*)$", TRIES, re.M):
        file = next(file for file in ROOT.glob(f"0*/exercise/{name}.c*"))
        code, answer = by_command(file)
        if code != 1 or words not in answer:
            wrong += 1
            print(f"{file.relative_to(ROOT)}: check ends with {code}, and does not say {words!r}:\n{answer}")
    return bool(wrong)


def main(name):
    answer = next(ROOT.glob(f"0*/exercise/solution/{name}.c*"), None)
    if not answer:
        sys.exit(f"exercises.py: there is no answer of an exercise {name}")
    library = pathlib.Path(os.environ.get("SIMULATED_LIBRARIES", ROOT / "build")) / "libsimulated_opencl.a"
    solution = answer.read_text("utf-8")
    if "CL/cl.h" in solution and not library.exists():
        print("skipped: the headers of OpenCL are missing")
        sys.exit(77)
    wrong = lost_headings(answer.parents[1] / "rules.txt")
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / f"my own{answer.suffix}"
        wrong += [] if by_command(file)[0] == 2 else ["check does not end with 2 where there is no file"]
        for path, text in (file, solution.replace("Exercise: ", "")), (file.with_suffix(".txt"), solution):
            path.write_text(text, "utf-8")
            wrong += [] if by_command(path)[0] == 2 else [f"check does not end with 2: {path.name}"]
        tries = TRIES.partition(f"\n[{name}]\n")[2].split("\n\n")[0].splitlines()[1:]
        wrong += filter(None, (tried(line, solution, file) for line in tries))
    if min(sum(line.startswith(kind) for line in tries) for kind in ("right", "wrong")) < 3:
        wrong.append("not three right ones and three wrong ones")
    print(*wrong, f"{name}: {len(tries)} tries", sep="\n")
    return bool(wrong)


LONGEST_S = check.LONGEST_S
TRIES = (HERE / "exercises.txt").read_text("utf-8")
if __name__ == "__main__":
    sys.exit(__doc__ if len(sys.argv) != 2 else begun() if sys.argv[1] == "begin" else main(sys.argv[1]))
