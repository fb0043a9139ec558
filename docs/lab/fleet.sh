#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fleet.sh BUILD OUT: one process for each device runs kernels of known work, several times; the records go
# into OUT/HOST/DEVICE/ROUND/PROGRAM.csv, and fleet.py reads them. docs/lab/fleet.md has the line for Slurm, MPI and
# GNU parallel: they start it once for each device. Started alone it takes all devices of this machine.
# ROUNDS=7: so often. DEVICES=opencl: OpenCL's, also where there is CUDA. TURNS=FILE: one device at a time, for devices
# that share their processors; FILE is a lock.
set -eu
export LC_ALL=C
if [ $# -ne 2 ]; then
    echo "usage: fleet.sh BUILD OUT" >&2
    exit 2
fi
build=$1
cuda=$build/04_cuda_events/cuda_events
opencl=$build/03_opencl_profiling/opencl_profiling
rank=${FLEET_RANK-${SLURM_LOCALID-${OMPI_COMM_WORLD_LOCAL_RANK-${MPI_LOCALRANKID-}}}}
[ "${DEVICES-}" != opencl ] && [ -x "$cuda" ] && "$cuda" --device list >/dev/null 2>&1 || cuda=

if [ -z "$rank" ]; then # nobody started one process for each device
    count=$("${cuda:-$opencl}" --device list | wc -l)
    processes=
    for rank in $(seq 0 $((count - 1))); do
        FLEET_RANK=$rank "$0" "$@" &
        processes="$processes $!"
    done
    failed=0
    for process in $processes; do wait "$process" || failed=1; done
    exit "$failed"
fi

# measure PROGRAM OPTIONS...: its record, and beside it the state of GPU and processor while it ran.
measure() {
    program=$build/$1
    record=$out/$(basename "$1")
    shift
    "$build/docs/copy/fit_to_measure" --csv="$record.fit" ${TURNS:+flock "$TURNS"} \
        "$program" "$@" --csv="$record.csv" >"$record.txt" 2>&1 || {
        cat "$record.txt" >&2
        exit 1
    }
}
if [ "$cuda" ]; then
    # One that Slurm has chosen for this process stays: cut leaves a line without a comma as it is.
    CUDA_VISIBLE_DEVICES=$(echo "${CUDA_VISIBLE_DEVICES:-$(seq -s, 0 "$rank")}" | cut -d, -f$((rank + 1)))
    export CUDA_VISIBLE_DEVICES
    export CUDA_DEVICE_ORDER=PCI_BUS_ID # as fit_to_measure counts them
fi
for round in $(seq "${ROUNDS:-7}"); do
    out=$2/$(hostname)/$rank/$round
    mkdir -p "$out"
    if [ "$cuda" ]; then
        measure 04_cuda_events/cuda_events         # vector_add: the memory
        measure docs/lab/sm_clock --runs 40        # full load: clock, power, heat
        measure docs/lab/calibrate --runs 31       # launch and drain
    else
        measure 03_opencl_profiling/opencl_profiling --device "$rank" --runs 5
    fi
done
