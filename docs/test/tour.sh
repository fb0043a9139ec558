#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/test/tour.sh: ./tour.sh in a copy, with tools that build nothing and programs that answer with docs/test/tour/.
# What it runs and says, what it leaves for the report, and how it ends.
set -eu
unset CDPATH FAILS
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cd "$(dirname "$0")/../.."
mkdir "$copy/bin" "$copy/suite"
cp -R tour.sh docs 0?_* "$copy/suite"
cd "$copy/suite"
export HOME="$copy"

# cc makes one program, fit_to_measure. The others do nothing but say what they are asked.
cat >../bin/tool <<'.'
#!/bin/sh
name=${0##*/}
case " ${FAILS-} " in *" $name "*) echo "$name: why" && exit 3 ;; esac
[ "$name" != cmake ] || [ "$1" != --preset ] || echo "-- Left out, because they need a tool: one program"
[ "$name" != ctest ] || echo "ctest $*"
while [ "$name" = cc ] && [ $# -gt 1 ]; do
    [ "$1" != -o ] || cp "$(dirname "$0")/fit" "$2"
    shift
done
.
cat >../bin/fit <<'.'
#!/bin/sh
echo "# disturbed,others ran" >"${1#--csv=}"
echo "Disturbed: others ran."
.
chmod +x ../bin/*
for tool in cc make cmake ctest apt-get sudo; do cp ../bin/tool "../bin/$tool"; done
PATH=$copy/bin:$PATH

# The chapters' programs, of which the tour runs the first for each API: one has no device, one is not built.
rm -rf build
mkdir build
cat >build/programs.txt <<'.'
host 01_host_clock/host_clock
host 01_host_clock/stopwatch
opencl 02_clfinish_sync/clfinish_sync
opencl 03_opencl_profiling/opencl_profiling
cuda 04_cuda_events/cuda_events
cuda 04_cuda_events/three_times
cuda 05_block_clock/block_clock
opencl 05_block_clock/block_clock_opencl
host docs/lab/known_length
cuda docs/lab/calibrate
.
while read -r _ program; do
    mkdir -p "build/${program%/*}"
    cat >"build/$program" <<'.'
#!/bin/sh
name=${0##*/}
[ "$name" != opencl_profiling ] || { echo "$name: no OpenCL device" >&2 && exit 77; }
cp "docs/test/tour/$name.csv" "${1#--csv=}" && cat "docs/test/tour/$name.txt"
case " ${FAILS-} " in *" $name "*) echo "$name: impossible: 0 us" >&2 && exit 1 ;; esac
.
    chmod +x "build/$program"
done <build/programs.txt
rm build/05_block_clock/block_clock_opencl

bad=0
# tours CODE [ARGUMENT]: ./tour.sh ends with CODE. What it says is in ../text.
tours() {
    code=0
    ./tour.sh ${2+"$2"} >../text 2>&1 </dev/null || code=$?
    [ "$code" = "$1" ] || { echo "tour.sh: exit $code, not $1" && cat ../text && bad=1; }
    [ -z "$(find build -name 'tour.*')" ] || { echo "tour.sh leaves a folder in build/" && bad=1; }
}
# said LINE...: whole lines, in this order.
said() {
    printf '%s\n' "$@" >../wanted
    grep -xFf ../wanted ../text | diff ../wanted - || bad=1
}

tours 0
said "Left out, because they need a tool: one program" "==== 01_host_clock/host_clock ====" "==== 02_clfinish_sync/clfinish_sync ====" \
    "==== 03_opencl_profiling/opencl_profiling ====" "Skipped: no OpenCL device" "==== 04_cuda_events/cuda_events ====" \
    "==== 05_block_clock/block_clock ====" "==== 05_block_clock/block_clock_opencl ====" \
    "Skipped: not built: CMake found no OpenCL (Debian, Ubuntu: ocl-icd-opencl-dev)" "==== One kernel under every clock ====" \
    "OpenCL no_finish               host             2.00  the call that queues the kernel (disturbed)" \
    "CUDA   event_net               device          60.00  the kernel on the device" \
    "The table shows vector_add of 1000 floats on this machine, in microseconds (us)." \
    "The report of this machine, to open in a browser: build/report.html" \
    "    docs/change.sh block_clock --threads 64"
cut -f 1,2,4 build/tour/ran.txt >../found
(cd build/tour && ls) >>../found
diff - ../found <<'.' || bad=1
01_host_clock/host_clock	0	
02_clfinish_sync/clfinish_sync	0	
03_opencl_profiling/opencl_profiling	77	no OpenCL device
04_cuda_events/cuda_events	0	
05_block_clock/block_clock	0	
05_block_clock/block_clock_opencl	77	not built: CMake found no OpenCL (Debian, Ubuntu: ocl-icd-opencl-dev)
block_clock.csv
block_clock.txt
calibrate.csv
calibrate.txt
clfinish_sync.csv
clfinish_sync.txt
cuda_events.csv
cuda_events.txt
environment.txt
fit_to_measure.csv
fit_to_measure.txt
host_clock.csv
host_clock.txt
load.txt
ran.txt
.
python3 docs/test/check_page.py build/report.html "the whole machine: others ran" "04 CUDA events" || bad=1

# A program that fails: the tour says so, goes on, and has no record of it, though one was begun.
FAILS=cuda_events tours 1
said "cuda_events: impossible: 0 us" "FAILED: 04_cuda_events/cuda_events" "==== 05_block_clock/block_clock ===="
[ ! -e build/tour/cuda_events.csv ] || { echo "tour.sh keeps the record of a program that failed" && bad=1; }
python3 docs/test/check_page.py build/report.html "FAILED with exit code 1: impossible: 0 us" || bad=1

FAILS=calibrate tours 1
said "FAILED: docs/lab/calibrate" "==== 05_block_clock/block_clock ===="
[ ! -e build/tour/calibrate.csv ] || { echo "tour.sh keeps the record of a calibration that failed" && bad=1; }

# A build that fails, and one that is only tested. The last tour's page and records stay.
FAILS=cmake tours 1
said "cmake: why" "tour.sh: the build failed"
FAILS=ctest tours 3 test
tours 0 build
tours 0 test
said "ctest --preset default"
tours 2 tests
said "usage: ./tour.sh [build|test]; at a terminal it asks before it installs packages through sudo"
[ -s build/report.html ] && [ -s build/tour/ran.txt ] || bad=1
exit "$bad"
