# SPDX-License-Identifier: MIT
# gnuplot -c plot.gp FOLDER: draws FOLDER/cuda_events.txt as FOLDER/every_clock.svg.
folder = ARG1
set datafile columnheaders
name = system("sed -n 's/^# device \\([^,]*\\).*/\\1/p' '".folder."/cuda_events.txt'")

set terminal svg size 600,480 font "sans-serif,16" background rgb "white"

# One kernel under every clock.
set style fill solid 0.9 border linecolor rgb "white"
set boxwidth 0.8
set grid ytics
set output folder."/every_clock.svg"
set title name.":\na kernel that runs for 10 us, by each clock"
set style data boxes
set style fill solid 0.9 border linecolor rgb "white"
set boxwidth 0.8
set grid ytics
set xtics noenhanced nomirror scale 0 rotate by 30 right
set offsets 0, 0, graph 0.08, 0 # room for the numbers
set key off
set xlabel ""
set ylabel "time (us)"
set xrange [-0.6:7.9] # room for the label
set yrange [0:*]
set arrow 1 from graph 0, first 10 to graph 1, first 10 nohead linewidth 2 linecolor rgb "#1a7f37" front
set label 1 "the code:\n10 us" at graph 0.99, first 10 right offset 0, 0.6 textcolor rgb "#1a7f37" front
rows = "< awk '/^#/ { next } !(\"kernel\" in c) { for (i = 1; i <= NF; i++) c[$i] = i; print } ".\
       "$c[\"kernel\"] == \"spin_10us\" && $c[\"method\"] != \"event_floor\"' '".folder."/cuda_events.txt'"
sure(us) = stringcolumn("disturbed") ne "-" ? NaN : us
plot rows using 0:(sure(column("median_us"))) linecolor rgb "#4292c6" title "median", \
     rows using 0:(stringcolumn("disturbed") ne "-" ? column("median_us") : NaN) linecolor rgb "#c6dbef" title "disturbed", \
     rows using 0:(column("median_us")):(sprintf("%.1f%s", column("median_us"), stringcolumn("disturbed") ne "-" ? "\ndisturbed" : "\n ")):xtic(stringcolumn("method")) \
     with labels offset 0, 0.4 title "median"
