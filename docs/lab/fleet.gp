# SPDX-License-Identifier: MIT
# gnuplot -c fleet.gp fleet.csv fleet.svg: each device's time by the median of all, with its interval.
set datafile separator ","
rows = system("wc -l <".ARG1) - 1
set terminal svg size 720,90+24*rows font "sans-serif,14" background rgb "white" noenhanced
set output ARG2
set key off
set grid x
set xlabel "time by the median of all devices"
set yrange [rows+0.5:0.5]
set lmargin 40
set arrow 1 from 1, graph 0 to 1, graph 1 nohead linewidth 2 linecolor rgb "#888888"
name(dummy) = stringcolumn("host")." ".stringcolumn("device").", ".stringcolumn("kernel")
is_off(yes) = stringcolumn("off") eq (yes ? "True" : "False")
plot ARG1 using (is_off(0) ? column("ratio") : NaN):($0+1):(column("low")):(column("high")):ytic(name(0)) \
         with xerrorbars pointtype 7 linecolor rgb "#0072b2", \
     ARG1 using (is_off(1) ? column("ratio") : NaN):($0+1):(column("low")):(column("high")) \
         with xerrorbars pointtype 7 linewidth 2 linecolor rgb "#d55e00"
