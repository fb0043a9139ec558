#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/test/record.sh: docs/results/record.sh, change.sh and environment.sh, and docs/lab/ncu.sh, in a copy, with programs
# that only write what they were asked into their record.
set -eu
unset BUILD ONLY
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cd "$(dirname "$0")/../.."
mkdir -p "$copy/bin" "$copy/docs/results" "$copy/docs/lab" "$copy/build/01_host_clock" "$copy/build/02_clfinish_sync" \
    "$copy/build/06_warmup" "$copy/build/docs/copy" "$copy/build/docs/lab"
cp docs/*.sh "$copy/docs"
cp docs/results/*.sh "$copy/docs/results"
cp docs/lab/ncu.sh "$copy/docs/lab"
cd "$copy"
PATH=$copy/bin:$PATH
# is WHAT FILE: what FILE must be stands on stdin.
is() { diff - "$2" || { echo "record.sh: not so: $1" && exit 1; } >&2; }
fails() {
    if "$@" >/dev/null 2>message; then
        echo "record.sh: did not fail: $*" >&2
        exit 1
    fi
}

printf '%s\n' "host 01_host_clock/host_clock" "host 01_host_clock/stopwatch" "opencl 02_clfinish_sync/clfinish_sync" \
    >build/programs.txt
cat >build/01_host_clock/host_clock <<'.'
#!/bin/sh
[ "$*" != "--device list" ] || exec echo "0  Known GPU, driver 1"
case " ${FAILS-} " in *" ${0##*/} "*) echo "${0##*/}: why" >&2 && exit "$CODE" ;; esac
for word; do
    case $word in --csv=*) echo "$*" | sed 's/--csv=[^ ]*/csv/' >"${word#--csv=}" ;; esac
done
echo "${0##*/} says $STATE"
.
for program in 01_host_clock/stopwatch 02_clfinish_sync/clfinish_sync; do
    cp build/01_host_clock/host_clock "build/$program"
