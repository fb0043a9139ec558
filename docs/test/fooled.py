#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fooled.py without a GPU: its plan, its processes and its matrix, with harnesses that this file makes up."""
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lab"))
import fooled  # noqa: E402

dry = subprocess.run([sys.executable, fooled.__file__, "none.csv", "--dry-run"], capture_output=True, text=True,
                     check=True).stdout.splitlines()
lies, harnesses, other = len(fooled.LIES), len(fooled.HARNESSES), len(fooled.OTHER)
assert len(dry) == (1 + lies) * (1 + harnesses) + other * harnesses == 185, len(dry)
assert sum("recipe --cold" in line for line in dry) == 2 and dry[0].startswith("LIE=honest ")

for path in (fooled.ROOT / "docs/results").glob("*/fooled.csv"):  # the matrix beside a record is the record's
    with contextlib.redirect_stdout(io.StringIO()) as table:
        fooled.print_table(path)
    assert table.getvalue() == path.with_suffix(".txt").read_text(), path

# A log's line that says what went wrong, not the advice behind it, nor a note before it.
assert fooled.reason("  torch.AcceleratorError: CUDA error: x\nCompile with Y").endswith("Error: CUDA error: x")
assert fooled.reason("==WARNING== No kernels\n==WARNING== Note: clocks\n==PROF== bye") == "==WARNING== No kernels"
assert fooled.reason("a.cu:1: error 1\n\n") == "a.cu:1: error 1" and fooled.reason("") == ""

# A launch may be several kernels; a profiler has seen the launches that warm up, too. What the other harnesses print.
assert fooled.of_records([5.0] * 12) == 5 and fooled.of_records([5.0, 1.0] * 12) == 6
with tempfile.TemporaryDirectory() as folder:
    events = [{"cat": "kernel", "ts": ts, "dur": 99 if ts < 10 else 5} for ts in range(22)]
    sys.modules["torch"] = torch = mock.MagicMock()
    torch.profiler.profile.return_value.__enter__.return_value.export_chrome_trace = lambda name: pathlib.Path(
        name).write_text(json.dumps({"traceEvents": events[::-1]}))
    assert fooled.cupti(mock.MagicMock(), None) == 5
    del sys.modules["torch"]
    cell = pathlib.Path(folder, "cell")
    cell.with_suffix(".out").write_text("its code:      6.91 us: the median\n"
                                        "# verdict,longer\n# median_a_us,64.5\n# median_b_us,65.25\n")
    cell.with_suffix(".log").write_text('==PROF== bye\n"ID","Metric Value"\n"0","9,500"\n' + 11 * '"1","10,500"\n')
    cell.write_text("12.5")
    assert fooled.reported("recipe", str(cell)) == (6.91, "")
    assert fooled.reported("compare", str(cell)) == (65.25, "longer; A: 64.5 us")
    assert abs(fooled.reported("ncu", str(cell))[0] - (9.5 + 11 * 10.5) / 12) < 1e-9
    assert fooled.reported("host", str(cell)) == (12.5, "")

# The truth is 65 us. `host` adds 5 us; it believes that half of the work takes 35 us, and waits for a flag for ever. To
# `small` it gives 20 us, and to its honest launch as well. `events` says why it ends, and believes that `small` takes
# 20 us, but the honest launch 65 us. `cupyx` does not even take the honest launch.
SAYS = {("host", "honest"): 70, ("host", "memo"): 70.9, ("host", "small"): 20, ("host", "honest_small"): 22,
        ("events", "small"): 20, ("host", "half"): 35, ("host", "flag"): "hangs",
        ("events", "half"): "is wrong", ("events", "honest"): 65, ("cupyx", "honest"): "has no GPU"}
SCRIPT = """
import pathlib, sys, time
turn, (path, says) = sys.stdin.readline(), sys.argv[1:]
if says != "has no GPU":
    pathlib.Path(path + ".ready").touch()
if says == "hangs":
    time.sleep(60)
if not says.replace(".", "").isdigit():
    sys.exit("a line\\n" + says)
pathlib.Path(path).write_text(says)
"""
started = []


def begin(lie, harness, path):
    started.append((lie, harness))
    says = 65 if harness == "truth" else SAYS.get((harness, lie), 65)
    with open(path + ".err", "w") as err:
        return subprocess.Popen([sys.executable, "-c", SCRIPT, path, str(says)], text=True, stdin=subprocess.PIPE,
                                stderr=err, start_new_session=True)


fooled.LIES, fooled.TIMEOUT_S = ["memo", "half", "flag", "small"], 1
with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as words:
    out = folder + "/fooled.csv"

    def measure(seconds):
        fooled.measure(out, seconds, {"host": "", "events": "", "cupyx": "cupy 1"}, {"ncu": "no such program"},
                       {"program": "fooled.py", "device": "a GPU", "driver": "1", "toolkit": "2", "date": "3"}, begin)
    measure(0)
    assert "23 cells are left" in words.getvalue() and not fooled.read(out).rows
    measure(60)
    record = fooled.read(out)
    started.clear()
    measure(60)
    assert started[0] == ("honest", "cupyx") and fooled.read(out).rows == record.rows, "again what it has"
    assert record.meta["left_out_ncu"] == "no such program" and record.meta["versions"] == "cupy 1"
    assert record.meta["left_out_cupyx"] == "has no GPU" and len(record.rows) == 17
    assert record.find(lie="flag", harness="host")["message"] == "did not end within 1 s"
    assert fooled.verdicts(record.rows) == {
        ("memo", "host"): "70.9", ("half", "host"): "(35.0)", ("flag", "host"): "noticed",
        ("memo", "events"): "65.0", ("half", "events"): "noticed", ("flag", "events"): "65.0",
        ("small", "host"): "[20.0]", ("small", "events"): "(20.0)"}
    assert fooled.verdicts([r for r in record.rows if r["lie"] != "honest_small"])["small", "host"] == "(20.0)"
    with contextlib.redirect_stdout(io.StringIO()) as table:
        fooled.print_table(out)
    assert "half       65.0   (35.0)  noticed\n" in table.getvalue(), table.getvalue()
