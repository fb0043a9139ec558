#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""torch_pairs.py: times two PyTorch functions in pairs, for compare -. Microseconds of one call in a row of ROW."""
import random

import torch

x, one = torch.randn(1 << 22, device="cuda"), torch.ones((), device="cuda")
A, B, ROW = lambda: x.mul(2).add(1), lambda: torch.add(one, x, alpha=2), 100


def microseconds(function):
    torch.cuda._sleep(10_000_000)  # the blocker: some 5 ms, in which the host queues the row
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(ROW):
        function()
    stop.record()
    if start.query():
        raise SystemExit("the blocker was too short for the row")
    torch.cuda.synchronize()
    return start.elapsed_time(stop) * 1e3 / ROW


assert torch.allclose(A(), B())
for pair in range(60):  # the first ten are the warm-up
    order = random.sample((0, 1), 2)
    times = {which: microseconds((A, B)[which]) for which in order}
    if pair >= 10:
        print(f"{times[0]:.4f} {times[1]:.4f}")
print()  # the end of a process