done
cat >build/docs/copy/fit_to_measure <<'.'
#!/bin/sh
echo "# disturbed,$STATE" >"${1#--csv=}"
shift
[ $# -gt 0 ] || echo "cores: 2"
exec "$@"
.
chmod +x build/0*/* build/docs/copy/fit_to_measure

# With ONLY some programs are recorded anew. Who disturbed these before is forgotten, who disturbed the others stays.
STATE="others ran" docs/results/record.sh known >/dev/null
STATE=no ONLY=stopwatch docs/results/record.sh known >/dev/null
grep '^disturbed: ' docs/results/known/environment.txt >found
grep ' says ' docs/results/known/README.md >>found
is "ONLY" found <<'.'
disturbed: host_clock: others ran
disturbed: clfinish_sync: others ran
disturbed: try_clfinish_sync: others ran
clfinish_sync says others ran
host_clock says others ran
stopwatch says no
clfinish_sync says others ran
.
# What the texts say to try is on the page, and leaves no record. The device is for the OpenCL programs.
STATE=no docs/results/record.sh chosen Known >/dev/null
sed -n 's/^## //p' docs/results/chosen/README.md >found
(cd docs/results/chosen && grep . ./*.csv && ls) >>found
is "a record, and its options" found <<'.'
clfinish_sync
host_clock
stopwatch
try_clfinish_sync
./clfinish_sync.csv:csv --device Known
./host_clock.csv:csv
./stopwatch.csv:csv
README.md
clfinish_sync.csv
environment.txt
host_clock.csv
stopwatch.csv
.
# A program that fails, and one that has no device any more, change nothing.
cp -R docs/results/chosen before
export STATE=new
fails env FAILS=stopwatch CODE=1 docs/results/record.sh chosen
grep -qx "stopwatch: why" message
fails env FAILS=stopwatch CODE=77 docs/results/record.sh chosen
grep -q "stopwatch is without a device" message
fails docs/results/record.sh 'two words'
diff -r before docs/results/chosen
# One without a device that has no older record: the others are recorded.
FAILS=stopwatch CODE=77 docs/results/record.sh two >/dev/null 2>&1
(cd docs/results/two && ls ./*.csv) >found
is "two programs" found <<'.'
./clfinish_sync.csv
./host_clock.csv
.

# Five processes of each, with the options and without, and then they are compared.
cat >docs/side_by_side.sh <<'.'
#!/bin/sh
cat $1 $2
.
docs/change.sh stopwatch --runs 7 | grep csv >found
is "a change" found <<'.'
csv
csv
csv
csv
csv
csv --runs 7
csv --runs 7
csv --runs 7
csv --runs 7
csv --runs 7
.
# A has options of its own; a path names the program, too; what is asked of the program, the program answers.
docs/change.sh 01_host_clock/stopwatch --runs 3 -- --runs 7 | grep csv | uniq -c | tr -s ' ' >found
docs/change.sh host_clock --device list | tr -s " " >>found
is "two changes" found <<'.'
 5 csv --runs 3
 5 csv --runs 7
0 Known GPU, driver 1
.
# A wrong option costs one process, and leaves the older records.
fails env FAILS=stopwatch CODE=2 docs/change.sh stopwatch --rnus 9
[ "$(tail -n 2 message)" = "stopwatch: why
change.sh: its options: ./build/01_host_clock/stopwatch --help" ]
grep -qx 'csv --runs 7' build/change/stopwatch/B5.csv
docs/change.sh --help | grep -q 'change.sh PROGRAM A... -- B...'
fails docs/change.sh
grep -q 'change.sh PROGRAM A... -- B...' message

# What Nsight Compute says: the median of four launches, of numbers with commas, of the kernel that is meant.
cat >bin/ncu <<'.'
#!/bin/sh
[ "$1" != --version ] || exec printf 'NVIDIA (R)\nVersion 2026.1.2.0 (build 3)\n'
echo "==PROF== Connected"
echo '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'
times=1
case "$*" in *"--cache-control all"*) times=3 ;; esac
for kernel in "empty()" "stamped_spin_blocks(unsigned long, int)" "stamped_vector_add(float *, int)" "vector_add(float *, int)"; do
    for ns in 9 10000 800 2000; do
        value=$((ns * times * ${#kernel}))
        [ "$value" -lt 1000 ] || value=$((value / 1000)),$(printf %03d $((value % 1000)))
        echo "\"1\",\"$kernel\",\"gpu__time_duration.sum\",\"ns\",\"$value\""
        echo "\"1\",\"$kernel\",\"sm__cycles_active.max\",\"\",\"$ns\""
        echo "\"1\",\"$kernel\",\"sm__cycles_elapsed.max\",\"\",\"$((2 * ns))\""
    done
done
.
printf '#!/bin/sh\nprintf "# device,Known GPU\\n# driver,1\\n# date,2026-01-02\\n# runs,2\\n"\n' >build/docs/lab/calibrate
chmod +x bin/ncu build/docs/lab/calibrate
docs/lab/ncu.sh build >found
is "ncu.sh" found <<'.'
# program,ncu.sh
# device,Known GPU
# driver,1
# date,2026-01-02
# tool,Nsight Compute 2026.1.2
program,kernel,size,caches,duration_us,sm_active_us,active_cycles,elapsed_cycles,times
calibrate,empty,,kept,9.800,4.900,1400,2800,
graph_times,spin,,kept,54.600,,,,
graph_times,vector_add,,kept,44.800,,,,
warmup_series,vector_add,65536,kept,33.600,,,,
warmup_series,vector_add,65536,flushed,100.800,,,,3.000
warmup_series,vector_add,1048576,kept,33.600,,,,
warmup_series,vector_add,1048576,flushed,100.800,,,,3.000
warmup_series,vector_add,16777216,kept,33.600,,,,
warmup_series,vector_add,16777216,flushed,100.800,,,,3.000
.

# What the machine is: no more of the kernel's version than its numbers. A record of another machine is refused.
cat >bin/uname <<'.'
#!/bin/sh
[ "$1" = -r ] && echo 6.1.0-13-cloud || echo "Linux x86_64"
.
printf '#!/bin/sh\necho 7\n' >bin/nproc
printf '#!/bin/sh\necho "NVIDIA Known, 580.1"\n' >bin/nvidia-smi
printf '#!/bin/sh\necho "Cuda compilation tools, release 13.0, V13.0.88"\n' >bin/nvcc
chmod +x bin/*
docs/results/environment.sh | sed -n 's/.* kernel/kernel/p; s/.*, 7 cores/7 cores/p; /^gpu\|^toolkit\|^opencl/p' >found
is "the machine" found <<'.'
kernel 6.1.0
7 cores
gpu: NVIDIA Known, driver 580.1
toolkit: CUDA 13.0.88
opencl device 0  Known GPU, driver 1
.
CUDA_VISIBLE_DEVICES='' docs/results/environment.sh >found
fails grep ^gpu found
cp -R docs/results/chosen before-gpu
fails docs/results/record.sh chosen
grep -q "'chosen' was recorded on .*; this is NVIDIA Known: take another name" message
diff -r before-gpu docs/results/chosen
