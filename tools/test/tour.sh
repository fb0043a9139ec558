#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/test/tour.sh: ./tour.sh in a copy, with tools that build nothing and programs that answer as recorded on an H100:
# what it installs, runs and says, the page that it writes, and how it ends.
set -eu
unset CDPATH FAILS
export LC_ALL=C
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cd "$(dirname "$0")/../.."
mkdir -p "$copy/bin" "$copy/suite/build"
cp -R tour.sh tools simulator docs 0?_* "$copy/suite"
cd "$copy/suite"
export HOME="$copy" PATH="$copy/bin:$PATH"

# They do nothing but note what they are asked.
cat >../bin/tool <<'.'
#!/bin/sh
name=${0##*/}
echo "$name $*" >>../asked
case " ${FAILS-} " in *" $name "*) echo "$name: why" >&2 && exit 3 ;; esac
[ "$name" != cmake ] || [ "$1" != --preset ] || echo "-- Left out, because they need a tool: one program"
[ "$name" != sudo ] || { [ "$1" != -n ] || shift && exec "$@"; }
.
chmod +x ../bin/tool
for tool in cc make cmake ctest apt-get sudo; do cp ../bin/tool "../bin/$tool"; done

# The tour runs the first program of each chapter for each API. Of these one has no device, and one is not built. With
# NO_GPU no CUDA program has a device; the simulated ones answer as the others.
printf '%s\n' "host 01_host_clock/host_clock" "host 01_host_clock/stopwatch" "opencl 02_clfinish_sync/clfinish_sync" \
    "opencl 03_opencl_profiling/opencl_profiling" "cuda 04_cuda_events/cuda_events" "cuda 05_block_clock/block_clock" \
    "opencl 05_block_clock/block_clock_opencl" "cuda 06_warmup/warmup" >build/programs.txt
while read -r _ program; do
    mkdir -p "build/${program%/*}"
    cat >"build/$program" <<'.'
