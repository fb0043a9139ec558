#!/bin/sh
# SPDX-License-Identifier: MIT
#
# liars.sh AT_ONCE PROGRAM [ARGUMENT...]: recipe or compare with liars.cu or liars.c in place of its own part, on this
# machine; so many launches are tried beside each other. Prints what it says of each. The honest ones must not be
# refused, the others must be.
export LC_ALL=C
at_once=$1
shift
if [ "$at_once" != 0 ]; then
    names=$(LIE=all "$@" 2>&1 >/dev/null)
    code=$?
    [ "$code" = 2 ] || exit "$code"
    said=$(LIE=none_1 "$@" 2>&1 >/dev/null) || [ $? != 77 ] || { echo "$said" && exit 77; } # no device
    for lie in ${names#*:}; do echo "$lie"; done | xargs -P "$at_once" -I {} env LIE={} sh "$0" 0 "$@"
    exit
fi
output=$(mktemp)
trap 'rm -f "$output"' EXIT
said=$("$@" 2>&1 >"$output")
code=$?
bad=0
case $LIE,$code,${1##*/},$said in
none_*,0,*) said=accepted ;;
none_*,1,*"too short"*) said="no verdict: $said" ;; # a device that others use, too
none_*) bad=1 ;;
last_event,0,* | half_event,0,* | marker,0,*) # known by the host's wait, which says nothing on a busy machine
    said="not refused: $(grep -i '^disturbed' "$output")"
    ;;
*,1,*,?*) ;;
*) bad=1 said="$said (exit $code)" ;;
esac
printf '%-18s %s\n' "$LIE" "$said"
exit "$bad"
