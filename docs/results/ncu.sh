#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/results/ncu.sh BUILD: what Nsight Compute says of an empty kernel, of the kernels of a graph, and
# of vector_add with and without its own flush of the caches, as docs/results/*/ncu.txt has it. It watches
# the launches between cudaProfilerStart() and cudaProfilerStop() of event_cost and graph_times, and 30
# launches of warmup_series. The clocks are as they are: to lock them is a setting of the card.
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

ncu --version | sed -n 's/^Version \([0-9.]*\)\..*/Nsight Compute \1; clocks as they are; medians of 20 or 30 launches/p'
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
echo
echo "gpu__time_duration of vector_add, of warmup_series: caches as they are, and flushed before each launch (ncu's default)"
for size in 65536 1048576 16777216; do
    for caches in none all; do
        ncu --clock-control none --cache-control "$caches" --csv --print-units base -k regex:vector_add -s 20 -c 30 \
            --metrics gpu__time_duration.sum "$1/06_warmup/warmup_series" --size "$size" >"$scratch/output"
        grep '^"' "$scratch/output" >"$scratch/launches"
        median vector_add gpu__time_duration.sum >"$scratch/$caches"
    done
    awk -v size="$size" -v flushed="$(cat "$scratch/all")" '{
        printf "%d floats %.2f us, flushed %.2f us, %.2f times\n", size, $1 / 1e3, flushed / 1e3, flushed / $1 }' "$scratch/none"
done
