#!/bin/sh
# SPDX-License-Identifier: MIT
#
# simulated.sh TRANSCRIPT PROGRAM: types the commands of TRANSCRIPT, which begin with "$ ", where
# PROGRAM is, and compares everything that is printed with the rest of TRANSCRIPT. After "! " stands
# what went to stderr; after "exit" the code, if not 0. Lines that begin with "#" are kept; one that
# begins with "#=" must hold:
#     #= 12.345 = 10 + 2.345  in words
# means that the command above printed the number 12.345, and that this is the sum.
# With REFRESH=1 TRANSCRIPT is written anew: REFRESH=1 ctest -L simulated; then read the diff.
transcript=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
root=${0%common/test/*}
cd "${2%/*}" || exit 1
unset FAULT CUDA_MODULE_LOADING
bad=0

# holds NUMBER EXPRESSION: whether NUMBER was printed, and is the value of EXPRESSION.
holds() {
    tr -s ' ,;()x' '\n' <"$scratch/output" | sed 's/[.:]$//' | grep -qxF -e "$1" || return 1
    digits=${1#*.}
    [ "$digits" != "$1" ] || digits=
    [ "$(awk "BEGIN { printf \"%.${#digits}f\", $2 }")" = "${1#+}" ]
}

while IFS= read -r line; do
    case $line in
    '$ '*)
        printf '%s\n' "$line"
        sh -c "${line#??}" >"$scratch/output" 2>"$scratch/errors"
        code=$?
        cat "$scratch/output"
        sed "s#$root##; s/\(\.[chu]*\):[0-9]*:/\1:/; s/^/! /" "$scratch/errors"
        [ "$code" = 0 ] || echo "exit $code"
        ;;
    '#= '*)
        printf '%s\n' "$line"
        sum=${line#*= }
        sum=${sum#*= }
        number=${line#'#= '}
        holds "${number%% *}" "${sum%%  *}" || { bad=1 && echo "does not hold: $line" >&2; }
        ;;
    '#'*) printf '%s\n' "$line" ;;
    esac
done <"$transcript" >"$scratch/result"
if [ "${REFRESH-}" ]; then
    cp "$scratch/result" "$transcript"
fi
diff "$transcript" "$scratch/result" || bad=1
exit "$bad"
