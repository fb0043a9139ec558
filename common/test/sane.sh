#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sane.sh RULES PROGRAM OPTIONS...: runs PROGRAM on this machine and asks of its CSV only what holds
# on any machine under any load: sane.awk, and the chapter's RULES; where there is no name_opencl.awk,
# those of name.awk. (Whether the program is right, the
# simulated devices say.) A program may find that it was disturbed and say so.
rules=$1
[ -e "$rules" ] || rules=${1%_opencl.awk}.awk
shift
output=$(mktemp) || exit 1
trap 'rm -f "$output" "$output.errors"' EXIT
"$@" --csv >"$output" 2>"$output.errors"
code=$?
cat "$output.errors" >&2
if [ "$code" = 1 ] && grep -q ': disturbed: ' "$output.errors"; then
    exit 0
fi
[ "$code" = 0 ] || exit "$code"
awk -F, -f "${0%.sh}.awk" -f "$rules" "$output"
