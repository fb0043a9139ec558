#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The GPU timing suite's contributors
#
# nightly.sh PERCENT HISTORY.csv COMPARE...: several compares, each with its own kernels, as one gate. A COMPARE may
# have arguments: './compare_sum 1 --device 1'. The intervals hold together: if each were slower by just PERCENT, at most one night in forty would be red by chance.
# Ends with 0: none is slower than its A by PERCENT; 3: one is; 5: one was not measured; 4: one is not decided.
if [ $# -lt 3 ]; then
    echo "usage: nightly.sh PERCENT HISTORY.csv COMPARE..." >&2
    exit 2
fi
percent=$1 history=$2 slower=0 missing=0 undecided=0
shift 2
for compare; do
    # shellcheck disable=SC2086 # a program and its arguments
    said=$($compare --gate "$percent" --among $# --csv="$history")
    case "$?,$said" in
    "0,gate "*": not slower"*) ;; # a program that says nothing has measured nothing
    3,*) slower=$((slower + 1)) ;;
    4,*) undecided=$((undecided + 1)) ;;
    *) missing=$((missing + 1)) said=${said:-"not measured"} ;;
    esac
    printf '%s: %s\n' "$compare" "$said"
done
echo "$# gates: $slower slower, $undecided undecided, $missing missing. Red by chance: at most 0.75 nights a month."
[ "$slower" = 0 ] || exit 3
[ "$missing" = 0 ] || exit 5
[ "$undecided" = 0 ] || exit 4
