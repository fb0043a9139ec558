#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the Python tools must say of small things whose answer is known."""
import contextlib
import io
import pathlib
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(DOCS / "tools"), str(DOCS / "lab")]
import accuracy  # noqa: E402
import compare_trials  # noqa: E402
import compared  # noqa: E402
import record  # noqa: E402
import stale  # noqa: E402
import type_commands  # noqa: E402


def error_of(rows):
    try:
        record.Record("a record", "method,median_us\n" + rows)
    except record.RecordError as error:
        return str(error)
    return None


def older(folder, columns):
    """What stale.py finds in a record with two columns, when the program prints these."""
    path = folder / "docs/results/machine/program.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("method,median_us\n")
    stale.ROOT = folder
    return stale.older("machine/program", {columns}, [])


def failed(folder, words, code):
    """How many commands of a text fail, which has a first page that says these words and ends with this code. What it
    types after that is well, and goes on in a second line."""
    (folder / "minimal").write_text(f"#!/bin/sh\necho '{words}' >&2\nexit {code}\n")
    (folder / "minimal").chmod(0o755)
    (folder / "README.md").write_text("Type `./minimal`.\n\n```sh\n./minimal\ntest one = \\\n    one\n```\n")
    return type_commands.type_in((folder, [folder / "README.md"]))[1]


def of_processes(folder, *texts):
    """What side_by_side.sh says of a program's processes, A and B alike: their rows' keys and times."""
    for i, text in enumerate(texts):
        (folder / f"{i}.csv").write_text(f"# program,any 1.0.0\nblock,us,disturbed\n{text}")
    pattern = str(folder / "?.csv")
    try:
        return len(compared.of_records([pattern, pattern]))
    except record.RecordError as error:
        return str(error).replace(str(folder), "")


def trials(percents):
    """What compare_trials.py prints of a pool with these differences: how many processes, and the last columns."""
    rows = "".join(f"sum,2,{percent},0.5,2\n" for percent in percents)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        compare_trials.print_rows(record.Record("pool", "# device,a GPU\n# date,today\n# seconds,1\nkernel,more_per_mille,"
                                                        "difference_percent,least_percent,median_a_us\n" + rows))
    words = said.getvalue().splitlines()[-1].split(",")
    return words[5], words[10:]


def accuracies():
    """What accuracy.py makes of seven processes' rows: a spin whose code takes 10 us; an empty kernel in do_bench 2.5."""
    said = {("suite", 13, 10), ("event_net", 12, 10), ("code_minus_empty", 10.6, 10), ("row_slope", 11.8, 10),
            ("do_bench", 13.3, 10), ("torch_profiler", 20.5, 20), ("alone", 0, 10), ("ncu", 12.1, 10.2)}
    rows = {(method, "spin_2us", 8): {p: (us + p / 100, code_us, 11.79) for p in range(7)} for method, us, code_us in said}
    rows["do_bench", "empty", 1] = {p: (2.5, 0, 0) for p in range(7)}
    return {row[0]: [round(x, 3) for x in row[5:] if x != ""] for row in accuracy.rows_of(rows) if row[0] != "ncu"}


def watched():
    """What accuracy.py makes of Nsight Compute's log of two kernels, of 6 and 1,004 us but for one launch."""
    log = ['==PROF== a note\n', '"ID","Metric Value"\n', '"0","60,000"\n'] + 30 * ['"1","6,000"\n'] + 31 * ['"2","1,004,000"\n']
    return accuracy.nsight_compute(log, [("ncu", "a", 1, 0, 5, 7), ("ncu", "b", 2, 0, 8, 9)])


with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()), \
        contextlib.redirect_stderr(io.StringIO()):
    scratch = pathlib.Path(name)
    compare_trials.random.choices = lambda pool, k: pool[:k]
    CASES = [
        ("a whole row", error_of("a,1\n"), None),
        ("a cell is missing", error_of("a\n"), "a record, line 2: 1 cells, 2 columns"),
        ("a cell too many", error_of("a,1,2\n"), "a record, line 2: 3 cells, 2 columns"),
        ("the columns of today", older(scratch, "method,median_us"), None),
        ("a column more", older(scratch, "method,median_us,disturbed"), "method,median_us"),
        ("a column with a longer name", older(scratch, "a_method,median_us"), "method,median_us"),
        ("no driver", failed(scratch, "driver", 1), 0),
        ("no device", failed(scratch, "none", 77), 0),
        ("another error", failed(scratch, "wrong", 1), 1),
        ("a driver's crash", failed(scratch, "driver", 139), 1),
        ("a row of trials", trials([-1, 2, 3, 4, 5, 6, 7, 8, 9]), ("9", ["100.0", "100.0", "0.0", "0.0"])),
        ("what came of it", accuracies(), {
            "event_net": [0.1, 0.1, 0.1], "row_slope": [0.04, 0.01, 0.07], "while_profiled": [20, 20, 20, 2],
            "suite": [0.63, 0.6, 0.66, 3.03], "do_bench": [0.83, 0.8, 0.86, 3.33]}),
        ("a log of Nsight Compute", watched(), [("ncu", "a", 1, 6, 5, 7), ("ncu", "b", 2, 1004, 8, 9)]),
        ("processes of the same rows", of_processes(scratch, "1,5,0\n2,6,0\n", "1,6,0\n2,5,0\n"), 1),
        ("of other rows", of_processes(scratch, "1,5,0\n2,6,0\n", "2,5,0\n1,6,0\n"),
         "/0.csv: each process has other rows, so there is nothing to pair"),
        ("the rank of 5", compare_trials.rank(5), 0),
        ("the rank of 9", compare_trials.rank(9), 2),
        ("an interval", compare_trials.draw([(percent, 0.5) for percent in range(1, 10)]), (2, 8, False)),
        ("a coarse clock's", compare_trials.draw([(percent, 3.5) for percent in range(1, 10)]), (1.5, 8.5, False)),
        ("but on its side of 0", compare_trials.draw([(percent, 7) for percent in range(1, 10)]), (1e-9, 12, True)),
        ("a tiny one has no side", [round(x, 3) for x in compare_trials.draw([(0.04, 0)] * 9)], [-0.01, 0.09, 0]),
        ("below a tenth of a step", compare_trials.draw([(0.5, 6)] * 9), (-5.5, 6.5, True)),
    ]
wrong = [f"{what}: {found}, not {expected}" for what, found, expected in CASES if found != expected]
sys.exit("\n".join(wrong) or None)
