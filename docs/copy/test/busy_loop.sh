#!/bin/sh
# SPDX-License-Identifier: MIT
#
# busy_loop.sh FIT_TO_MEASURE: a process that computes is seen, beside a command and without one, or the program says that
# this cannot be seen here.
# shellcheck disable=SC1091
export LC_ALL=C # sort, ls and numbers as the tests know them
. "${0%/*}/../../../common/test/clean.sh"
(while :; do :; done) &
trap 'kill $!' EXIT
for said in "$("$1")" "$("$1" sleep 2 2>&1)"; do
    printf '%s\n' "$said"
    case $said in
    *"others_percent: not to be seen here"* | *"Disturbed: "*"% of one core"*) ;;
    *) exit 1 ;;
    esac
done
