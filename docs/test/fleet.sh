#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fleet.sh BUILD [TIMES]: does docs/lab/fleet.py name a device that is slow, and nobody where none is? First from records
# of four GPUs that this script makes up. With TIMES, so often, also a fleet of eight
# PoCL devices on this machine, whose processes are started by mpirun (Debian: openmpi-bin) and by Slurm's srun
# (slurmctld, slurmd, munge; it needs root). The eight share the cores, so they measure in turns. The
# slow one has four times the work. What is not installed is left out and named; with neither the test is skipped (77).
set -eu
build=$(readlink -f "${1:?usage: fleet.sh BUILD [TIMES]}")
cd "$(dirname "$(readlink -f "$0")")/../.."
suite=$PWD
times=${2-0}
scratch=$(mktemp -d)
daemons=
# shellcheck disable=SC2317 # the trap calls it
clean_up() {
    for daemon in $daemons; do
        kill "$daemon" 2>/dev/null || :
        wait "$daemon" || :
    done
    rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM
skip() {
    echo "fleet.sh: $1"
    exit 77
}

python=
for one in python3 /usr/bin/python3; do
    "$one" -c 'import pandas' 2>/dev/null && python=$one && break
done
[ "$python" ] || skip "no pandas (Debian: python3-pandas)"
# Four GPUs, by programs that only write records: number 3 takes 6.1 % more time, held back by heat; 2 is 3 % faster.
for program in 03_opencl_profiling/opencl_profiling 04_cuda_events/cuda_events docs/lab/sm_clock docs/lab/calibrate \
    docs/copy/fit_to_measure; do
    mkdir -p "$scratch/known/${program%/*}"
    cat >"$scratch/known/$program" <<'.'
#!/bin/sh
[ "$*" != "--device list" ] || exec seq 4
gpu=$CUDA_VISIBLE_DEVICES
round=$(basename "$(dirname "$(echo "$*" | sed 's/.*--csv=//')")")
time() { awk -v gpu="$gpu" -v round="$round" -v us="$1" \
    'BEGIN { print us * (1 + round / 10) * (gpu == 3 ? 1.061 + (round - 5) / 1000 : gpu == 2 ? 0.97 + (round - 5) / 1000 : 1) }'; }
for file; do :; done
case $0 in
*fit_to_measure) # --csv=FILE PROGRAM OPTIONS
    printf '# gpu_0_power_greatest_w,%s\n# gpu_0_held_back_by_during,%s\n' 69$gpu \
        "$([ "$gpu" = 3 ] && echo heat || echo nothing)" >"${1#--csv=}"
    shift
    exec "$@" ;;
*opencl_profiling) echo "$*" ;;
*cuda_events) printf 'method,kernel,median_us\nevent,vector_add,1\nevent_net,vector_add,%s\n' "$(time 60)" ;;
*sm_clock) printf 'numbers,launch_ms\nnone,\nrandom,%s\nzeros,1\n' "$(time 2)" ;;
*calibrate) printf 'quantity,value\nlaunch_drain_us,1.6\nfloor_us,%s\n' "$gpu" ;;
esac >"${file#--csv=}"
.
    chmod +x "$scratch/known/$program"
done
says() { grep -qF "$1" "$scratch/text" || { cat "$scratch/text" && echo "not said: $1" && exit 1; } >&2; }
env -u CUDA_VISIBLE_DEVICES ROUNDS=9 docs/lab/fleet.sh "$scratch/known" "$scratch/out"
"$python" docs/lab/fleet.py "$scratch/out" >"$scratch/text" && exit 1
says "$(hostname) GPU 3 takes 6.1 % more time, 5.8 to 6.4, for vector_add; 693 W at most, held back by heat"
[ "$(grep -c takes "$scratch/text")" = 2 ] # and at full load
"$python" docs/lab/fleet.py "$scratch/out" --limit 6 >"$scratch/text"
says "No device is more than 6 % off the median of 4."
"$python" docs/lab/fleet.py "$scratch/out" --limit 3.2 >"$scratch/text" && exit 1
[ "$(grep -c takes "$scratch/text")" = 2 ] # of the fast one a part of the interval is within the limit
"$python" docs/lab/fleet.py "$scratch/out" --limit 2 >"$scratch/text" && exit 1
says "$(hostname) GPU 2 takes 3.0 % less time, 2.7 to 3.3, for vector_add"
rm -r "$scratch/out"/*/*/9
"$python" docs/lab/fleet.py "$scratch/out" >"$scratch/text" && exit 1
says " 5.7 to 6.4, for vector_add" # of eight rounds the least and the greatest: the second ones would hold it in 93 %
CUDA_VISIBLE_DEVICES=5,3 FLEET_RANK=1 ROUNDS=1 docs/lab/fleet.sh "$scratch/known" "$scratch/second" # of those two the second
grep -q 693 "$scratch/second/$(hostname)/1/1/calibrate.fit"
CUDA_VISIBLE_DEVICES=2 SLURM_LOCALID=1 ROUNDS=1 docs/lab/fleet.sh "$scratch/known" "$scratch/second" # Slurm's own choice
grep -q 692 "$scratch/second/$(hostname)/1/1/calibrate.fit"
DEVICES=opencl ROUNDS=1 docs/lab/fleet.sh "$scratch/known" "$scratch/opencl" # all four, each its own
for device in 0 1 2 3; do
    grep -q -e "--device $device " "$scratch/opencl/$(hostname)/$device/1/opencl_profiling.csv"
