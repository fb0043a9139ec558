# SPDX-License-Identifier: MIT
# gnuplot -c plot.gp FOLDER: draws FOLDER/bandwidth.txt as FOLDER/bandwidth.svg.
folder = ARG1
data = folder."/bandwidth.txt"

set terminal svg size 600,500 font "sans-serif,16" background rgb "white"
set output folder."/bandwidth.svg"
set title system("sed -n 's/^# device \\([^,]*\\).*/\\1/p' '".data."'").":\nbandwidth of vector_add from START to END" noenhanced
set style data linespoints
set grid
set key below Left reverse noenhanced
set bmargin 9.5
set logscale xy
set logscale x 2
set format x "2^{%L}"
set xlabel "size (floats, logarithmic)"
set ylabel "bandwidth (GB/s, logarithmic)"
by_host(size, us) = 12 * size / us / 1e3
plot data using "size":"four_floats_gb_s" linewidth 2 pointtype 7 title "four floats each", \
     data using "size":"one_float_gb_s" linewidth 2 pointtype 13 title "one float each", \
     data using "size":"copy_gb_s" linewidth 2 pointtype 5 title "a copy of as many bytes", \
     data using "size":(by_host(column("size"), column("host_us"))) linewidth 2 pointtype 9 dashtype 2 title "by the host's clock", \
     data using "size":(stringcolumn("disturbed") ne "-" ? column("four_floats_gb_s") : NaN) with points pointtype 2 pointsize 2 linewidth 2 linecolor rgb "black" title "disturbed"
