# SPDX-License-Identifier: MIT
# gnuplot -c plot.gp FOLDER: draws the series of first launches in FOLDER (warmup_series.csv of CUDA,
# warmup_series_opencl.csv) and l2_cache.csv as FOLDER/first_launches.svg and l2_cache.svg.
folder = ARG1
set datafile separator ","
has(file) = system("test -s ".folder."/".file." && echo yes") eq "yes"

set terminal svg size 720,440 font "sans-serif,14" background rgb "white"
set style data linespoints
set grid
set key top right

set output folder."/first_launches.svg"
set title "The first launches of vector_add in a process of its own" noenhanced
set xlabel "launch"
set ylabel "time (us, logarithmic)"
set logscale y 10
set xrange [0:30]
if (has("warmup_series.csv") && !has("warmup_series_opencl.csv")) {
    plot folder."/warmup_series.csv" skip 1 using 1:2 linewidth 2 pointtype 7 title "CUDA, event pair"
}
if (has("warmup_series.csv") && has("warmup_series_opencl.csv")) {
    plot folder."/warmup_series.csv" skip 1 using 1:2 linewidth 2 pointtype 7 title "CUDA, event pair", \
         folder."/warmup_series_opencl.csv" skip 1 using 1:3 linewidth 2 pointtype 5 title "OpenCL, host's clock", \
         folder."/warmup_series_opencl.csv" skip 1 using 1:2 linewidth 2 pointtype 9 title "OpenCL, START to END"
}
if (!has("warmup_series.csv")) {
    plot folder."/warmup_series_opencl.csv" skip 1 using 1:3 linewidth 2 pointtype 5 title "OpenCL, host's clock", \
         folder."/warmup_series_opencl.csv" skip 1 using 1:2 linewidth 2 pointtype 9 title "OpenCL, START to END"
}
unset logscale
set autoscale

if (has("l2_cache.csv")) {
    set output folder."/l2_cache.svg"
    set title system("sed -n '2s/,.*//p' ".folder."/l2_cache.csv").": vector_add with the L2 cache in three states" noenhanced
    set logscale x 2
    set xlabel "size (floats)"
    set ylabel "time, as a share of warm"
    set yrange [0.5:*]
    set key bottom left Left reverse
    set format x "2^{%L}"
    plot folder."/l2_cache.csv" skip 1 using 3:(1) linewidth 2 pointtype 7 title "warm: from the run before", \
         "" skip 1 using 3:7 linewidth 2 pointtype 5 title "flushed by reading other data", \
         "" skip 1 using 3:8 linewidth 2 pointtype 9 title "flushed by writing other data"
}
