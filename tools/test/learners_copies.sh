#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/test/learners_copies.sh CMAKE: readers leave copies and broken files in the folders of the chapters. In a copy of the
# suite nothing is then built or tested that was not before, and the first pages build and run.
# Red: a learner's own half-finished file breaks the build of everything.
set -eu
unset CDPATH
export LC_ALL=C
cd "$(dirname "$0")/../.."
cmake=$1
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
{ git ls-files 2>/dev/null | grep . || find . -name build -prune -o -type f -print; } |
    while read -r file; do [ ! -f "$file" ] || echo "$file"; done | tar cf - -T - | tar xf - -C "$copy"
cd "$copy"
for file in 0?_*/minimal.c* 0?_*/exercise/*.c*; do cp "$file" "${file%/*}/my_${file##*/}"; done
for folder in 0?_* 0?_*/exercise; do
    for ending in c cu cl h; do
        printf '%s\n' '#include "no_such.h"' 'static __global__ void vector_add(const float *a {' >"$folder/broken_by_me.$ending"
    done
done
"$cmake" -S . -B build -DWITH_CUDA=OFF >log 2>&1 || { cat log && exit 1; }
if grep -rE 'my_[a-z_]+\.cu?|broken_by_me' build; then
    echo "learners_copies.sh: a reader's file is in the build"
    exit 1
fi
pages=$("${cmake%cmake}ctest" --test-dir build -N | sed -n 's/.* \(0[a-z0-9_]*_minimal\)\.simulated$/simulated_\1/p')
[ "$pages" ] || { echo "learners_copies.sh: no page's test in build" && exit 1; }
# shellcheck disable=SC2086 # several words
"$cmake" --build build --target table_test $pages >log 2>&1 || { cat log && exit 1; }
"${cmake%cmake}ctest" --test-dir build -R '_minimal\.simulated$|^table_test' >log 2>&1 || { cat log && exit 1; }
grep 'tests passed' log
