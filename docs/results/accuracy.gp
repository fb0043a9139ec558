# SPDX-License-Identifier: MIT
# gnuplot -c accuracy.gp FOLDER: draws FOLDER/compare_tools.csv, the spins, as FOLDER/accuracy.svg:
# what each tool adds to a kernel of known length.
folder = ARG1
set datafile separator ","

set terminal svg size 720,520 font "sans-serif,14" background rgb "white"
set output folder."/accuracy.svg"
set title "How far each tool is from the truth, by the kernel's length"
set style data linespoints
set grid
set key outside below maxcols 3 noenhanced
set logscale xy 10
set xrange [0.8:1300]
set yrange [0.01:2000]
set xlabel "the kernel runs for ... us"
set ylabel "error, percent of the kernel"
rows_of(tool, method) = "< grep '^".tool.",[^,]*,".method.",[^,]*,spin,' ".folder."/compare_tools.csv"
tools = "'this suite' 'this suite' 'this suite' 'Nsight Compute' CUPTI Triton Triton cupyx.profiler nvbench"
methods = "host_sync event event_net 'of this script' 'activity record' do_bench do_bench_cudagraph benchmark cold"
colors = "#9467bd #2ca02c #000000 #ff7f0e #bcbd22 #1f77b4 #17becf #e377c2 #d62728"
plot for [i = 1:9] rows_of(word(tools, i), word(methods, i)) using 6:(($8 / $6 - 1) * 100) \
     linewidth (i == 3 ? 4 : 2) pointtype i linecolor rgb word(colors, i) title word(tools, i).(i == 4 ? "" : " ".word(methods, i))
