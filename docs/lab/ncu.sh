#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/lab/ncu.sh BUILD: what Nsight Compute says of an empty kernel, of the kernels of a graph, and
# of vector_add with and without its own flush of the caches, as the record docs/results/*/ncu.csv. It
# watches the launches between cudaProfilerStart() and cudaProfilerStop() of calibrate and graph_times, 20
# of each kernel, and 30 launches of warmup_series. The medians are printed. The clocks are as they are: to
# lock them is a setting of the card.
set -eu
export LC_ALL=C # awk and sort obey a comma locale
if [ $# -ne 1 ]; then
    echo "usage: docs/lab/ncu.sh BUILD" >&2
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
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            index($at["Kernel Name"], name) == 1 && $at["Metric Name"] == metric {
                gsub(",", "", $at["Metric Value"]); print $at["Metric Value"] }' |
        sort -n | awk '{ x[NR] = $1 } END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'
}

# calibrate knows the device; from its record come the lines that begin with "# ".
"$1/docs/lab/calibrate" --runs 2 --csv >"$scratch/record"
echo "# program,ncu.sh"
grep -E '^# (device|driver|date),' "$scratch/record"
ncu --version | sed -n 's/^Version \([0-9.]*\)\..*/# tool,Nsight Compute \1/p'
echo "program,kernel,size,caches,duration_us,sm_active_us,active_cycles,elapsed_cycles,times"

watch gpu__time_duration.sum,sm__cycles_active.max,sm__cycles_elapsed.max \
    "$1/docs/lab/calibrate" --runs 2 >"$scratch/launches"
duration=$(median empty gpu__time_duration.sum)
active=$(median empty sm__cycles_active.max)
elapsed=$(median empty sm__cycles_elapsed.max)
awk -v d="$duration" -v a="$active" -v e="$elapsed" 'BEGIN {
    printf "calibrate,empty,,kept,%.3f,%.3f,%d,%d,\n", d / 1e3, d / 1e3 * a / e, a, e }'
watch gpu__time_duration.sum "$1/docs/lab/graph_times" --runs 2 >"$scratch/launches"
for kernel in spin_blocks vector_add; do
    ns=$(median "stamped_$kernel" gpu__time_duration.sum)
    awk -v name="${kernel%_blocks}" -v ns="$ns" 'BEGIN { printf "graph_times,%s,,kept,%.3f,,,,\n", name, ns / 1e3 }'
done
for size in 65536 1048576 16777216; do
    for caches in none all; do # all: flushed before each launch, as ncu does by default
        ncu --clock-control none --cache-control "$caches" --csv --print-units base -k regex:vector_add -s 20 -c 30 \
            --metrics gpu__time_duration.sum "$1/06_warmup/warmup_series" --size "$size" >"$scratch/output"
        grep '^"' "$scratch/output" >"$scratch/launches"
        median vector_add gpu__time_duration.sum >"$scratch/$caches"
    done
    awk -v size="$size" -v flushed="$(cat "$scratch/all")" '{
        printf "warmup_series,vector_add,%d,kept,%.3f,,,,\n", size, $1 / 1e3
        printf "warmup_series,vector_add,%d,flushed,%.3f,,,,%.3f\n", size, flushed / 1e3, flushed / $1 }' "$scratch/none"
done
