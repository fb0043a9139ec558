#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ./change.sh PROGRAM OPTIONS...      as in: ./change.sh block_clock_opencl --threads 64
# ./change.sh PROGRAM A... -- B...    as in: ./change.sh block_clock_opencl --blocks 1 -- --blocks 16
#
# Does the change matter? Runs the built program with the options A (without any) and with B, five processes each, by
# turns, and lays the medians of the processes side by side. What each printed stays in build/change/PROGRAM/.
# Without an NVIDIA GPU a CUDA program of chapters 04 to 06 runs on a simulated one, twice each: all runs are alike.
set -eu
unset CDPATH
export LC_ALL=C
suite=$(realpath --relative-to=. "$(dirname "$(readlink -f "$0")")")
usage() { sed -n 's/^# \{0,1\}//; 4,9p' "$(readlink -f "$0")"; }
case ${1:-} in
    '') usage >&2 && exit 2 ;;
    -h | --help) usage && exit ;;
esac
name=${1##*/}
path=$(awk -F / -v name="$name" '$NF == name { sub(".* ", ""); print }' "$suite/build/programs.txt" 2>/dev/null) || :
program=$suite/build/$path
simulated=$suite/build/simulated/bin/$path
{ [[ $path == 0* ]] && grep -qx "cuda $path" "$suite/build/programs.txt" && [ -f "$simulated" ]; } || simulated=
turns=5 few=()
no_gpu() {
    echo "No NVIDIA GPU here: on a simulated one, a model of an H200 in software. No number is of hardware."
    echo "Two processes each with A and with B, not five: in the model all runs are alike."
    export SIMULATED_TIMES=h200
    program=$simulated simulated='' turns=2 few=(--runs 1)
}
[ -f "$program" ] || [ ! "$simulated" ] || no_gpu
if [ ! -f "$program" ]; then
    built=$(sed 's/.* //' "$suite/build/programs.txt" 2>/dev/null | while read -r path; do
        [ ! -f "$suite/build/$path" ] || printf '%s ' "${path##*/}"
    done)
    if [ "$built" ]; then
        echo "change.sh: '$1' is not built. These are: $built" >&2
    else
        echo "change.sh: nothing is built yet. This builds all that your machine can run: $suite/tour.sh build" >&2
    fi
    exit 2
fi
shift
case " $* " in *" --help "* | *" --device list "*) exec "$program" "$@" ;; esac
command -v python3 >/dev/null || { echo "change.sh: needs python3 (Debian, Ubuntu: apt-get install python3)" >&2 && exit 1; }
a=() b=("$@")
for i in "${!b[@]}"; do
    if [ "${b[i]}" = -- ]; then
        a=("${@:1:i}") b=("${@:i+2}")
        break
    fi
done
change=$suite/build/change/$name
rm -rf "$change.new" && mkdir -p "$change.new"
run() { # SIDE OPTIONS...
    local runs=("${few[@]}") code=0
    case " $* " in *" --runs"*) runs=() ;; esac
    "$program" "${runs[@]}" "${@:2}" >"$change.new/$1$turn.txt" 2>"$change.new/said" || code=$?
    [ "$code" != 0 ] || return 0
    [ "$code" != 77 ] || [ ! "$simulated" ] || { no_gpu && run "$@" && return; }
    echo && cat "$change.new/said" >&2
    [ "$code" = 77 ] || echo "change.sh: its options: $program --help" >&2
    exit "$code"
}
for ((turn = 1; turn <= turns; turn++)); do
    # Which one is first is drawn; in the first turn it is B, whose options may be wrong.
    if [ $turn = 1 ]; then sides='B A'; else sides=$(shuf -e A B); fi
    for side in $sides; do
        if [ "$side" = A ]; then run A "${a[@]}"; else run B "${b[@]}"; fi
        [ "$turn$side" != 1B ] || [ "$turns" = 2 ] || printf 'Ten processes, by turns '
        printf .
    done
    [ $turn -gt 1 ] || [ "$SECONDS" -lt 12 ] || printf ' (about %s min in all) ' "$(((turns * SECONDS + 30) / 60))"
done
echo
rm -rf "$change" && mv "$change.new" "$change"
python3 -X utf8 "$suite/tools/compared.py" "$change"
disturbed=$(cd "$change" && awk 'FNR == 1 { columns = 0 } /^#/ { next } $NF == "disturbed" { columns = NF; next }
    NF == columns && $NF != "-" { print FILENAME; nextfile }' ./[AB]?.txt | paste -sd ' ' -)
[ -z "$disturbed" ] || echo "The tables with disturbed rows (!), in $change: $disturbed"
