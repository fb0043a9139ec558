#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/record.sh NAME [OPENCL_DEVICE]
#
# Runs every program that is built and has a device, and writes into docs/results/NAME/ what each printed, as PROGRAM.txt,
# and environment.txt, which says on what.
# OPENCL_DEVICE goes to the OpenCL programs as --device; CUDA_VISIBLE_DEVICES chooses among several
# GPUs, and empty it leaves out all. BUILD names the build folder, if not build; ONLY the programs, if not all.
set -eu
unset CDPATH
export LC_ALL=C
cd "$(dirname "$(readlink -f "$0")")/.."
case ${1-} in
"" | [!a-zA-Z0-9]* | *[!a-zA-Z0-9._-]*) set -- ;; # a folder's name
esac
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: tools/record.sh NAME [OPENCL_DEVICE], with a NAME of letters, digits, '.', '_' and '-'" >&2
    exit 2
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
build=${BUILD:-build}
results=docs/results/$1
if [ ! -x "$build/01_host_clock/host_clock" ]; then
    echo "record.sh: no programs in '$build': build them first" >&2
    exit 1
fi
export CUDA_DEVICE_ORDER=PCI_BUS_ID # as nvidia-smi counts them
opencl_device=${2-}
[ -z "$opencl_device" ] || "$build/02_clfinish_sync/clfinish_sync" --device "$opencl_device" --size 1 --runs 1 >/dev/null || exit 1

# whose ENVIRONMENT: the machine's GPUs, or else its processor.
whose() { sed -n 's/^gpu: \([^,]*\).*/\1/p' "$1" | grep . || sed -n 's/^processor: //p' "$1"; }
tools/environment.sh "$build" >"$scratch/environment.txt"
[ -z "$opencl_device" ] || echo "opencl programs ran with: --device $opencl_device" >>"$scratch/environment.txt"
if [ -e "$results/environment.txt" ] &&
    [ "$(whose "$results/environment.txt")" != "$(whose "$scratch/environment.txt")" ]; then
    echo "record.sh: '$1' was recorded on $(whose "$results/environment.txt" | paste -sd ';' -); this is" \
        "$(whose "$scratch/environment.txt" | paste -sd ';' -): take another name" >&2
    exit 2
fi
mkdir "$scratch/record"

# left_out NAME WHY: all right, but not beside an older record of it.
left_out() {
    if [ -e "$results/$1.txt" ]; then
        echo "record.sh: $1 is $2, and in '$results' from before: nothing was changed" >&2
        exit 1
    fi
}

# wanted NAME: ONLY names it, or there is no ONLY.
wanted() { case " ${ONLY-$1} " in *" $1 "*) ;; *) return 1 ;; esac; }

# record NAME PROGRAM OPTIONS...: NAME.txt; nothing where there is no device.
record() {
    name=$1
    wanted "$name" || return 0
    program=$build/$2
    chosen=
    shift 2
    if [ ! -x "$program" ]; then
        left_out "$name" "not built"
        echo "$name: not built"
        return
    fi
    ! grep -q "^opencl ${program#"$build"/}\$" "$build/programs.txt" || chosen=$opencl_device
    [ -z "$chosen" ] || set -- --device "$chosen" "$@"
    code=0
    "$program" "$@" >"$scratch/output" || code=$?
    case $code in
    0) mv "$scratch/output" "$scratch/record/$name.txt" ;;
    77)
        left_out "$name" "without a device" # the program has said so
        return
        ;;
    *) echo "$name: failed" && exit 1 ;;
    esac
    echo "$name: recorded"
}

# The chapters' first pages: what they print on the first device, when PoCL has no compiled kernel yet.
page() { # NAME PROGRAM
    ! wanted "$1" || [ ! -x "$2" ] || ! POCL_KERNEL_CACHE=0 "$2" >"$scratch/output" || mv "$scratch/output" "$scratch/record/$1.txt"
}
for minimal in "$build"/0?_*/0?_*_minimal "$build"/0?_*/0?_*_minimal_blocked; do
    page "${minimal##*/}" "$minimal"
done
export CUDA_MODULE_LOADING=EAGER # CUDA 12.2 and later load lazily
page 06_cuda_minimal_eager "$build/06_warmup/06_cuda_minimal"
unset CUDA_MODULE_LOADING
while read -r _ program; do # CMake lists the programs, in reading order
    case $program in
    */warmup*) record "${program##*/}" "$program" --runs 5 ;;
    *) record "${program##*/}" "$program" ;;
    esac
done <"$build/programs.txt"
record block_timeline 05_block_clock/block_clock --each --blocks 600 --threads 1024
timeline=$scratch/record/block_timeline.txt # the picture has the first 12 SMs
[ ! -e "$timeline" ] || awk '$1 == "block" { print "# thinned to SMs 0 to 11" } /^#/ || $1 == "block" || $2 < 12' \
    "$timeline" >"$scratch/output"
[ ! -e "$timeline" ] || mv "$scratch/output" "$timeline"
# What the texts say to try.
record try_clfinish_sync 02_clfinish_sync/clfinish_sync --size 1024
record try_block_clock 05_block_clock/block_clock --blocks 1,132,133,264 --threads 32,256,1024

# With ONLY, what the other programs printed stays.
if [ "${ONLY-}" ] && [ -e "$results/environment.txt" ]; then
    sed -n 's/^date: /recorded before, in part: /p; /^recorded before/p' "$results/environment.txt" |
        grep -v "$(date -u +%Y-%m-%d)" | sort -u >>"$scratch/environment.txt" || :
fi
mkdir -p "$results"
mv "$scratch/environment.txt" "$scratch/record"/*.txt "$results"
cat "$results/environment.txt"

# draw PLOT RECORD: the chapter's pictures, where their data is; RECORD may be a pattern.
draw() {
    ! find "$results" -name "$2" | grep -q . || gnuplot -c "$1" "$results"
}
if command -v gnuplot >/dev/null; then
    draw 03_opencl_profiling/plot.gp bandwidth.txt
    draw 04_cuda_events/plot.gp cuda_events.txt
    draw 05_block_clock/plot.gp block_timeline.txt
    draw 06_warmup/plot.gp '06_*minimal*.txt'
    for picture in "$results"/*.svg; do # half of gnuplot's lines are groups with nothing in them; a group gets one line
        [ ! -e "$picture" ] || sed -i -z 's/<g [^>]*>\n<\/g>\n//g; s/\t<filter.*<\/filter>\n//; s/\n\t*<text>/<text>/g
            s/\n\t*<\/g>/<\/g>/g; s/\n\n*/\n/g; s/\n\t*\([^<\t]\|<[^g\/\t]\|<g tr\|<\/defs\)/ \1/g' "$picture"
    done
else
    echo "No gnuplot, no pictures (Debian: gnuplot-nox)"
fi
