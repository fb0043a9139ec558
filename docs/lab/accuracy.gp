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
# The same of one kind of kernels. That of 5 ms is not drawn: its differences are hundreds of us.
among(kind, table, quantity) = stringcolumn("kind") eq kind && stringcolumn("kernel") ne "mm_12288" ? of(table, quantity) : NaN

set terminal svg size 640,480 font "sans-serif,16" background rgb "white" noenhanced
set output folder."/accuracy.svg"
set title device.", ".date.":\neach tool minus the time of the kernel's code" 
set key at screen 0.02, 0.15 left top vertical maxrows 2 Left reverse samplen 1 width -4
set bmargin 8
set grid x
set xlabel "difference (us); a point for each kernel;\nsimple kernels: spins and vector_add" 
set xrange [-1:17]
set yrange [0.4:6.6]
set lmargin 23
set arrow 3 from 0, graph 0 to 0, graph 1 nohead linewidth 2 linecolor rgb "#888888"
set ytics ("this suite's event pair" 6, "nvbench, cold" 5, "Triton do_bench" 4, "cupyx benchmark" 3, "Nsight Compute" 2, \
           "CUPTI (torch.profiler)" 1)
set style data points
set pointsize 0.8
tools = "cupti ncu cupyx do_bench nvbench suite"
plot for [i=1:6] data using (among("simple", "printed", word(tools, i))):(i) pointtype 6 linecolor rgb "#d55e00" \
         title (i == 1 ? "as printed: simple kernel" : ""), \
     for [i=1:6] data using (among("real", "printed", word(tools, i))):(i) pointtype 2 linewidth 2 linecolor rgb "#d55e00" \
         title (i == 1 ? "as printed: real kernel" : ""), \
     for [i=1:6] data using (among("simple", "minus_empty", word(tools, i))):(i - 0.22) pointtype 7 \
         linecolor rgb "#0072b2" title (i == 1 ? "minus empty: simple kernel" : ""), \
     for [i=1:6] data using (among("real", "minus_empty", word(tools, i))):(i - 0.22) pointtype 1 linewidth 2 \
         linecolor rgb "#0072b2" title (i == 1 ? "minus empty: real kernel" : "")

reset
set datafile separator ","
set datafile missing NaN
set terminal svg size 600,400 font "sans-serif,16" background rgb "white" noenhanced
set output folder."/cupti.svg"
set title device.", ".date.":\na kernel whose blocks spin for 2 us, by its own stamps"
set grid
set key inside top left Left reverse
set xlabel "blocks of 256 threads; the GPU holds 1056 at once"
set ylabel "time of the code (us)"
set xrange [0:1100]
set yrange [0:6]
set xtics 132
set style data linespoints
spin(most) = stringcolumn("kernel") eq "spin_2us" && column("blocks") <= most ? column("blocks") : NaN
plot data using (spin(1056)):(of("cupti", "recorded")) linewidth 2 pointtype 7 linecolor rgb "#d55e00" title "while CUPTI records", \
     data using (spin(1056)):(of("cupti", "alone")) linewidth 2 pointtype 7 linecolor rgb "#0072b2" title "alone"
