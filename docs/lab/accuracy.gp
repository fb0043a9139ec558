# SPDX-License-Identifier: MIT
# gnuplot -c accuracy.gp FOLDER: draws FOLDER/accuracy.csv as FOLDER/accuracy.svg, how far each tool is from the time
# that it claims to measure, and as FOLDER/cupti.svg, what recording with CUPTI does to a kernel.
folder = ARG1
data = folder."/accuracy.csv"
set datafile separator ","
device = system("sed -n 's/^# device,//p' ".data)
date = system("sed -n 's/^# date,//p' ".data)
# The median of a row of this table and quantity; of another row there is no point.
of(table, quantity) = stringcolumn("table") eq table && stringcolumn("quantity") eq quantity ? column("median_us") : NaN

set terminal svg size 760,380 font "sans-serif,14" background rgb "white" noenhanced
set output folder."/accuracy.svg"
set title device.", ".date.": distance from the time that a tool claims" offset -14,0
set key off
set grid x
set xlabel "distance in us; a point for each of nine kernels"
set xrange [-1.2:11]
set yrange [0.4:8.6]
set lmargin 36
set label 1 "code" at screen 0.01, first 7.5 textcolor rgb "#0072b2"
set label 2 "device" at screen 0.01, first 4.5 textcolor rgb "#d55e00"
set label 3 "in a row" at screen 0.01, first 1.5 textcolor rgb "#009e73"
set arrow 1 from graph 0, first 6.5 to graph 1, first 6.5 nohead dashtype 3
set arrow 2 from graph 0, first 2.5 to graph 1, first 2.5 nohead dashtype 3
set arrow 3 from 0, graph 0 to 0, graph 1 nohead linewidth 2 linecolor rgb "#888888"
set ytics ("pair less empty kernel" 8, "CUPTI (torch.profiler)" 7, "pair less floor" 6, "nvbench, cold" 5, \
           "Triton do_bench" 4, "cupyx benchmark" 3, "slope" 2, "Triton do_bench_cudagraph" 1)
set style data points
set pointsize 0.8
plot data using (of("code", "suite")):(8) pointtype 7 linecolor rgb "#0072b2", \
     data using (of("code", "cupti")):(7) pointtype 6 linecolor rgb "#0072b2", \
     data using (of("device", "suite")):(6) pointtype 7 linecolor rgb "#d55e00", \
     data using (of("device", "nvbench")):(5) pointtype 6 linecolor rgb "#d55e00", \
     data using (of("device", "do_bench")):(4) pointtype 6 linecolor rgb "#d55e00", \
     data using (of("device", "cupyx")):(3) pointtype 6 linecolor rgb "#d55e00", \
     data using (of("row", "suite")):(2) pointtype 7 linecolor rgb "#009e73", \
     data using (of("row", "do_bench_cudagraph")):(1) pointtype 6 linecolor rgb "#009e73"

reset
set datafile separator ","
set datafile missing NaN
set terminal svg size 720,380 font "sans-serif,14" background rgb "white" noenhanced
set output folder."/cupti.svg"
set title device.", ".date.": a kernel whose blocks spin for 2 us, by its own stamps"
set grid
set key inside top left Left reverse
set xlabel "blocks of 256 threads; the GPU holds 1056 at once"
set ylabel "time of the code, us"
set xrange [0:1100]
set yrange [0:6]
set xtics 132
set style data linespoints
spin(most) = stringcolumn("kernel") eq "spin_2us" && column("blocks") <= most ? column("blocks") : NaN
plot data using (spin(1056)):(of("cupti", "recorded")) linewidth 2 pointtype 7 linecolor rgb "#d55e00" title "while CUPTI records", \
     data using (spin(1056)):(of("cupti", "alone")) linewidth 2 pointtype 7 linecolor rgb "#0072b2" title "alone"
