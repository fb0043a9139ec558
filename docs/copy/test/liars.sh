#!/bin/sh
# SPDX-License-Identifier: MIT
#
# liars.sh PROGRAM [ARGUMENT...]: recipe or compare with liars.cu or liars.c in place of its own part, on this machine.
# Prints what it says of each launch. The honest ones must not be refused, the others must be.
export LC_ALL=C
names=$(LIE=all "$@" 2>&1 >/dev/null)
code=$?
[ "$code" = 2 ] || exit "$code"
bad=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT
for lie in ${names#*:}; do
    said=$(LIE=$lie "$@" 2>&1 >"$output")
    code=$?
    case $lie,$code,$said in
    none_*,0,*) said=accepted ;;
    none_*,77,*) echo "$said" && exit 77 ;; # no device
    none_*,1,*"too short"*) said="no verdict: $said" ;; # a device that others use, too
    none_*) bad=1 ;;
    last_event,0,* | half_event,0,* | marker,0,*) # known by the host's wait, which says nothing on a busy machine
        said="not refused: $(grep -i '^disturbed' "$output")"
        ;;
    *,1,?*) ;;
    *) bad=1 said="$said (exit $code)" ;;
    esac
    printf '%-18s %s\n' "$lie" "$said"
done
exit "$bad"
