# SPDX-License-Identifier: MIT
# gnuplot -c plot.gp FOLDER: draws FOLDER/opencl_profiling.csv as FOLDER/bandwidth.svg.
folder = ARG1
set datafile separator ","
data = folder."/opencl_profiling.csv"

set terminal svg size 720,440 font "sans-serif,14" background rgb "white"
set output folder."/bandwidth.svg"
set title system("sed -n '2s/,.*//p' ".data).": bandwidth of vector_add from START to END, by size" noenhanced
set style data linespoints
set grid
set key bottom right Left reverse noenhanced
set logscale xy
set logscale x 2
set format x "2^{%L}"
set xlabel "floats"
set ylabel "GB/s"
scalar = int(system("head -n 1 ".data." | grep -c scalar")) # older records have no such column
plot data skip 1 using 2:8 linewidth 2 pointtype 7 title "vector_add, four floats each", \
     for [i = 1:scalar] data skip 1 using 2:12 linewidth 2 pointtype 13 title "vector_add, one float each", \
     data skip 1 using 2:9 linewidth 2 pointtype 5 title "a copy that moves as many bytes", \
     data skip 1 using 2:(12 * $2 / $7 / 1e3) linewidth 2 pointtype 9 dashtype 2 title "vector_add by the host's clock"
