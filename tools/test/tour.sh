#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/test/tour.sh: ./tour.sh in a copy, with tools that build nothing and programs that answer as recorded on an H200:
# what it installs, runs and says, the page that it writes, and how it ends.
# Red: a newcomer's first command fails, hides a failure, or says something false of the machine.
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
[ "$name" != opencl_profiling ] || { echo "$name: no OpenCL device" >&2 && exit 77; }
case $0,${SIMULATED_TIMES-},${NO_GPU-} in
build/simulated/*) [ "$SIMULATED_TIMES" = h200 ] || exit 1 ;;
build/0[456]_*_opencl,* | build/0[123]*) ;;
*,yes) echo "$name: no NVIDIA GPU: /a b/cuda.h:9: cudaMalloc(&x): error 35" >&2 && exit 77 ;;
esac
for record in docs/results/*/"$name.txt"; do break; done
sed 's/ runs_[a-z_]*$/ -/; /^finish_after /s/-$/runs_drift/' "$record"
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
    "vector_add of 16777216 floats on this machine. The work is the same in each row: the number depends on where the" \
    "==== What holds on this machine ====" "The pictures of this machine: xdg-open build/report.html" "    ./change.sh block_clock --threads 64" \
    "    ./change.sh clfinish_sync --size 1024" "    ./change.sh cuda_events --size 1024"
grep -q '^cmake --build --preset default' ../asked || bad=1
grep -q '^OpenCL finish_after .* (runs_drift)$' ../text && grep -q '^CUDA   event_net ' ../text || bad=1
[ "$(tail -n 1 ../text)" = "    xdg-open docs/stopwatch/index.html" ] && [ -s docs/stopwatch/index.html ] || bad=1
grep -q '^1 of [0-9]* rows say that they are disturbed: runs_drift 1\.$' ../text || bad=1
said "  clfinish_sync: no_finish 4.51 us, with clFinish 69.0 us" "  cuda_events: a kernel of 10 us takes by host_no_sync 3.83 us, by event_net 11.6 us"
[ "$(cd build/tour && echo ./*.txt)" = "./block_clock.txt ./clfinish_sync.txt ./cuda_events.txt ./environment.txt \
./holds.txt ./host_clock.txt ./ran.txt ./warmup.txt" ] || { ls build/tour && bad=1; }
page "median_us of each method no_finish 4.513 finish_after runs_drift 124.8" "median_us of each method on spin_10us the code 10.02 host_no_sync 3.832" \
    "1 of " "no_finish 4.51 us, with clFinish 69.0 us" "Skipped: no OpenCL device" "no simulated" "no $PWD"
[ "$(sed -n 's/.*<h2[^>]*>\(..\).*/\1/p' build/report.html | paste -sd ' ' -)" = "Wh 01 02 03 04 05 06 Th" ] || bad=1

# Before it measures it names the busy programs.
printf '#!/bin/sh\nwhile :; do :; done\n' >../bin/busy_loop && chmod +x ../bin/busy_loop
loops=
for _ in 1 2 3 4; do busy_loop & loops="$loops $!"; done # so many that it is among the first also beside others
tours 0
# shellcheck disable=SC2086 # several numbers
kill $loops
grep -q '^Busy on this machine, .*busy_loop [0-4]\.[0-9]' ../text && sed '/^Busy on/q' ../text | grep -q '^Building' || bad=1
! sed '/^Busy on/q' ../text | grep -q '^====' || bad=1

# Without a GPU the CUDA programs of the chapters run on the simulated one. Their rows are beside no recorded machine.
NO_GPU=yes tours 0
model="So it runs on a simulated GPU, a model of an H200 in software. No number below is of hardware."
again="Again on the simulated GPU: no number below is of hardware."
said "==== 04_cuda_events/cuda_events ====" "Not on this machine: no NVIDIA GPU." "$model" \
    "==== 05_block_clock/block_clock ====" "$again" "==== 06_warmup/warmup ====" "$again" "The pictures of this machine: xdg-open build/report.html" \
    "    ./change.sh block_clock --threads 64    (on the simulated GPU)"
[ "$(cd build/tour/simulated && echo ./*)" = "./block_clock.txt ./cuda_events.txt ./warmup.txt" ] || { ls build/tour/* && bad=1; }
said "The numbers of the simulated GPU are exact, however busy this machine is."
grep -q '^  block_clock (simulated): from 1 to 67584 blocks' ../text || bad=1
page "cuda_events on a simulated GPU A model of an NVIDIA H200, in software: no number here was measured." "error_percent of each recipe"
! grep '^CUDA   \|left out$' ../text || bad=1
FAILS=warmup NO_GPU=yes tours 1
said "FAILED: simulated/06_warmup/warmup"

# A program that fails: the tour says so, goes on, and has no record of it, though one was begun.
FAILS=cuda_events tours 1
said "FAILED: 04_cuda_events/cuda_events" "==== 05_block_clock/block_clock ===="
[ ! -e build/tour/cuda_events.txt ] || { echo "tour.sh keeps the record of a program that failed" && bad=1; }
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
