#!/bin/sh
# SPDX-License-Identifier: MIT
#
# simulated.sh TRANSCRIPT PROGRAM: types the commands of TRANSCRIPT beside PROGRAM, and compares what they print with
# the rest of TRANSCRIPT: words and numbers, not the blanks around them.
#     $ ./program --csv           a command, and below it what it printed; after "! " what went to stderr; after "exit"
#                                 the code, if not 0; after "hit" which launch a fault with a number hit
#     $ sh -c 'echo one; \        a command that goes on in the next line, behind "> "
#     > echo two'
#     $ FAULT={} ./program        typed once for each row below it, with the row's first word in place of {}: see
#                                 faults.txt
#     time_nan  1  impossible: .. a row: that word, the exit code, what was [hit], and the first line of stderr, or the
#                                 last one of stdout. Two blanks end the word, which may have single ones
#     #: gap = latency + wake     a name for the sums below
#     #= median_us method=event kernel=spin = launch + drain +- tick  two or more blanks, and why
#     #= way_us = ...             a value of the record
#     #= after "one block:" = ... the first number behind these words
# What a record says above its rows ("# size,1000", and their names) stands there once: a command after it shows only
# what is different.
# Other lines that begin with "#" are kept. The left side of "#=" is looked up in what the command above printed; a key
# that has blanks is a="b c". The right side is an expression of awk in the constants of times.h, in us. Without "+-" it must be exact to the last digit printed.
# With REFRESH=1 TRANSCRIPT is written anew: REFRESH=1 ctest -L simulated; then read the diff.
here=$(cd "${0%/*}" && pwd)
# shellcheck disable=SC1091
. "$here/clean.sh"
transcript=$1
grep -qs '^\$ ' "$transcript" || {
    echo "$transcript is missing or has no command: CONTRIBUTING, How to add a program, step 4" >&2
    exit 1
}
scratch=$TMPDIR
root=$(echo "${here%common/test}" | sed 's/[][\.*^$#]/\\&/g') # in a pattern
mkdir "$scratch/here" && cd "$scratch/here" || exit 1 # what a command writes is no other test's
for file in "$2" "${2%/simulated/bin/*}/simulated/bin/"new; do
    [ ! -e "$file" ] || ln -s "$file" .
done
bad=0
constants=$(sed -n 's/^TIME(\([a-z_0-9]*\), \([0-9]*\),.*/\1 = \2 \/ 1000;/p; s/^COUNT(\([a-z_0-9]*\), \([0-9]*\),.*/\1 = \2;/p' \
    "$here/../../docs/simulator/times.h"
    cat <<END
mean_noise = (noise + noise_2 + noise_3 + noise_4 + noise_5) / 5 + noise_late / 41;
kernel = launch + unit_0 + block + 8 * warp + drain;
spin = launch + unit_0 + read + block + warp + drain;
floor = fetch + event;
call = launch_call + last_error;
way = submit + latency + fetch;
cl_call = enqueue + submit + flush + cl_latency + fetch;
loading = wake + load_anew + load_first;
END
)

# holds LEFT RIGHT: says why a sum does not hold.
holds() {
    plain="$2 " tolerance='""'
    case $2 in *' +- '*) plain="${2% +- *} " tolerance=${2##* +- } ;; esac
    echo "function right() { $constants sum = ($plain); tolerance = $tolerance }" >"$scratch/right.awk"
    cat "$scratch/output" "$scratch/errors" |
        LEFT=$1 RIGHT="$plain $tolerance" KNOWN=$constants awk -F, -f "$here/sums.awk" -f "$scratch/right.awk" 2>&1
}

# type_in COMMAND: into output, errors, code and hit.
type_in() {
    : >"$scratch/hit"
    HIT=$scratch/hit sh -c "$1" >"$scratch/output" 2>"$scratch/said"
    code=$?
    sed "s#$root##; s/\(\.[chu]*\):[0-9]*:/\1:/" "$scratch/said" >"$scratch/errors"
    hit=$(head -n 1 "$scratch/hit")
}

: >"$scratch/heads"
rows='' empty=''
while IFS= read -r line; do
    word=${line#'# '}
    case $line in
    '$ '*)
        printf '%s\n' "$line"
        line=${line#??}
        while [ "$line" != "${line%\\}" ] && IFS= read -r next; do
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
        esac
        type_in "$line"
        grep -vxFf "$scratch/heads" "$scratch/output"
        grep -e '^# ' -e ',disturbed$' "$scratch/output" >>"$scratch/heads"
        sed 's/^/! /' "$scratch/errors"
        [ "$code" = 0 ] || echo "exit $code"
        [ ! "$hit" ] || echo "hit $hit"
        ;;
    '#: '*)
        printf '%s\n' "$line"
        line=${line#'#: '}
        constants="$constants ${line%%  *};"
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
    ?*)
        [ "$rows" ] || continue
        empty=
        word=${line%%'  '*}
        type_in "${rows%%'{}'*}$word${rows#*'{}'}"
        said=$(head -n 1 "$scratch/errors")
        [ "$said" ] || said=$(tail -n 1 "$scratch/output")
        [ "$(wc -l <"$scratch/errors")" -le 1 ] || said="$said ..."
        printf '%-18s  %s  %s\n' "$word" "$code" "${hit:+[$hit] }${said#"${2##*/}: "}" | sed 's/ *$//'
        ;;
    esac
done <"$transcript" >"$scratch/result"
[ ! "$empty" ] || { bad=1 && echo "no row below: $empty" >&2; }

words() { sed 's/[[:blank:]][[:blank:]]*/ /g; s/^ //; s/ $//' "$1"; }
words "$scratch/result" >"$scratch/words"
words "$transcript" | diff - "$scratch/words" || {
    if [ "${REFRESH-}" ]; then cp "$scratch/result" "$transcript"; else bad=1; fi
}
exit "$bad"
