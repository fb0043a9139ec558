#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sane.sh RULES PROGRAM OPTIONS...: runs PROGRAM on this machine and asks of its record only what holds on any machine
# under any load: sane.awk, and what its folder's RULES say below the line "# ---- program ----". (Whether the program is
# right, the simulated devices say.) A program that ends with "disturbed" is run again. Disturbed three times it is no
# success: so ends each run if the blocker does not hold at all. 77 skips the test, or fails it with REQUIRE_DEVICES.
export LC_ALL=C # sort, ls and numbers as the tests know them
here=$(cd "${0%/*}" && pwd)
# shellcheck disable=SC1091
. "$here/clean.sh"
rules=$1
shift
name=${1##*/}
grep -q "^# ---- $name ----" "$rules" || name=${name%_opencl}
awk -v of="# ---- $name ----" '/^# ---- /{ on = $0 == of; next }
    on && !/^#/ && NF { found = 1 } on; END { exit !found }' "$rules" >"$TMPDIR/rules.awk" || {
    echo "sane.sh: no rules for $name in $rules" >&2
    exit 1
}
for attempt in 1 2 3; do
    "$@" --csv >"$TMPDIR/record" 2>"$TMPDIR/errors"
    code=$?
    sed "s/^/run $attempt: /" "$TMPDIR/errors" >&2
    if [ "$code" = 1 ] && grep -q ': disturbed: ' "$TMPDIR/errors"; then
        code=77
    else
        break
    fi
done
[ "$code" = 0 ] || exit "$code"
echo 'END { exit broken }' >>"$TMPDIR/rules.awk" # behind all that END asks
awk -F, -f "$here/sane.awk" -f "$TMPDIR/rules.awk" "$TMPDIR/record"
