#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ./tour.sh        set up, build, and run every chapter that this machine can
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

failed=0
row() { # CHAPTER/PROGRAM DEVICE RESULT
    printf '%-20s %-20s %-36.36s %s\n' "${1%/*}" "${1#*/}" "$2" "$3" >>"$scratch/table"
}
row chapter/program device result
# CMakeLists.txt lists the programs, in the order of the chapters. The tour runs the first of each, for
# OpenCL and for CUDA.
# shellcheck disable=SC2013 # names without blanks
for program in $(sed -n 's/^add_program(\([a-z]*\) \([^/]*\)\/\([^.]*\)\..*/\1 \2 \3/p' CMakeLists.txt |
    awk '!seen[$1 $2]++ { print $2 "/" $3 }'); do
    printf '\n==== %s ====\n\n' "$program"
    device=-
    if [ ! -x "build/$program" ]; then
        result="skipped: not built (see 'Left out' above)"
        echo "$result"
    else
        { "build/$program" 2>"$log"; echo $? >"$scratch/code"; } | tee "$scratch/output"
        cp "$scratch/output" "$scratch/${program#*/}.txt"
        cat "$log" >&2
        case $(cat "$scratch/code") in
        0)
            result=ran
            device=$(sed -n '1s/.* on \([^;,]*\)[;,].*/\1/p' "$scratch/output")
            ;;
        77) result="skipped: $(sed 's/^[^:]*: //; s/ (.*//' "$log")" ;;
        *)
            result="FAILED: $(tail -n 1 "$log")"
            failed=1
            ;;
        esac
    fi
    row "$program" "$device" "$result"
done

printf '\n==== What ran on this machine ====\n\n'
cat "$scratch/table"

# One kernel under every clock: the medians of vector_add, from the tables of chapters 02 and 04.
cat "$scratch"/clfinish_sync.txt "$scratch"/cuda_events.txt 2>/dev/null |
    awk 'function row(api, clock, us) {
             if (!rows++)
                 print "\n==== vector_add of 16777216 floats under every clock, us ====\n"
             sub(",", "", clock)
             printf "%-8s %-26s %-10s %12s\n", api, $1, clock, us
         }
         /^(no_finish|finish_after|finish_before_and_after|profiling_event) / { row("OpenCL", $2, $4) }
         /^(host_no_sync|host_sync|cpu_clock|event|event_blocked|event_net) / { if ($3 == "vector_add") row("CUDA", $2, $5) }'

printf '\nTo record this machine (measures again), and to lay it beside another one:\n'
printf '    docs/results/record.sh my-laptop\n    docs/results/compare.sh my-laptop nvidia-h200\n' ||
    failed=1
exit "$failed"
