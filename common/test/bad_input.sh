#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bad_input.sh PROGRAM SOURCE
# Gives PROGRAM, on the simulated device, what it must refuse: each time one line on stderr that names the option, nothing on
# stdout, and the exit code that says whose fault it is.
program=$1
source=$2
messages=$(mktemp) || exit 1
output=$(mktemp) || exit 1
mkfifo "$output.fifo" || exit 1
mkdir "$output.lib" || exit 1
trap 'rm -rf "$messages" "$output" "$output.fifo" "$output.lib"' EXIT
bad=0

# An NVML that cannot be loaded: the driver's own would wait by the simulated clock, for ever.
echo no library >"$output.lib/libnvidia-ml.so.1"
LD_LIBRARY_PATH=$output.lib
export LD_LIBRARY_PATH

# refused CODES WORD ARGUMENTS...: the exit code is one of CODES ("2 77"), the line holds WORD.
refused() {
    codes=$1
    word=$2
    shift 2
    "$program" "$@" >"$output" 2>"$messages"
    code=$?
    case " $codes " in
    *" $code "*) ;;
    *) echo "'$*': exit $code, not one of $codes" && bad=1 ;;
    esac
    [ -s "$output" ] && echo "'$*': printed on stdout:" && cat "$output" && bad=1
    [ "$(wc -l <"$messages")" -eq 1 ] || { echo "'$*': not one line:" && cat "$messages" && bad=1; }
    [ "$code" = 77 ] || grep -q -e "$word" "$messages" || {
        echo "'$*': does not name $word:" && cat "$messages" && bad=1
    }
}

for option in --runs --size --blocks --threads --work; do
    for value in 0 -1 +1 1e3 64x 0x10 1.5 '' ' ' ' 5' '5 ' nan inf 99999999999999999999 1,,2 ',' '1,' ',1'; do
        refused 2 "$option" "$option" "$value"
        refused 2 "$option" "$option=$value"
    done
    refused 2 "$option" "$option"
done
refused 2 --runs --runs 10001
refused 2 --size --size 1099511627777
refused 2 --blocks --blocks 4194305
refused 2 --threads --threads 65537
refused 2 --work --work 1000001
for option in --size --blocks --threads; do # more than a list holds
    refused 2 "$option" "$option" "$(seq -s, 1 1025)"
done
refused 2 --nosuch --nosuch
refused 2 --csv --csv=1
refused 2 -xyz --csv -xyz
refused 2 surplus surplus --help
refused 2 surplus --csv surplus

refused 2 --size --size 1099511627776
refused 2 --threads --threads 65536

for name in '' -1 99999999999999999999; do
    refused 2 --device --device "$name"
done
for name in 99 nosuch 1e3; do
    case $source in
    01_*) refused 2 --device --device "$name" ;;
    *) refused 77 --device --device "$name" ;;
    esac
done

# stdout closed, full or without a reader: a message, not a signal, and not success.
few=
for option in size runs work blocks threads; do
    ! "$program" --help | grep -q -e "--$option" || few="$few --$option 1"
done
for arguments in "--csv$few"  --help --version; do
    # shellcheck disable=SC2086,SC2094 # no argument at all is one of the cases; a pipe of our own
    for target in closed full unread; do
        case $target in
        closed) "$program" $arguments >&- 2>"$messages" ;;
        full) "$program" $arguments >/dev/full 2>"$messages" ;;
        unread) "$program" $arguments 3<>"$output.fifo" >"$output.fifo" 3>&- 2>"$messages" ;;
        esac
        code=$?
        if [ "$code" != 1 ]; then
            echo "'$arguments' with stdout $target: exit $code" && bad=1
        elif [ "$target" = closed ] && ! grep -q 'stdout is closed' "$messages"; then
            echo "'$arguments': a closed stdout is not noticed at once" && bad=1
        elif [ "$(wc -l <"$messages")" -ne 1 ]; then
            echo "'$arguments' with stdout $target: not one line:" && cat "$messages" && bad=1
        fi
    done
done

"$program" --help | grep -q -e --csv || { echo "--help does not list --csv" && bad=1; }
exit "$bad"
