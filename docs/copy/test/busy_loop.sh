#!/bin/sh
# SPDX-License-Identifier: MIT
#
# busy_loop.sh FIT_TO_MEASURE: a process that computes beside the command is seen, or the program says that
# this cannot be seen here.
# shellcheck disable=SC1091
. "${0%/*}/../../../common/test/clean.sh"
(while :; do :; done) &
trap 'kill $!' EXIT
said=$("$1" sleep 2 2>&1)
printf '%s\n' "$said"
case $said in
*"others' CPU time during the command: not to be seen here"*) ;;
*"Disturbed: "*"% of one core during the command"*) ;;
*) exit 1 ;;
esac
