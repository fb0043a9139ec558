#!/bin/sh
# SPDX-License-Identifier: MIT
#
# transcript.sh TRANSCRIPT PROGRAM: types the commands of TRANSCRIPT beside PROGRAM, and compares what they print with
# the rest of TRANSCRIPT: words and numbers, not the blanks around them.
#     $ ./program --size 1000     a command, and below it what it printed; after "! " what went to stderr; after "exit"
#                                 the code, if not 0; after "hit" the kernel that a fault with a number hit
#     $ sh -c 'echo one; \        a command that goes on in the next line, behind "> "
#     > echo two'
#     $ parts ./program           what is in each of its numbers: see parts, which checks the table below it in a few
#                                 runs, and makes it anew only if it is wrong
#     $ FAULT={} ./program        typed once for each row below it, with the row's first word in place of {}: see
#                                 faults.txt
#     time_nan  1  impossible: .. a row: that word, the exit code, what was [hit], and the first line of stderr, or the
#                                 last one of stdout. Two blanks end the word, which may have single ones
#     ## words                    kept; a table's own words have one #
# Line numbers of the source, stamps and the times of an impossible row are left out.
# In $PATH is `marked`, too: it prints which rows of a record are disturbed, and no number.
# With REFRESH=1 TRANSCRIPT is written anew: REFRESH=1 ctest -L simulated; then read the diff. A new one needs no more
# than its commands and the first words of its rows.
export LC_ALL=C # sort, ls and numbers as the tests know them
here=$(cd "${0%/*}" && pwd)
# shellcheck disable=SC1091
. "$here/../common/test/clean.sh"
case $1 in /*) transcript=$1 ;; *) transcript=$PWD/$1 ;; esac
case $2 in /*) program=$2 ;; *) program=$PWD/$2 ;; esac
grep -qs '^\$ ' "$transcript" || {
    echo "$transcript is missing or has no command: CONTRIBUTING, How to add a program, step 4" >&2
    exit 1
}
[ -x "$program" ] || {
    echo "there is no program $program" >&2
    exit 1
}
if grep -q '^\$ \(.* \)\{0,1\}parts ' "$transcript" && ! command -v python3 >/dev/null; then
    echo "skipped: parts needs python3"
    exit 77
fi
scratch=$TMPDIR
export XDG_CACHE_HOME="${scratch%/*}/simcc_cache" # there simcc keeps the machine that it has compiled
root=$(echo "${here%simulator}" | sed 's/[][\.*^$#]/\\&/g') # in a pattern
PATH=$here:$here/test:$PATH
[ "${program##*/}" = simcc ] || export SIMULATED_TIMES= # the small devices, with simple numbers
mkdir "$scratch/here" && cd "$scratch/here" || exit 1 # what a command writes is no other test's
ln -s "$program" .

# type_in COMMAND: into output, errors, code and hit.
type_in() {
    : >"$scratch/hit"
    HIT=$scratch/hit sh -c "$1" >"$scratch/output" 2>"$scratch/said"
    code=$?
    [ "$code" != 127 ] || { bad=1 && echo "no such command: $1" >&2; }
    sed "s#$root##; s/\(\.[chu]*\):[0-9]*:/\1:/" "$scratch/said" >"$scratch/errors"
    hit=$(sed 's/ [0-9]*$//; q' "$scratch/hit")
}

bad=0 rows='' empty='' at=0
# shellcheck disable=SC2094 # the transcript is only read
while IFS= read -r line; do
    at=$((at + 1))
    case $line in
    '$ '*)
        printf '%s\n' "$line"
        line=${line#??}
        while [ "$line" != "${line%\\}" ] && IFS= read -r next; do
            at=$((at + 1))
            printf '%s\n' "$next"
            line=${line%\\}${next#'> '}
        done
        [ ! "$empty" ] || { bad=1 && echo "no row below: $empty" >&2; }
        empty='' rows=''
        case $line in
        *'{}'*)
            empty=$line rows=$line
            continue
            ;;
        *' | '*) ;;
        'parts '* | *=*' parts '*)
            # shellcheck disable=SC2094 # it is read alone
            sed "1,${at}d; /^[\$] /,\$d; /^## /,\$d" "$transcript" >"$scratch/table"
            [ "${REFRESH-}" ] || line="$line --check $scratch/table"
            ;;
        esac
        type_in "$line"
        cat "$scratch/output"
        sed 's/^/! /' "$scratch/errors"
        [ "$code" = 0 ] || echo "exit $code"
        [ ! "$hit" ] || echo "hit $hit"
        ;;
    '## '*) printf '%s\n' "$line" ;;
    ?*)
        [ "$rows" ] || continue
        empty=
        word=${line%%'  '*}
        type_in "${rows%%'{}'*}$word${rows#*'{}'}"
        said=$(head -n 1 "$scratch/errors")
        [ "$said" ] || said=$(tail -n 1 "$scratch/output")
        [ "$(wc -l <"$scratch/errors")" -le 1 ] || said="$said ..."
        printf '%-18s  %s  %s\n' "$word" "$code" "${hit:+[$hit] }${said#"${program##*/}: "}" |
            sed 's/\(from\|to\|after\|clock\) [0-9]\{12,\}/\1 N/g
                /  impossible/s/-\{0,1\}[0-9.]*[1-9][0-9.]*\([0-9]\{9\}\| [mun]s\)/N\1/g; s/N[0-9]*/N/g; s/ *$//'
        ;;
    esac
done <"$transcript" >"$scratch/result"
[ ! "$empty" ] || { bad=1 && echo "no row below: $empty" >&2; }

words() { sed 's/[[:blank:]][[:blank:]]*/ /g; s/^ //; s/ $//' "$1"; }
words "$scratch/result" >"$scratch/words"
words "$transcript" | diff - "$scratch/words" || {
    if [ "${REFRESH-}" ] && [ "$bad" = 0 ]; then cp "$scratch/result" "$transcript" || bad=1; else bad=1; fi
}
exit "$bad"
