#!/bin/sh
# SPDX-License-Identifier: MIT
#
# adapted.sh: does compare do with a library (cuBLAS) and with a PyTorch function what docs/compare.md says? To be run by
# hand on a machine with an NVIDIA GPU, nvcc and PyTorch, in under a minute. Prints ok, or what failed, and ends with 1.
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# In both, B is the faster one: `shorter NAME` wants that verdict in $scratch/record.
shorter() {
    if grep -q '^# verdict,shorter' "$scratch/record" 2>/dev/null; then
        echo "$1: ok"
    else
        echo "$1: failed"
        cat "$scratch/said"
        failed=1
    fi
    rm -f "$scratch/record"
}

nvcc -O2 -arch=native -DCOMPARED='"compare_cublas.cu"' compare.cu -o "$scratch/compare" -lcublas >"$scratch/said" 2>&1 &&
    "$scratch/compare" 0.25 --processes 6 --csv="$scratch/record" >"$scratch/said" 2>&1
shorter cuBLAS

{
    python3 torch_pairs.py >"$scratch/pairs" &&
        "$scratch/compare" - 0.1 --csv="$scratch/record" <"$scratch/pairs"
} >"$scratch/said" 2>&1
shorter PyTorch
exit $failed
