#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the Python tools must say of small things whose answer is known."""
import contextlib
import io
import pathlib
import sys
import tempfile
import types

DOCS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(DOCS / "tools"), str(DOCS / "lab")]
import compare_tools  # noqa: E402
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


def processes(folder):
    """The numbers of a record's processes: the last one was number 4 when compare_tools.py went on."""
    out, rows = folder / "tools.csv", [("method", "kernel", 1, "yes", 1.0, 1.0, "", 8, 1.0)]
    out.write_text(",".join(compare_tools.COLUMNS) + "\ntool,1,4" + 9 * "," + "\n")
    compare_tools.versions = lambda: ({"many_tools": "1"}, {})
    compare_tools.start = compare_tools.end_of = lambda *_: None
    compare_tools.finish = lambda *_: [rows.pop()] if rows else []
    compare_tools.measure(out, 60)
    return [row["process"] for row in record.read(out).rows]


def of_processes(folder, *texts):
    """What side_by_side.sh says of a program's processes, A and B alike: their rows' keys and times."""
    for i, text in enumerate(texts):
        (folder / f"{i}.csv").write_text(f"# program,any 1.0.0\nblock,us,disturbed\n{text}")
    pattern = str(folder / "?.csv")
    try:
        return len(compared.of_records([pattern, pattern]))
    except record.RecordError as error:
        return str(error).replace(str(folder), "")


def collected(folder):
    """The kernels of the processes that compare_trials.py starts in four seconds, each of which takes one."""
    seconds = iter(range(100))
    compare_trials.time = types.SimpleNamespace(monotonic=lambda: next(seconds))
    compare_trials.measure = lambda program, case, seconds: ("a GPU", dict(zip(compare_trials.COLUMNS, case.split(":"))))
    compare_trials.collect(types.SimpleNamespace(cases=["a:0", "b:2"], time=4, opencl=False, seconds="0.25"), "program",
                           folder / "pool.csv")
    return [row["kernel"] + row["more_per_mille"] for row in record.read(folder / "pool.csv").rows]


def trials(percents):
    """What compare_trials.py prints of a pool with these differences: how many are above 0, and the last columns."""
    rows = "".join(f"sum,2,{percent},0.5,1,2\n" for percent in percents)
    pool = record.Record("pool", "# date,today\nkernel,more_per_mille,difference_percent,least_percent,took_s,"
                                 "median_a_us\n" + rows)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        compare_trials.print_table("a GPU", [pool])
    words = said.getvalue().splitlines()[-1].split()
    return words[7], words[9:]


def watched(folder):
    """What nsight_compute() makes of a log, in which each kernel has 11 launches of two kernels each: 6 and 4 us, but one
    of 60 and 40; on the SMs for half of the time."""
    lines = ['"ID","Kernel Name","Metric Name","Metric Value"']
    for launch in range(compare_tools.WATCHED + 1):
        for us in (6, 4) if launch < compare_tools.WATCHED else (1,):
            us *= 10 if launch == 3 else 1
            name = "part(int)" if launch < compare_tools.WATCHED else "block_stream(gate *)"
            lines += [f'"{len(lines)}","{name}","{metric}","{value:,}"' for metric, value in (
                ("gpu__time_duration.sum", 1000 * us), ("sm__cycles_active.max", 500 * us),
                ("sm__cycles_elapsed.max", 1000 * us))]
    numbered = {line.split(",")[0]: i // 3 for i, line in enumerate(lines[1:])}  # the three of a launch have one ID
    lines[1:] = [f'"{numbered[line.split(",")[0]]}",' + line.split(",", 1)[1] for line in lines[1:]]
    (folder / "log").write_text("==PROF== a note\n" + "\n".join(lines) + "\n")
    rows = [("duration", "mm", 0, "no", "", 9.5, "", "", ""), ("beside: floor", "mm", 0, "no", 1.25, "", "", "", 1.25)]
    return [(method, us, code_us, round(mean_us, 3)) for method, _, _, _, us, code_us, _, _, mean_us in
            compare_tools.nsight_compute(folder / "log", rows)]


def row_of(samples):
    kernel = types.SimpleNamespace(name="sum", blocks=8, times=None, stamps=lambda: ("code", "row", "at once"))
    return compare_tools.row(kernel, "method", samples)


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
        ("each case in its turn", collected(scratch), ["a0", "b2", "a0"]),
        ("a table of trials", trials([-1, 2, 3, 4, 5, 6, 7, 8, 9]), ("8", ["100.0", "100.0", "0.0", "0.0"])),
        ("a log of Nsight Compute", watched(scratch),
         [("duration", 10, 9.5, round(200 / 11, 3)), ("SM active", 5, 9.5, round(100 / 11, 3)),
          ("beside: floor", 1.25, "", 1.25)]),
        ("a row of samples", row_of([1, 2, 9]), ("method", "sum", 8, "no", 2, "code", "row", "at once", 4)),
        ("without samples", row_of([]), ("method", "sum", 8, "no", "", "code", "row", "at once", "")),
        ("going on with a record", processes(scratch), ["4", "5"]),
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
