#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tools/test/alone.sh [c|cu]: does each folder stand alone? Of each a copy in an empty place, with nothing but common/
# beside it: it builds by its own CMakeLists.txt, and each of its programs (those in C, or in CUDA) by the line in its head,
# without a warning; in C without -O2, with which the suite is built, too.
# Red: who copies a folder, or the line in a program's head, cannot build it.
set -euo pipefail
unset CDPATH
export LC_ALL=C
cd "$(dirname "$(readlink -f "$0")")/../.."
kind=${1-c}
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
rooms=(0?_* copy)

# built_alone ROOM
built_alone() {
    local line said source
    local copy="$copy/${1##*/}"
    mkdir -p "$copy/$1"
    cp -r common "$copy"
    (cd "$1" && { git ls-files . 2>/dev/null | grep . || find . -type f; } | tar cf - -T -) | tar xf - -C "$copy/$1"
    if [ "$kind" = c ]; then
        said=$(cmake -S "$copy/$1" -B "$copy/build/$1" -DWITH_CUDA=OFF -DCMAKE_BUILD_TYPE=Debug && # in little time
            cmake --build "$copy/build/$1" 2>&1)
        ! grep -i 'warning' <<<"$said" || { echo "$1: its CMakeLists.txt builds with warnings" && return 1; }
    fi
    for source in "$copy/$1"/*."$kind"; do
        [ -e "$source" ] || continue
        line=$(sed -n '/Build:/{s@^.*Build: *@@;s@ *\*/@@;p;q}' "$source")
        [ "$kind" = cu ] || line=${line/ -O2 / }
        [ "$line" ] || { echo "$1/${source##*/}: no line that builds it" && return 1; }
        said=$(cd "$copy/$1" && $line 2>&1) || { echo "$1/${source##*/}: $line: $said" && return 1; }
        [ -z "$said" ] || { echo "$1/${source##*/}: a warning: $said" && return 1; }
    done
    echo "$1: stands alone"
}
for room in "${rooms[@]}"; do
    built_alone "$room" &
done
failed=0
for job in $(jobs -p); do wait "$job" || failed=1; done

exit "$failed"
