#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sane.sh RULES PROGRAM OPTIONS...: runs PROGRAM on this machine and asks of its record only what holds on any machine
# under any load: sane.awk, and the chapter's RULES; where there is no name_opencl.awk, those of name.awk. (Whether the
# program is right, the simulated devices say.) A program may find that it was disturbed and say so.
here=$(cd "${0%/*}" && pwd)
# shellcheck disable=SC1091
. "$here/clean.sh"
rules=$1
[ -e "$rules" ] || rules=${1%_opencl.awk}.awk
shift
"$@" --csv >"$TMPDIR/record" 2>"$TMPDIR/errors"
code=$?
cat "$TMPDIR/errors" >&2
if [ "$code" = 1 ] && grep -q ': disturbed: ' "$TMPDIR/errors"; then
    exit 0
fi
[ "$code" = 0 ] || exit "$code"
awk -F, -f "$here/sane.awk" -f "$rules" "$TMPDIR/record"