done

[ "$times" -gt 0 ] || exit 0

[ -x "$build/03_opencl_profiling/opencl_profiling" ] || skip "opencl_profiling is not built"
export POCL_DEVICES="pthread pthread pthread pthread pthread pthread pthread pthread" # of PoCL, older ones too
export DEVICES=opencl ROUNDS=9 TURNS="$scratch/turn"
[ "$("$build/03_opencl_profiling/opencl_profiling" --device list | grep -c "Portable")" = 8 ] || skip "no eight PoCL devices"

# A build folder whose program works on small data, and on device $SLOW on four times as much: a busy loop beside it would slow
# long kernels only, for Linux lets the short ones run first.
mkdir -p "$scratch/build/03_opencl_profiling" "$scratch/build/docs/copy"
ln -s "$build/docs/copy/fit_to_measure" "$scratch/build/docs/copy"
cat >"$scratch/build/03_opencl_profiling/opencl_profiling" <<.
#!/bin/sh
size=1048576
[ "\$1 \$2" != "--device \${SLOW-}" ] || size=4194304
exec "$build/03_opencl_profiling/opencl_profiling" "\$@" --size \$size --runs 15
.
chmod +x "$scratch/build/03_opencl_profiling/opencl_profiling"

# judge NAME COMMAND...: a fleet with a slow device, and a quiet one.
bad=0
judge() {
    name=$1
    shift
    for slow in 5 ''; do
        rm -rf "$scratch/out"
        SLOW=$slow "$@" "$suite/docs/lab/fleet.sh" "$scratch/build" "$scratch/out" || bad=1
        code=0
        "$python" "$suite/docs/lab/fleet.py" "$scratch/out" --limit 25 >"$scratch/text" || code=$?
        named=$(sed -n 's/.* GPU \([0-9]*\) takes.*/\1/p' "$scratch/text")
        echo "$name: slow: ${slow:-none}; named: ${named:-none}"
        if [ "$named" != "$slow" ] || [ "$code" != "${slow:+1}" ] && [ "$code$slow" != 0 ]; then
            cat "$scratch/text"
            bad=1
        fi
    done
}
# start NAME COMMAND...: a daemon of this test, which ends with it.
start() {
    name=$1
    shift
    "$@" >"$scratch/$name.log" 2>&1 &
    daemons="$! $daemons"
}

# Slurm with this machine as its only node, in a folder and with ports of its own.
start_slurm() {
    mkdir "$scratch/munge" "$scratch/ctld" "$scratch/spool"
    chmod 711 "$scratch"
    head -c 128 /dev/urandom >"$scratch/munge/key"
    chmod 600 "$scratch/munge/key"
    chown -R munge "$scratch/munge"
    start munged setpriv --reuid munge --regid munge --clear-groups munged --foreground \
        --key-file="$scratch/munge/key" --socket="$scratch/munge/socket" --pid-file="$scratch/munge/pid" \
        --log-file="$scratch/munge/log" --seed-file="$scratch/munge/seed"
    port=$((20000 + $$ % 10000 * 2))
    cat >"$scratch/slurm.conf" <<.
ClusterName=fleet
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmUser=root
AuthInfo=socket=$scratch/munge/socket
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmdSpoolDir=$scratch/spool
StateSaveLocation=$scratch/ctld
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobCompType=jobcomp/none
MpiDefault=none
SlurmdParameters=config_overrides
ReturnToService=2
NodeName=$(hostname) NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=$(hostname) Default=YES State=UP
.
    export SLURM_CONF="$scratch/slurm.conf"
    while ! munge -S "$scratch/munge/socket" -n >/dev/null 2>&1 && kill -0 "${daemons%% *}"; do sleep 1; done
    start slurmctld slurmctld -D
    start slurmd slurmd -D
    for _ in $(seq 30); do
        ! sinfo -h 2>/dev/null | grep -q idle || return 0
        sleep 1
    done
    cat "$scratch"/*.log
    return 1
}

has() { for tool; do command -v "$tool" >/dev/null || return 1; done; }
ways=
if has mpirun; then ways=mpi; else echo "left out: mpirun (Debian: openmpi-bin)"; fi
if ! has srun slurmctld slurmd munged munge setpriv || [ "$(id -u)" != 0 ]; then
    echo "left out: srun (Debian: slurmctld, slurmd, slurm-client, munge; and root)"
elif start_slurm; then
    ways="$ways slurm"
else
    bad=1
fi
[ "$ways" ] || skip "neither MPI nor Slurm"
for time in $(seq "$times"); do
    echo "$time of $times"
    for way in ${WAYS-$ways}; do
        case $way in
        mpi) judge mpirun mpirun --allow-run-as-root --oversubscribe -n 8 ;;
        slurm) judge srun srun -n 8 ;;
        esac
    done
done
exit "$bad"
