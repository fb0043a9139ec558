#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/change.sh PROGRAM OPTIONS...      as in: docs/change.sh block_clock_opencl --threads 64
#
# Does the change matter? Runs the built program without the options (A) and with them (B), five processes each, by
# turns, and lays the medians of the processes side by side. The records stay in build/change/PROGRAM/.
set -eu
unset CDPATH
suite=$(realpath --relative-to=. "$(dirname "$(readlink -f "$0")")/..")
if [ $# -lt 1 ]; then
    echo "usage: docs/change.sh PROGRAM OPTIONS..., with a PROGRAM of build/programs.txt" >&2
    exit 2
fi
program=$(awk -F / -v name="$1" '$NF == name { sub(".* ", ""); print }' "$suite/build/programs.txt" 2>/dev/null) || :
program=$suite/build/$program
if [ ! -f "$program" ]; then
    echo "change.sh: no program '$1' in build/: ./tour.sh builds all that this machine can run" >&2
    exit 2
fi
change=$suite/build/change/$1
shift
rm -rf "$change" && mkdir -p "$change"
printf 'Ten processes, by turns '
for turn in 1 2 3 4 5; do
    for side in $(shuf -e A B); do # which one is first is drawn
        if [ "$side" = A ]; then
            "$program" --csv="$change/A$turn.csv" >/dev/null
        else
            "$program" "$@" --csv="$change/B$turn.csv" >/dev/null
        fi
        printf .
    done
done
echo
"$suite/docs/side_by_side.sh" "$change/A?.csv" "$change/B?.csv"
