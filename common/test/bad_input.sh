#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bad_input.sh PROGRAM host|opencl|cuda: gives PROGRAM, on the simulated device, what it must refuse: each time one line
# on stderr that names the option, nothing on stdout, and the exit code that says whose fault it is.
export LC_ALL=C # sort, ls and numbers as the tests know them
here=$(cd "${0%/*}" && pwd)
# shellcheck disable=SC1091
. "$here/clean.sh"
program=$1
needs=$2
export SIMULATED_TIMES= # the small devices, with simple numbers
cd "$TMPDIR" || exit 1
bad=0

# one_line WORD: whether the messages are one line that holds WORD.
one_line() {
    { read -r line && ! read -r next; } <messages || line="not one line: $line, $next"
    case $line in
    *"not one line"*) ;;
    *"$1"*) return ;;
    esac
    echo "'$command': $line" && bad=1
}

# refused CODES WORD ARGUMENTS...: the exit code is one of CODES ("2 77"), the line holds WORD.
refused() {
    codes=$1
    word=$2
    shift 2
    command=$*
    "$program" "$@" >output 2>messages
    code=$?
    case " $codes " in
    *" $code "*) ;;
    *) echo "'$*': exit $code, not one of $codes" && bad=1 ;;
    esac
    [ -s output ] && echo "'$*': printed on stdout:" && cat output && bad=1
    [ "$code" = 77 ] && word=
    one_line "$word"
}

"$program" --help >help || bad=1
few=
values="0 -1 +1 1e3 64x 0x10 1.5 nan inf 99999999999999999999 , 1, ,1"
for option in --runs --size --blocks --threads --work; do
    if ! grep -q -e "^ *$option " help; then
        refused 2 "$option" "$option=1"
        continue
    fi
    few="$few $option $([ "$option" = --runs ] && echo 2 || echo 1)" # a run alone may be impossible by its noise
    refused 2 "$option" "$option"
    refused 2 "$option" "${option}s=5"
    for value in 10000000000000 $values '' ' ' ' 5' '5 ' 1,,2; do
        refused 2 "$option" "$option" "$value"
        refused 2 "$option" "$option=$value"
    done
    if "$program" "$option" 2,2 nosuch 2>&1 | grep -q nosuch && [ "$option" != --runs ]; then # it takes a list
        refused 2 "$option" "$option" 64,0
        refused 2 "$option" "$option" 64,99999999999999
        refused 2 "$option" "$option" "$(seq -s, 1 1025)" # more than a list holds
    else
        refused 2 "$option" "$option" 2,2
    fi
done
if grep -q -e --size help; then
    refused 2 --size --size 1099511627776 # as much as the option takes, which no device has
    refused 2 --size --size 1099511627777
fi
grep -q -e --threads help && refused 2 --threads --threads 65536
grep -q -e --runs help && refused 2 --runs --runs 10001
refused 2 help --help surplus
for word in surplus --nosuch --csv --csv=x; do
    # shellcheck disable=SC2086
    refused 2 "${word%=x}" $few "$word"
    refused 2 "${word%=x}" "$word" --help
done
for name in 99 nosuch -1 1e3 4294967296 99999999999999999999; do
    case $needs in
    opencl) refused 77 --device --device "$name" ;;
    *) refused 2 --device --device "$name" ;;
    esac
done

# A table that cannot be written is a message, and not success.
# shellcheck disable=SC2086 # several words
for options in "$few" --help; do
    [ "$options" != --help ] || [ -s help ] || continue
    command="$options >/dev/full"
    "$program" $options >/dev/full 2>messages
    code=$?
    [ "$code" = 1 ] || { echo "'$command': exit $code" && bad=1; }
    one_line 'cannot write to stdout'
done

# The head says what made the table, and with which options.
# shellcheck disable=SC2086
"$program" $few >output 2>messages || { cat messages && bad=1; }
# shellcheck disable=SC2086
set -- $few
for line in "program ${program##*/} [0-9]" 'device \(Simulated\|host\)' 'date [0-9]'; do
    grep -q "^# $line" output || { echo "the head has no $line" && bad=1; }
done
while [ $# -gt 0 ]; do
    grep -q "^# ${1#--} $2$" output || { echo "the head has no ${1#--} $2" && bad=1; }
    shift 2
done
exit "$bad"
