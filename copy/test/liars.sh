#!/bin/sh
# SPDX-License-Identifier: MIT
#
# liars.sh AT_ONCE VARIABLE PROGRAM [ARGUMENT...]: recipe or compare with parts.cu or liars.c, on this machine; VARIABLE
# of the environment says which launch, and so many are tried beside each other. Prints what the program says of each.
# The honest ones must not be refused, the others must be.
export LC_ALL=C
at_once=$1 variable=$2
shift 2
if [ "$at_once" != 0 ]; then
    said=$(env "$variable=none" "$@" 2>&1 >/dev/null)
    code=$?
    [ "$code" = 2 ] || { echo "$said" && exit "$code"; } # 77: no device
    names=$(echo "$said" | sed 1d)
    for each in $names; do echo "$each"; done | xargs -P "$at_once" -I {} env "$variable={}" sh "$0" 0 "$variable" "$@"
    exit
fi
eval "name=\$$variable"
output=$(mktemp)
trap 'rm -f "$output"' EXIT
said=$("$@" 2>&1 >"$output")
code=$?
bad=0
# shellcheck disable=SC2154 # eval has set it
case $name,$code,$said in
plain,[04],* | two_kernels,[04],* | fork_and_join,[04],* | atomic_sum,[04],* | in_a_template,[04],* | graph,[04],* | none_*,[04],*) said=accepted ;;
plain,* | two_kernels,* | fork_and_join,* | atomic_sum,* | in_a_template,* | graph,* | none_*) bad=1 ;;
last_event,[04],* | half_event,[04],* | marker,[04],*) said="not refused" ;; # known by the host's wait, long on a busy machine
*,1,?*) ;;
*) bad=1 said="$said (exit $code)" ;;
esac
printf '%-18s %s\n' "$name" "$said"
exit "$bad"
