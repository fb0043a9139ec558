# SPDX-License-Identifier: MIT
# gnuplot -c plot.gp FOLDER: draws FOLDER/block_timeline.txt as FOLDER/block_timeline.svg, the blocks of the first 12 SMs.
folder = ARG1
timeline = folder."/block_timeline.txt"
named(name) = system(sprintf("sed -n 's/^# %s \\([^,]*\\).*/\\1/p' '%s'", name, timeline))
# The blocks by their start: block, unit, start_ns, end_ns, and its place among those that share its SM at that time.
blocks = "< sort -n -k 3,3 ".timeline." | awk '$1 !~ /^[0-9]/ { next } ".\
    "{ for (place = 0; ends[$2, place] > $3; place++); ends[$2, place] = $4; print $1, $2, $3, $4, place }'"
stats blocks using 4:5 nooutput
places = int(STATS_max_y) + 1
gap = STATS_max_x / 1e3 / 400 # behind each block

set terminal svg size 600,440 font "sans-serif,16" background rgb "white"
set output folder."/block_timeline.svg"
set title sprintf("%s:\n%s blocks, %d at a time on each SM;\nthe first 12 of %s SMs", named("device"), named("blocks"), places, named("sms"))
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
low(place) = column(2) - 0.36 + 0.72 * place / places
shown(c) = column(2) < 12 && int(column(1)) / each == c - 1 ? column(3) / 1e3 : NaN
plot for [c = 1:6] blocks using (shown(c)):(low($5)):(shown(c)):($4 / 1e3 - gap):(low($5) + 0.02):(low($5 + 1)) \
     with boxxyerror linecolor rgb word(colors, c) title sprintf("block %d...", (c - 1) * each)
