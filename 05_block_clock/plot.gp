# SPDX-License-Identifier: MIT
# gnuplot -c plot.gp FOLDER: draws FOLDER/block_timeline.txt as FOLDER/block_timeline.svg, the blocks of the first 12 SMs.
folder = ARG1
set datafile columnheaders
timeline = folder."/block_timeline.txt"
named(name) = system(sprintf("sed -n 's/^# %s \\([^,]*\\).*/\\1/p' '%s'", name, timeline))
places = int(named("places_on_a_unit")) # blocks that share an SM have a place each

set terminal svg size 600,440 font "sans-serif,16" background rgb "white"
set output folder."/block_timeline.svg"
set title sprintf("%s:\n%s blocks, %d at a time on each SM;\nthe first 12 of %s SMs", named("device"), named("blocks"), places, named("used_units"))
set key outside right top vertical Left reverse samplen 1
set xlabel "time since the first block's start (us)"
set xtics out nomirror
set ylabel "SM"
set xrange [0:*]
set yrange [-0.7:11.7]
set ytics 1 scale 0
set style fill solid noborder
colors = "#2c7bb6 #7ab3d5 #bbd0ce #edb77c #ee7245 #d7191c"
each = int(ceil(named("blocks") / 6.0)) # blocks of one colour
low(place) = column("unit") - 0.36 + 0.72 * place / places
shown(c) = column("unit") < 12 && int(column("block")) / each == c - 1 ? column("start_ns") / 1e3 : NaN
plot for [c = 1:6] timeline using (shown(c)):(low(column("place"))):(shown(c)):(column("end_ns") / 1e3 - 0.2):(low(column("place")) + 0.02):(low(column("place") + 1)) \
     with boxxyerror linecolor rgb word(colors, c) title sprintf("block %d...", (c - 1) * each)
