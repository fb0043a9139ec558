#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ./tour.sh        set up, build, run every chapter that this machine can, and write build/report.html
# ./tour.sh test   set up, build, and run the tests
#
# Setting up installs what is missing from Debian's or Ubuntu's packages, as root or through sudo;
# without either it prints the line to type and goes on with what is there.
set -u
cd "$(dirname "$0")" || exit 1
mode=${1-}
if [ $# -gt 1 ] || { [ $# -eq 1 ] && [ "$mode" != test ]; }; then
    echo "usage: ./tour.sh [test]" >&2
    exit 2
fi
load() { cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || uptime | sed 's/.*averages*: *//'; }
load_before=$(load) # before the build, which is a load itself
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
log=$scratch/log

# ---- Set up ----

# as_root COMMAND...: as root, through sudo if need be; fails if neither is to be had.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        sudo "$@"
    else
        return 1
    fi
}

# install PACKAGE...: or says why not, and goes on.
install() {
    echo "Installing $* ..."
    if ! command -v apt-get >/dev/null || ! as_root true; then
        echo "Cannot: no apt-get, or neither root nor sudo. Type:"
        echo "    sudo apt-get update; sudo apt-get install $*"
    elif ! { as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "$@"; } >"$log" 2>&1; then
        echo "Not installed; going on with what is there. apt-get says:"
        grep '^E:' "$log" | head -n 3
    fi
}

if ! command -v cc >/dev/null || ! command -v make >/dev/null || ! command -v cmake >/dev/null; then
    install build-essential cmake
fi
if ! printf '#include <CL/cl.h>\nint main(void) { return 0; }\n' |
    cc -xc - -lOpenCL -o "$scratch/opencl" 2>/dev/null; then
    install opencl-headers ocl-icd-opencl-dev
fi
if ! ls /etc/OpenCL/vendors/pocl*.icd >/dev/null 2>&1; then # beside a GPU's driver too
    install pocl-opencl-icd
fi
if [ "$mode" != test ]; then # the page of this machine, and its pictures
    command -v python3 >/dev/null || install python3
    command -v gnuplot >/dev/null || install gnuplot-nox
fi
for tool in cc make cmake; do
    if ! command -v "$tool" >/dev/null; then
        echo "tour.sh: nothing can be built without $tool" >&2
        exit 1
    fi
done

# ---- Build ----

echo "Building ..."
if ! { cmake --preset default && cmake --build --preset default -j "$(nproc)"; } >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    exit 1
fi
sed -n 's/^-- Left out/Left out/p' "$log"

if [ "$mode" = test ]; then
    ctest --preset default
    exit
fi

# ---- Run ----

# look PROGRAM: what to look at in its table.
look() {
    case $1 in
    host_clock) echo "Look at sleep (ms) and threads (ms): which clock disagrees with all others?" ;;
    clfinish_sync) echo "Look at median (us): the last row is the device's own time. How far from it is each row above?" ;;
    opencl_profiling) echo "Look at median (us): how much of what the host waits for is start_to_end, the kernel?" ;;
    cuda_events) echo "Look at extra (us): which clock comes closest to the time for which the code really ran?" ;;
    block_clock*) echo "Look at clocks_mean and outside (us): which of the two grows with the number of blocks?" ;;
    warmup*) echo "Look at error (percent): which recipe comes closest to the time of a warm kernel?" ;;
    *) echo "Look at the rows: what differs between them?" ;;
    esac
}

failed=0
out=build/tour # what report.py reads
rm -rf "$out" build/report.html
mkdir "$out" || exit 1
docs/results/environment.sh >"$out/environment.txt" 2>/dev/null
if [ -x build/06_warmup/fit_to_measure ]; then
    build/06_warmup/fit_to_measure >"$out/fit_to_measure.txt" 2>&1
