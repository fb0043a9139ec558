#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fooled.py without a GPU: its plan, its processes and its matrix, with harnesses that this file makes up."""
import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lab"))
import fooled  # noqa: E402

dry = subprocess.run([sys.executable, fooled.__file__, "none.csv", "--dry-run"], capture_output=True, text=True,
                     check=True).stdout.splitlines()
assert len(dry) == (1 + len(fooled.LIES)) * (1 + len(fooled.HARNESSES)) == 140, len(dry)
assert sum("recipe --cold" in line for line in dry) == 1 and dry[0].startswith("LIE=honest ")

# The truth is 65 us. `host` adds 5 us; it believes that half of the work takes 35 us, and waits for a flag for ever.
# `events` says why it ends. `cupyx` does not even take the honest launch.
SAYS = {("host", "honest"): 70, ("host", "memo"): 70.9, ("host", "half"): 35, ("host", "flag"): "hangs",
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


fooled.LIES, fooled.TIMEOUT_S = ["memo", "half", "flag"], 1
with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as words:
    out = folder + "/fooled.csv"

    def measure(seconds):
        fooled.measure(out, seconds, {"host": "", "events": "", "cupyx": "cupy 1"}, {"ncu": "no such program"},
                       {"program": "fooled.py"}, begin)
    measure(0)
    assert "16 cells are left" in words.getvalue() and not fooled.read(out).rows
    measure(60)
    record = fooled.read(out)
    started.clear()
    measure(60)
    assert started[0] == ("honest", "cupyx") and fooled.read(out).rows == record.rows, "again what it has"
    assert record.meta["left_out_ncu"] == "no such program" and record.meta["versions"] == "cupy 1"
    assert record.meta["left_out_cupyx"] == "has no GPU" and len(record.rows) == 12
    assert record.find(lie="flag", harness="host")["message"] == "did not end within 1 s"
    assert fooled.verdicts(record.rows) == {
        ("memo", "host"): "70.9", ("half", "host"): "(35.0)", ("flag", "host"): "noticed",
        ("memo", "events"): "65.0", ("half", "events"): "noticed", ("flag", "events"): "65.0"}
    with contextlib.redirect_stdout(io.StringIO()) as table:
        fooled.print_table(out)
    assert "half      65.0   (35.0)  noticed\n" in table.getvalue(), table.getvalue()
