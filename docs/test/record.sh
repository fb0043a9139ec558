#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/test/record.sh: docs/results/record.sh, change.sh and environment.sh in a copy, with programs that only write what
# they were asked into their record.
set -eu
unset BUILD ONLY
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cd "$(dirname "$0")/../.."
mkdir -p "$copy/bin" "$copy/docs/results" "$copy/build/01_host_clock" "$copy/build/02_clfinish_sync" \
    "$copy/build/06_warmup" "$copy/build/docs/copy"
cp docs/*.sh "$copy/docs"
cp docs/results/*.sh "$copy/docs/results"
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
