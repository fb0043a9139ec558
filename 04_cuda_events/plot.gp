# SPDX-License-Identifier: MIT
# gnuplot -c plot.gp FOLDER: draws FOLDER/onion.csv and FOLDER/cuda_events.csv as
# FOLDER/onion.svg, every_clock.svg and event_errors_by_length.svg.
folder = ARG1
set datafile separator ","
set datafile commentschars "#"
set datafile columnheaders
onion = folder."/onion.csv"
name = system("sed -n 's/^# device,//p' '".onion."'")

set terminal svg size 600,480 font "sans-serif,16" background rgb "white"

# The shells around the kernel, one upon the other.
set output folder."/onion.svg"
set title name.":\nwhat each clock adds to a kernel of known length"
set style data histogram
set style histogram rowstacked
set style fill solid 0.9 border linecolor rgb "white"
set boxwidth 0.8
set grid ytics
set xlabel "time of the kernel's code (us)"
set ylabel "added time (us)"
set yrange [0:*]
set key below reverse Left
set bmargin 8.5
plot onion using "launch_and_drain_us":xtic(stringcolumn("length_us")) linecolor rgb "#08519c" title "device's launch and drain", \
     "" using "floor_us" linecolor rgb "#4292c6" title "the events' own cost", \
     "" using "host_launch_us" linecolor rgb "#fdae61" title "host's launch gap", \
     "" using "way_and_back_us" linecolor rgb "#d7301f" title "way to the device and back"

# One kernel under every clock.
unset bmargin
set output folder."/every_clock.svg"
set title name.":\na kernel that runs for 10 us, by each clock"
set style data boxes
set xtics noenhanced nomirror scale 0 rotate by 30 right
set offsets 0, 0, graph 0.08, 0 # room for the numbers
set key off
set xlabel ""
set ylabel "time (us)"
set xrange [-0.6:7.1]
set yrange [0:*]
set arrow 1 from graph 0, first 10 to graph 1, first 10 nohead linewidth 2 linecolor rgb "#1a7f37" front
set label 1 "the code:\n10 us" at graph 0.99, first 10 right offset 0, 0.6 textcolor rgb "#1a7f37" front
rows = "< awk -F, '/^#/ { next } !(\"kernel\" in c) { for (i = 1; i <= NF; i++) c[$i] = i; print } ".\
       "$c[\"kernel\"] == \"spin_10us\" && $c[\"method\"] != \"event_floor\"' '".folder."/cuda_events.csv'"
sure(us) = column("disturbed") > 0 ? NaN : us
plot rows using 0:(sure(column("median_us"))) linecolor rgb "#4292c6" title "median", \
     rows using 0:(column("disturbed") > 0 ? column("median_us") : NaN) linecolor rgb "#c6dbef" title "disturbed", \
     rows using 0:(column("median_us")):(sprintf("%.1f%s", column("median_us"), column("disturbed") > 0 ? "\ndisturbed" : "\n ")):xtic(stringcolumn("method")) \
     with labels offset 0, 0.4 title "median"
unset arrow
unset label
unset offsets
set xtics mirror scale 1 norotate

# Relative error against length.
set output folder."/event_errors_by_length.svg"
set title name.":\nhow far each method is from the time of the code"
set style data linespoints
set key inside bottom left Left reverse maxcols 1 noenhanced
set grid
set logscale xy 10
set xlabel "time of the kernel's code (us, logarithmic)"
set ylabel "error (percent of the code, logarithmic)"
set yrange [*:*]
set xrange [0.8:1300]
error(us) = abs(us - column("kernel_us")) / column("kernel_us") * 100
net(x) = column("kernel_us") + column("launch_and_drain_us") # a pair behind the blocker minus the floor
blocked(x) = net(0) + column("floor_us")
pair(x) = blocked(0) + column("host_launch_us")
plot onion using "kernel_us":(error(column("host_us"))) linewidth 2 pointtype 7 linecolor rgb "#9467bd" title "host's clock", \
     "" using "kernel_us":(error(pair(0))) linewidth 2 pointtype 7 linecolor rgb "#2ca02c" title "event", \
     "" using "kernel_us":(error(blocked(0))) linewidth 2 pointtype 7 linecolor rgb "#1f77b4" title "event_blocked", \
     "" using "kernel_us":(error(net(0))) linewidth 4 pointtype 7 linecolor rgb "#000000" title "event_net"
