#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/results/ncu.sh BUILD: what Nsight Compute says of an empty kernel and of the kernels of a graph,
# as docs/results/*/ncu.txt has it. It watches the launches between cudaProfilerStart() and
# cudaProfilerStop() of event_cost and graph_times, with the clocks and the caches as they are.
set -eu
if [ $# -ne 1 ]; then
    echo "usage: docs/results/ncu.sh BUILD" >&2
    exit 2
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

watch() { # METRICS COMMAND...: a line for each launch and metric
    metrics=$1
    shift
    ncu --clock-control none --cache-control none --profile-from-start off --graph-profiling node \
        --csv --print-units base --metrics "$metrics" "$@" >"$scratch/output"
    grep '^"' "$scratch/output"
}

# median NAME METRIC: of the kernels whose name begins with NAME.
median() {
    sed 's/","/|/g; s/^"//; s/"$//' "$scratch/launches" |
        awk -F'|' -v name="$1" -v metric="$2" '
            index($5, name) == 1 && $(NF - 2) == metric { gsub(",", "", $NF); print $NF }' |
        sort -n | awk '{ x[NR] = $1 } END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'
}

ncu --version | sed -n 's/^Version \([0-9.]*\)\..*/Nsight Compute \1; clocks and caches as they are; medians of 20 launches/p'
watch gpu__time_duration.sum,sm__cycles_active.max,sm__cycles_elapsed.max \
    "$1/04_cuda_events/event_cost" --runs 2 >"$scratch/launches"
echo
echo "an empty kernel, of event_cost"
duration=$(median empty gpu__time_duration.sum)
active=$(median empty sm__cycles_active.max)
elapsed=$(median empty sm__cycles_elapsed.max)
awk -v d="$duration" -v a="$active" -v e="$elapsed" 'BEGIN {
    printf "gpu__time_duration %.2f us\nSM active %.2f us, %d of %d cycles\n", d / 1e3, d / 1e3 * a / e, a, e }'
watch gpu__time_duration.sum "$1/04_cuda_events/graph_times" --runs 2 >"$scratch/launches"
echo
echo "gpu__time_duration of a graph's kernels, each by itself, of graph_times"
for kernel in spins vector_add; do
    ns=$(median "stamped_$kernel" gpu__time_duration.sum)
    awk -v name="${kernel%s}" -v ns="$ns" 'BEGIN { printf "%s %.2f us\n", name, ns / 1e3 }'
done
