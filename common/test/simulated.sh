#!/bin/sh
# SPDX-License-Identifier: MIT
#
# simulated.sh TRANSCRIPT PROGRAM: types the commands of TRANSCRIPT, which begin with "$ ", beside PROGRAM, and
# compares everything that is printed with the rest of TRANSCRIPT: words and numbers, not the blanks around them. After
# "! " stands what went to stderr; after "exit" the code, if not 0. What a record says above its rows ("# size,1000")
# stands there once: a command after it shows only what is different.
# Lines that begin with "#" are kept. One that begins with "#=" must hold:
#     #= median_us method=event kernel=spin = launch + drain +- tick  two or more blanks, and why
#     #= way_us = ...             a value of the record
#     #= after "one block:" = ... the first number behind these words
# The left side is looked up in what the command above printed; a key that has blanks is a="b c". The right side is an
# expression of awk in the constants of simulated_times.h, in lower case and in us. Without "+-" it must be exact to the
# last digit printed.
# With REFRESH=1 TRANSCRIPT is written anew: REFRESH=1 ctest -L simulated; then read the diff.
here=$(cd "${0%/*}" && pwd)
# shellcheck disable=SC1091
. "$here/clean.sh"
transcript=$1
grep -q '^\$ ' "$transcript" || {
    echo "simulated.sh: no command in $transcript" >&2
    exit 1
}
scratch=$TMPDIR
root=${here%common/test}
mkdir "$scratch/here" && cd "$scratch/here" || exit 1 # what a command writes is no other test's
for file in "$2" "${2%/simulated/bin/*}/simulated/bin/"new "${2%/simulated/bin/*}/simulated/bin/"old; do
    [ ! -e "$file" ] || ln -s "$file" .
done
bad=0
times=$(grep -o '[A-Z_0-9]* = [0-9][0-9]*' "$here/simulated_times.h" | awk '{
    ns = sub(/_NS$/, "", $1)
    set = set tolower($1) " = " $3 (ns ? " / 1000; " : "; ")
    names = names tolower($1) " "
}
END { print "function right() { " set "known = \"" names "\"" }')

# holds LEFT RIGHT: says why a sum does not hold.
holds() {
    plain="$2 " tolerance='""'
    case $2 in *' +- '*) plain="${2% +- *} " tolerance=${2##* +- } ;; esac
    echo "$times; sum = ($plain); tolerance = $tolerance }" >"$scratch/right.awk"
    cat "$scratch/output" "$scratch/errors" |
        LEFT=$1 RIGHT="$plain $tolerance" awk -F, -f "$here/sums.awk" -f "$scratch/right.awk" 2>&1
}

: >"$scratch/said"
while IFS= read -r line; do
    word=${line#'# '}
    case $line in
    '$ '*)
        printf '%s\n' "$line"
        sh -c "${line#??}" >"$scratch/output" 2>"$scratch/errors"
        code=$?
        grep -vxFf "$scratch/said" "$scratch/output"
        grep '^# ' "$scratch/output" >>"$scratch/said"
        sed "s#$root##; s/\(\.[chu]*\):[0-9]*:/\1:/; s/^/! /" "$scratch/errors"
        [ "$code" = 0 ] || echo "exit $code"
        ;;
    '#= '*)
        printf '%s\n' "$line"
        sum=${line#'#= '}
        right=${sum#* = }
        why=$(holds "${sum%% = *}" "${right%%  *}")
        [ -z "$why" ] || { bad=1 && printf '%s: %s\n' "$line" "$why" >&2; }
        ;;
    '# '*)
        case ${word%% *} in
        *,?*) ;; # the record's own
        *,) [ "${word%% *}" = "$word" ] || printf '%s\n' "$line" ;;
        *) printf '%s\n' "$line" ;;
        esac
        ;;
    '#'*) printf '%s\n' "$line" ;;
    esac
done <"$transcript" >"$scratch/result"

words() { sed 's/[[:blank:]][[:blank:]]*/ /g; s/^ //; s/ $//' "$1"; }
words "$scratch/result" >"$scratch/words"
words "$transcript" | diff - "$scratch/words" || {
    if [ "${REFRESH-}" ]; then cp "$scratch/result" "$transcript"; else bad=1; fi
}
exit "$bad"
