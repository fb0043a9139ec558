# SPDX-License-Identifier: MIT
# gnuplot -c plot.gp FOLDER: draws FOLDER/onion.csv and FOLDER/cuda_events.csv as
# FOLDER/onion.svg, every_clock.svg and event_errors_by_length.svg.
folder = ARG1
set datafile separator ","
name = system("sed -n '2s/,.*//p' ".folder."/onion.csv")

set terminal svg size 720,440 font "sans-serif,14" background rgb "white"

# The shells around the kernel, one upon the other.
set output folder."/onion.svg"
set title name.": what each clock adds to a kernel of known length"
set style data histogram
set style histogram rowstacked
set style fill solid 0.9 border linecolor rgb "white"
set boxwidth 0.8
set grid ytics
set xlabel "the kernel runs for ... us"
set ylabel "added to that, us"
set yrange [0:*]
set key below reverse Left maxrows 2 spacing 1.1
set bmargin 6.5
plot folder."/onion.csv" skip 1 using 5:xtic(3) linecolor rgb "#08519c" title "device's launch and drain", \
     "" skip 1 using 6 linecolor rgb "#4292c6" title "the events' own cost", \
     "" skip 1 using 7 linecolor rgb "#fdae61" title "host's launch gap", \
     "" skip 1 using 8 linecolor rgb "#d7301f" title "way to the device and back"

# One kernel under every clock.
unset bmargin
set output folder."/every_clock.svg"
set title name.": what each clock says of a kernel that runs for 10 us"
set style data boxes
set xtics noenhanced font ",12"
set offsets 0, 0, graph 0.06, 0 # room for the numbers
set key off
set xlabel ""
set ylabel "us"
set yrange [0:*]
set arrow 1 from graph 0, first 10 to graph 1, first 10 nohead linewidth 2 linecolor rgb "#2ca02c" front
set label 1 "the code: 10 us" at graph 0.01, first 10.8 textcolor rgb "#2ca02c" front
rows = "< grep ',spin_10us,' ".folder."/cuda_events.csv"
plot rows using 0:8:xtic(4) linecolor rgb "#4292c6", \
     rows using 0:($8 + 0.8):(sprintf("%.1f", $8)) with labels
unset arrow
unset label
unset offsets
set xtics font ",14"

# Relative error against length.
set output folder."/event_errors_by_length.svg"
set title name.": how far each way is from the truth, by the kernel's length"
set style data linespoints
set key inside bottom left Left reverse maxcols 1
set grid
set logscale xy 10
set xlabel "the kernel runs for ... us"
set ylabel "error, percent of the kernel"
set yrange [*:*]
set xrange [0.8:1300]
plot folder."/onion.csv" skip 1 using 4:(abs($9 - $4) / $4 * 100) linewidth 2 pointtype 7 linecolor rgb "#9467bd" title "host, synchronized", \
     "" skip 1 using 4:(abs($13 - $4) / $4 * 100) linewidth 2 pointtype 7 linecolor rgb "#2ca02c" title "event pair", \
     "" skip 1 using 4:(abs($10 + $6 - $4) / $4 * 100) linewidth 2 pointtype 7 linecolor rgb "#1f77b4" title "event pair behind the blocker", \
     "" skip 1 using 4:(abs($10 - $4) / $4 * 100) linewidth 4 pointtype 7 linecolor rgb "#000000" title "the same less the floor"
