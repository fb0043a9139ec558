#!/bin/sh
# SPDX-License-Identifier: MIT
#
# exercises.sh EXERCISE: what docs/simulator/check says of it, as exercises.txt has it.
here=$(cd "${0%/*}" && pwd)
root=$here/../../.. bad=0 tries=0
begin=$(ls "$root"/0*/exercise/"$1".c* 2>/dev/null)
[ -f "$begin" ] || {
    echo "exercises.sh: there is no exercise $1" >&2
    exit 2
}
if grep -q CL/cl.h "$begin" && [ ! -f "${SIMULATED_LIBRARIES:-$root/build}/libsimulated_opencl.a" ]; then
    echo "skipped: the headers of OpenCL are missing"
    exit 77
fi
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
name=${begin##*/}
"$here/../check" "$scratch/$name" 2>/dev/null
[ $? = 2 ] || bad=1 # there is no such file

# Where the reader is sent, there is a heading.
grep -ho '0[1-6]_[a-z_]*/README\.md, [^"(]*' "$here/../check" "${begin%/*}/rules.txt" | sort -u >"$scratch/pointers"
while IFS= read -r at; do
    if ! grep -q "^## ${at#*, }" "$root/${at%%,*}"; then
        bad=1
        echo "no heading: $at"
    fi
done <"$scratch/pointers"

patch -s -o "$scratch/solution" "$begin" "${begin%/*}/solution/$1.diff" || exit 1
sed -n "/^\[$1]/,/^\$/p" "$here/exercises.txt" | sed '1d; /^$/d' >"$scratch/list"
while IFS= read -r line; do
    kind=${line%% *} edit=${line#"$kind"} words=''
    case $edit in *' -> '*) words=${edit##* -> } edit=${edit% -> *} ;; esac
    case $kind in
    begin) cp "$begin" "$scratch/$name" ;;
    right) words="right: $name" ;;
    esac
    [ "$kind" = begin ] || sed "$edit" "$scratch/solution" >"$scratch/$name"
    if [ -n "$edit" ] && cmp -s "$scratch/solution" "$scratch/$name"; then
        answer="the edit changes nothing" code=2
    else
        answer=$("$here/../check" "$scratch/$name" 2>&1)
        code=$?
    fi
    [ "$kind" = right ] && wanted=0 || wanted=1
    case $code$answer in
    $wanted*"${words:-no words to look for}"*) tries=$((tries + 1)) ;;
    *)
        bad=1
        printf '%s\n  check ends with %s:\n%s\n' "$line" "$code" "$answer"
        ;;
    esac
done <"$scratch/list"
echo "$1: $tries tries"
[ "$tries" -ge 7 ] || bad=1 # the file to begin with, three right ones, three wrong ones
exit $bad
