# SPDX-License-Identifier: MIT
# gnuplot -c accuracy.gp FOLDER: draws FOLDER/accuracy.csv as FOLDER/accuracy.svg, what each tool says
# minus the time of the code, and as FOLDER/cupti.svg, what recording with CUPTI does to a kernel.
folder = ARG1
data = folder."/accuracy.csv"
set datafile separator ","
device = system("sed -n 's/^# device,//p' ".data)
date = system("sed -n 's/^# date,//p' ".data)
# The median of a row of this table and quantity; of another row there is no point.
of(table, quantity) = stringcolumn("table") eq table && stringcolumn("quantity") eq quantity ? column("median_us") : NaN

set terminal svg size 760,380 font "sans-serif,14" background rgb "white" noenhanced
set output folder."/accuracy.svg"
set title device.", ".date.": each tool minus the time of the kernel's code" offset -10,0
set key outside bottom center horizontal
set grid x
set xlabel "us; a point for each kernel"
set xrange [-1:14]
set yrange [0.4:6.6]
set lmargin 26
set arrow 3 from 0, graph 0 to 0, graph 1 nohead linewidth 2 linecolor rgb "#888888"
set ytics ("this suite's event pair" 6, "nvbench, cold" 5, "Triton do_bench" 4, "cupyx benchmark" 3, "Nsight Compute" 2, \
           "CUPTI (torch.profiler)" 1)
set style data points
set pointsize 0.8
tools = "cupti ncu cupyx do_bench nvbench suite"
plot for [i=1:6] data using (of("printed", word(tools, i))):(i) pointtype 6 linecolor rgb "#d55e00" \
         title (i == 1 ? "as it prints" : ""), \
     for [i=1:6] data using (of("minus_empty", word(tools, i))):(i) pointtype 7 linecolor rgb "#0072b2" \
         title (i == 1 ? "minus the same of an empty kernel" : "")

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