fi
# CMakeLists.txt lists the programs, in the order of the chapters. The tour runs the first of each, for
# OpenCL and for CUDA.
# shellcheck disable=SC2013 # names without blanks
for line in $(sed -n 's/^add_program(\([a-z]*\) \([^/]*\)\/\([^.]*\)\..*/\1 \2 \3/p' CMakeLists.txt |
    awk '!seen[$1 $2]++ { print $1 ":" $2 "/" $3 }'); do
    program=${line#*:}
    name=${program#*/}
    printf '\n==== %s ====\n\n' "$program"
    if [ ! -x "build/$program" ]; then
        code=77
        case $line in
        cuda:*) why="not built: CMake found no CUDA Toolkit" ;;
        *) why="not built: CMake found no OpenCL (Debian, Ubuntu: ocl-icd-opencl-dev)" ;;
        esac
    else
        printf '%s\n\n' "$(look "$name")"
        { "build/$program" 2>"$log"; echo $? >"$scratch/code"; } | tee "$scratch/output"
        read -r code <"$scratch/code"
        [ "$code" -eq 77 ] || cat "$log" >&2
        why=$(sed 's/^[^:]*: //' "$log" | tail -n 1)
        [ ! -s "$scratch/output" ] || cp "$scratch/output" "$out/$name.txt"
    fi
    case $code in
    0) ;;
    77) echo "Skipped: $why" ;;
    *)
        echo "FAILED: $program"
        failed=1
        ;;
    esac
    printf '%s\t%s\t%s\t%s\n' "$program" "$code" "$(look "$name")" "$why" >>"$out/ran.txt"
done
printf '%s\n%s\n' "$load_before" "$(load)" >"$out/load.txt"

# One kernel under every clock: the medians of vector_add, from the tables of chapters 02 and 04.
printf '\n==== One kernel under every clock ====\n\n'
cat "$out"/clfinish_sync.txt "$out"/cuda_events.txt 2>/dev/null | awk '
    function row(api, clock, us, measures) {
        if (!rows++)
            printf "%-6s %-23s %-9s %11s  %s\n", "api", "method", "clock", "median (us)", "measures"
        printf "%-6s %-23s %-9s %11s  %s%s\n", api, $1, clock, us, measures, / disturbed$/ ? " (disturbed)" : ""
        disturbed += / disturbed$/
    }
    match($0, /vector_add of [0-9]+ floats/) { kernel = substr($0, RSTART, RLENGTH) }
    /^no_finish / { row("OpenCL", $2, $4, "the call that queues the kernel") }
    /^finish_after / { row("OpenCL", $2, $4, "an earlier command and the kernel") }
    /^finish_before_and_after / { row("OpenCL", $2, $4, "the kernel, the way there and back") }
    /^profiling_event / { row("OpenCL", $2, $4, "the kernel on the device") }
    $3 != "vector_add" { next }
    /^host_no_sync / { row("CUDA", $2, $5, "the call that launches the kernel") }
    /^host_sync / { row("CUDA", $2, $5, "the kernel, the way there and back") }
    /^cpu_clock / { row("CUDA", $2, $5, "processor time while the host waits") }
    /^event / { row("CUDA", $2, $5, "the kernel, the events, the launch gap") }
    /^event_blocked / { row("CUDA", $2, $5, "the kernel and the events") }
    /^event_net / { row("CUDA", $2, $5, "the kernel on the device") }
    END {
        if (!rows) {
            print "No table: this machine has no OpenCL device and no CUDA GPU that ran the kernel."
            exit
        }
        print "\nThe table shows " kernel " on this machine, in microseconds (us)."
        print "The work is the same in each row. The number depends on where the clock starts and stops."
        if (disturbed)
            print "Do not believe a row that says disturbed: run the tour again on an idle machine."
    }'

echo
if ! command -v python3 >/dev/null; then
    echo "The report is left out: it needs python3 (Debian, Ubuntu: sudo apt-get install python3)."
elif python3 -X utf8 docs/report.py "$out" build/report.html; then
    echo "The report of this machine, to open in a browser: build/report.html"
else
    echo "FAILED: docs/report.py" >&2
    failed=1
fi
echo "Read next: 01_host_clock/README.md"
exit "$failed"
