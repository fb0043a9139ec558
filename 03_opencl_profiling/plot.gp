# SPDX-License-Identifier: MIT
# gnuplot -c plot.gp FOLDER: draws FOLDER/bandwidth.csv as FOLDER/bandwidth.svg.
folder = ARG1
set datafile separator ","
set datafile commentschars "#"
data = folder."/bandwidth.csv"

set terminal svg size 720,500 font "sans-serif,14" background rgb "white"
set output folder."/bandwidth.svg"
set title system("sed -n 's/^# device,//p' '".data."'").": bandwidth of vector_add from START to END, by size" noenhanced
set style data linespoints
set grid
set key below Left reverse noenhanced maxcols 2
set logscale xy
set logscale x 2
set format x "2^{%L}"
set xlabel "floats"
set ylabel "GB/s"
by_host(size, us) = 12 * size / us / 1e3
plot data using "size":"four_floats_gb_s" linewidth 2 pointtype 7 title "vector_add, four floats each", \
     data using "size":"one_float_gb_s" linewidth 2 pointtype 13 title "vector_add, one float each", \
     data using "size":"copy_gb_s" linewidth 2 pointtype 5 title "a copy that moves as many bytes", \
     data using "size":(by_host(column("size"), column("host_us"))) linewidth 2 pointtype 9 dashtype 2 title "vector_add by the host's clock"
