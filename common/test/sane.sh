#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sane.sh RULES PROGRAM OPTIONS...: runs PROGRAM on this machine and asks of its table, or of what a first page prints,
# only what holds on any machine under any load: sane.awk, and what its folder's RULES say below "# ---- program ----".
# (Whether the program is right, the simulated devices say.) A program that ends with "disturbed" is run again. Disturbed
# three times it is no success: so ends each run if the blocker does not hold at all. 77 skips the test, or fails it with
# REQUIRE_DEVICES.
# Red: on this machine a program fails, or prints a number that no machine can give.
export LC_ALL=C # sort, ls and numbers as the tests know them
here=$(cd "${0%/*}" && pwd)
# shellcheck disable=SC1091
. "$here/clean.sh"
rules=$1
shift
name=${1##*/} plain=''
case $name in *_minimal*) name=${name%%_*}_${name#*_*_} plain=1 ;; esac # 06_minimal, of either API
grep -q "^# ---- $name ----" "$rules" || name=${name%_opencl}
awk -v of="# ---- $name ----" '/^# ---- /{ on = $0 == of; next }
    on && !/^#/ && NF { found = 1 } on; END { exit !found }' "$rules" >"$TMPDIR/rules.awk" || {
    echo "sane.sh: no rules for $name in $rules" >&2
    exit 1
}
now_ms() { date +%s%N | sed -n 's/^\([0-9]\{13\}\)[0-9]\{6\}$/\1/p'; } # nothing without GNU's %N
for attempt in 1 2 3; do
    from=$(now_ms)
    "$@" >"$TMPDIR/record" 2>"$TMPDIR/errors"
    code=$? to=$(now_ms)
    sed "s/^/run $attempt: /" "$TMPDIR/errors" >&2
    if [ "$code" = 1 ] && grep -q ': disturbed: ' "$TMPDIR/errors"; then
        code=77
    else
        break
    fi
done
[ "$code" = 0 ] || exit "$code"
echo 'END { exit broken }' >>"$TMPDIR/rules.awk" # behind all that END asks
whole_ms=${from:+$((to - from + 1))}
awk -v plain=$plain -v whole_ms="$whole_ms" -f "$here/sane.awk" -f "$TMPDIR/rules.awk" "$TMPDIR/record"
