#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/test/record.sh: tools/record.sh, environment.sh and ./change.sh, in a copy, with programs that print only what
# they were asked.
# Red: who records a machine loses or mixes records, or who changes an option has numbers of another command.
# shellcheck disable=SC2016 # the programs expand them
set -eu
unset BUILD ONLY CDPATH
export LC_ALL=C
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cd "$(dirname "$0")/../.."

# The lines of docs/results/README.md that read a record: all find the same mean.
awk '/^```/ { inside = /sh$/; next } inside && /\\$/ { printf "%s", substr($0, 1, length - 1); next } inside' docs/results/README.md |
    while read -r tool line; do
        case $tool in
        python3) "$tool" -c 'import pandas' 2>/dev/null || continue ;;
        gnuplot) command -v gnuplot >/dev/null || continue ;;
        esac
        (cd docs/results && echo "$tool $line" | sh 2>&1 | awk '{ printf "%.3f\n", $1 }')
    done >"$copy/means"
[ "$(sort -u "$copy/means")" = 505.008 ] || { echo "record.sh: README.md does not read a record" >&2 && exit 1; }

mkdir -p "$copy/bin" "$copy/docs/results" "$copy/build/01_host_clock" "$copy/build/02_clfinish_sync"
cp change.sh "$copy"
mkdir "$copy/tools" && cp tools/*.sh "$copy/tools"
cd "$copy"
PATH=$copy/bin:$PATH
# is WHAT: what ./found must be stands on stdin.
is() { diff - found || { echo "record.sh: not so: $1" && exit 1; } >&2; }
# fails MESSAGE COMMAND...
fails() {
    message=$1 && shift
    if "$@" >found 2>&1 || ! grep -q -e "$message" found; then cat found >&2 && exit 1; fi
}

printf '%s\n' "host 01_host_clock/host_clock" "host 01_host_clock/stopwatch" "opencl 02_clfinish_sync/clfinish_sync" \
    >build/programs.txt
while read -r _ program; do
    cat >"build/$program" <<'.'
#!/bin/sh
[ "$*" != "--device list" ] || exec echo "0  Known GPU, driver 1"
case " ${FAILS-} " in *" ${0##*/} "*) echo "${0##*/}: why" >&2 && exit "$CODE" ;; esac
echo "${0##*/} says $STATE; asked: $*"
.
done <build/programs.txt
chmod +x build/0*/*
export STATE=this

# With ONLY some programs are recorded anew, and the others stay. The device is for the OpenCL programs.
tools/record.sh known Known >/dev/null
STATE=that ONLY=stopwatch tools/record.sh known Known >/dev/null
(cd docs/results/known && grep ' says ' ./*) >found
is "ONLY" <<'.'
./clfinish_sync.txt:clfinish_sync says this; asked: --device Known
./host_clock.txt:host_clock says this; asked: 
./stopwatch.txt:stopwatch says that; asked: 
./try_clfinish_sync.txt:clfinish_sync says this; asked: --device Known --size 1024
.
# A program that fails, one that has no device any more, and another machine change nothing.
cp -R docs/results/known before
fails "^stopwatch: why" env FAILS=stopwatch CODE=1 tools/record.sh known
fails "stopwatch is without a device" env FAILS=stopwatch CODE=77 tools/record.sh known
printf '#!/bin/sh\necho "NVIDIA Known, 580.1, 700.00 W, 1980 MHz"\n' >bin/nvidia-smi
printf '#!/bin/sh\n[ "$1" = -r ] && echo 6.1.0-13-cloud || echo "Linux x86_64"\n' >bin/uname
chmod +x bin/*
fails "'known' was recorded on .*; this is NVIDIA Known: take another name" env -u CUDA_VISIBLE_DEVICES tools/record.sh known
diff -r before docs/results/known
env -u CUDA_VISIBLE_DEVICES tools/environment.sh | grep -x "gpu: NVIDIA Known, driver 580.1, at most 700.00 W, 1980 MHz" >/dev/null
tools/environment.sh | grep -q 'kernel 6.1.0$' # nothing but its numbers

# Five processes of each, with the options A and B, and then they are compared. A wrong option leaves the older records.
printf '%s\n' 'import pathlib, sys' 'print(*(p.read_text() for p in sorted(pathlib.Path(sys.argv[1]).glob("*.txt"))), sep="")' \
    >tools/compared.py
{
    ./change.sh 01_host_clock/stopwatch --runs 3 -- --runs 7 | grep asked | uniq -c | tr -s ' '
    ./change.sh host_clock --device list
    STATE='
median_us disturbed
1 runs_drift
#' ./change.sh stopwatch --runs 0,1 -- --runs 7 | grep A2
    sed -n '2,$p' build/change/stopwatch/A2.txt # where a program says why
    STATE='
median_us disturbed
1 -
#' ./change.sh stopwatch | grep A2 || :
} >found
is "a change" <<'.'
 5 stopwatch says this; asked: --runs 3
 5 stopwatch says this; asked: --runs 7
0  Known GPU, driver 1
The tables with disturbed rows (!), in ./build/change/stopwatch: ./A1.txt ./A2.txt ./A3.txt ./A4.txt ./A5.txt ./B1.txt ./B2.txt ./B3.txt ./B4.txt ./B5.txt
median_us disturbed
1 runs_drift
#; asked: --runs 0,1
.
fails "^change.sh: 'stopwach' is not built. These are: .*stopwatch " ./change.sh stopwach
mv build built
fails "^change.sh: nothing is built yet.* \./tour.sh build$" ./change.sh stopwatch
mv built build
./change.sh stopwatch -- --runs 7 >/dev/null
fails "^change.sh: its options: ./build/01_host_clock/stopwatch --help" env FAILS=stopwatch CODE=2 ./change.sh stopwatch --rnus 9
grep -q 'asked: --runs 7' build/change/stopwatch/B5.txt

# Without a GPU a CUDA program of a chapter runs on the simulated one, in few runs; with one on the GPU. It is built, or not.
echo "cuda 04_cuda_events/cuda_events" >>build/programs.txt
mkdir -p build/04_cuda_events build/simulated/bin/04_cuda_events
sed 's/asked: $\*/& $SIMULATED_TIMES/' build/01_host_clock/stopwatch >build/simulated/bin/04_cuda_events/cuda_events
chmod +x build/simulated/bin/04_cuda_events/cuda_events
asked() { "$@" | grep 'asked\|hardware' | sed 's/.*asked: //' | uniq -c | tr -s ' '; }
asked ./change.sh cuda_events --size 5 -- --runs 2 >found
sed '2i [ ! "${NO_GPU-}" ] || exit 77' build/01_host_clock/stopwatch >build/04_cuda_events/cuda_events
chmod +x build/04_cuda_events/cuda_events
NO_GPU=yes asked ./change.sh cuda_events --size 5 -- --runs 2 >>found
asked ./change.sh cuda_events --size 5 >>found
is "a change without a GPU" <<'.'
 1 No NVIDIA GPU here: on a simulated one, a model of an H200 in software. No number is of hardware.
 2 --runs 1 --size 5 h200
 2 --runs 2 h200
 1 No NVIDIA GPU here: on a simulated one, a model of an H200 in software. No number is of hardware.
 2 --runs 1 --size 5 h200
 2 --runs 2 h200
 5 
 5 --size 5
.