#!/bin/sh
name=${0##*/}
for option; do csv=${option#--csv=}; done
: >"$csv"
[ "$name" != opencl_profiling ] || { echo "$name: no OpenCL device" >&2 && exit 77; }
case $0,${SIMULATED_TIMES-},${NO_GPU-} in
build/simulated/*) [ "$SIMULATED_TIMES" = h200 ] || exit 1 ;;
build/0[456]_*_opencl,* | build/0[123]*) ;;
*,yes) echo "$name: no NVIDIA GPU" >&2 && exit 77 ;;
esac
sed '/^no_finish,/s/0$/1/; /^finish_after,/s/,[0-9]*/,9/2; s/^\(warm_then_median\(,[^,]*\)\{3\},\)/\19/' \
    "docs/results/nvidia-h100/$name.csv" >"$csv"
awk -v name="$name" '/^## / { inside = $2 == name } inside && !/^(##|```)/' docs/results/nvidia-h100/README.md
case " ${FAILS-} " in *" $name "*) echo "$name: a <b> & \"c\" in $PWD/x.c" >&2 && exit 1 ;; esac
.
    chmod +x "build/$program"
    mkdir -p "build/simulated/bin/${program%/*}" && cp "build/$program" "build/simulated/bin/$program"
done <build/programs.txt
rm build/05_block_clock/block_clock_opencl

bad=0
# tours CODE [ARGUMENT...]: ./tour.sh ends with CODE. What it says is in ../text, what its tools are asked in ../asked.
tours() {
    : >../asked
    code=$1 ended=0 && shift
    ./tour.sh "$@" >../text 2>&1 </dev/null || ended=$?
    [ "$ended" = "$code" ] || { echo "tour.sh $*: exit $ended, not $code" && cat ../text && bad=1; }
    [ -z "$(find build -name 'tour.*')" ] || { echo "tour.sh leaves a folder in build/" && bad=1; }
}
# said LINE...: whole lines, in this order.
said() {
    printf '%s\n' "$@" >../wanted
    grep -xFf ../wanted ../text | diff ../wanted - || bad=1
}
page() { python3 tools/test/check_page.py build/report.html "$@" || bad=1; }

tours 0
said "Left out, because they need a tool: one program" "==== 01_host_clock/host_clock ====" \
    "==== 02_clfinish_sync/clfinish_sync ====" "==== 03_opencl_profiling/opencl_profiling ====" "Skipped: no OpenCL device" \
    "==== 04_cuda_events/cuda_events ====" "==== 05_block_clock/block_clock ====" "==== 05_block_clock/block_clock_opencl ====" \
    "Skipped: not built: CMake found no OpenCL (Debian, Ubuntu: ocl-icd-opencl-dev)" "==== 06_warmup/warmup ====" \
    "==== One kernel under every clock ====" \
    "The table shows vector_add of 16777216 floats on this machine, in microseconds (us)." \
    "The report of this machine, to open in a browser: build/report.html" "    ./change.sh block_clock --threads 64" \
    "    ./change.sh clfinish_sync --size 1024" "    ./change.sh cuda_events --size 1024"
grep -q '^OpenCL no_finish .* (disturbed)$' ../text && grep -q '^CUDA   event_net ' ../text || bad=1
[ "$(cd build/tour && echo ./*.csv)" = "./block_clock.csv ./clfinish_sync.csv ./cuda_events.csv ./host_clock.csv \
./warmup.csv" ] || { ls build/tour && bad=1; }
page "02_clfinish_sync/clfinish_sync: disturbed: no_finish" \
    "fastest one: finish_after (median_us" "us in warmup: programs that measure the same differ" "no clock,min_us" \
    "method median_us clock min_us" "no_finish disturbed" "what can still be used" "Skipped: no OpenCL device" "method this machine nvidia-h100" "04 Each method on each kernel" "no simulated" "no $PWD"
[ "$(sed -n 's/.*<h2[^>]*>\(..\).*/\1/p' build/report.html | paste -sd ' ' -)" = "01 02 03 04 05 06 Nu Th Th Wh" ] || bad=1

# Without a GPU the CUDA programs of the chapters run on the simulated one. Their rows are beside no recorded machine.
NO_GPU=yes tours 0
model="So it runs on a simulated GPU, a model of an H200 in software. No number below is of hardware."
again="Again on the simulated GPU: no number below is of hardware."
said "==== 04_cuda_events/cuda_events ====" "Not on this machine: no NVIDIA GPU." "$model" \
    "==== 05_block_clock/block_clock ====" "$again" "==== 06_warmup/warmup ====" "$again" "The report of this machine, to open in a browser: build/report.html" \
    "    ./change.sh block_clock --threads 64    (on the simulated GPU)"
[ "$(cd build/tour && echo ./*.csv simulated/*.csv)" = "./clfinish_sync.csv ./host_clock.csv \
simulated/block_clock.csv simulated/cuda_events.csv simulated/warmup.csv" ] || { ls build/tour/* && bad=1; }
page "cuda_events on a simulated GPU A model of an NVIDIA H200, in software: no number here was measured." \
    "05_block_clock/block_clock on the simulated GPU" "no block_clock on this machine" "no cuda_events on this machine" \
    "06_warmup/warmup: simulated, for this machine has no NVIDIA GPU" "02 vector_add by the host's clock and the event's" \
    "no 04 Each method on each kernel" "no 05 Clocks of a block, CUDA"
! grep '^CUDA   \|left out$' ../text || bad=1
FAILS=warmup NO_GPU=yes tours 1
said "FAILED: simulated/06_warmup/warmup"

# A program that fails: the tour says so, goes on, and has no record of it, though one was begun.
FAILS=cuda_events tours 1
said "FAILED: 04_cuda_events/cuda_events" "==== 05_block_clock/block_clock ===="
[ ! -e build/tour/cuda_events.csv ] || { echo "tour.sh keeps the record of a program that failed" && bad=1; }
page 'FAILED with exit code 1: a <b> & "c" in x.c' "06 Warm-up"

# A build that fails, and one that is only tested. The last tour's page and records stay.
FAILS=cmake tours 1
said "cmake: why" "tour.sh: the build failed"
FAILS=ctest tours 3 test
tours 2 tests
tours 2 build test
tours 0 --help
said "./tour.sh build  set up and build" "    build-essential cmake; opencl-headers ocl-icd-opencl-dev; pocl-opencl-icd; python3"
[ -s build/report.html ] && [ -s build/tour/ran.txt ] && [ ! -s ../asked ] || bad=1

# What it installs: without a terminal at once, with --no-install nothing, and at a terminal nothing if the answer is n.
export FAILS=cc
tours 0 build
grep -q '^apt-get install .* opencl-headers ocl-icd-opencl-dev' ../asked || bad=1
tours 0 test --no-install
! grep apt-get ../asked || bad=1
tours 0 --no-install
! grep apt-get ../asked || bad=1
for answer in n y; do
    : >../asked
    echo $answer | python3 -c 'import pty; pty.spawn(["./tour.sh", "build"])' >../text
    grep -q '^Missing here: .*opencl-headers' ../text || bad=1
    [ "$(grep -c '^apt-get install .*opencl' ../asked)" = "$([ $answer = n ] && echo 0 || echo 1)" ] || bad=1
done
exit "$bad"
