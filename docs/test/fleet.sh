#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fleet.sh BUILD [TIMES]: does docs/lab/fleet.py name a device that is slow, and nobody where none is? A fleet of eight
# PoCL devices on this machine, whose processes are started by fleet.sh itself, by mpirun (Debian: openmpi-bin) and by
# Slurm's srun (slurmctld, slurmd, munge; Slurm needs root). The eight share the cores, so they measure in turns. The
# slow one has twice the work. What is not installed is left out and named; with neither the test is skipped (77).
set -eu
cd "$(dirname "$(readlink -f "$0")")/../.."
suite=$PWD
build=$(readlink -f "${1:?usage: fleet.sh BUILD [TIMES]}")
times=${2-1}
scratch=$(mktemp -d)
daemons=
# shellcheck disable=SC2317 # the trap calls it
clean_up() {
    for daemon in $daemons; do kill "$daemon" 2>/dev/null && wait "$daemon" || :; done
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
[ -x "$build/03_opencl_profiling/opencl_profiling" ] || skip "opencl_profiling is not built"
export POCL_DEVICES="pthread pthread pthread pthread pthread pthread pthread pthread" # of PoCL, older ones too
export DEVICES=opencl ROUNDS=9 TURNS="$scratch/turn"
[ "$("$build/03_opencl_profiling/opencl_profiling" --device list | grep -c "Portable")" = 8 ] || skip "no eight PoCL devices"

# A build folder whose program works on small data, and on device $SLOW on twice as much: a busy loop beside it would slow
# long kernels only, for Linux lets the short ones run first.
mkdir -p "$scratch/build/03_opencl_profiling" "$scratch/build/docs/copy"
ln -s "$build/docs/copy/fit_to_measure" "$scratch/build/docs/copy"
cat >"$scratch/build/03_opencl_profiling/opencl_profiling" <<.
#!/bin/sh
size=1048576
[ "\$1 \$2" != "--device \${SLOW-}" ] || size=2097152
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
ways=alone
if has mpirun; then ways="$ways mpi"; else echo "left out: mpirun (Debian: openmpi-bin)"; fi
if ! has srun slurmctld slurmd munged munge setpriv || [ "$(id -u)" != 0 ]; then
    echo "left out: srun (Debian: slurmctld, slurmd, slurm-client, munge; and root)"
elif start_slurm; then
    ways="$ways slurm"
else
    bad=1
fi
[ "$ways" != alone ] || skip "neither MPI nor Slurm"
for time in $(seq "$times"); do
    echo "$time of $times"
    for way in ${WAYS-$ways}; do
        case $way in
        alone) judge alone env ;;
        mpi) judge mpirun mpirun --allow-run-as-root --oversubscribe -n 8 ;;
        slurm) judge srun srun -n 8 ;;
        esac
    done
done
exit "$bad"
