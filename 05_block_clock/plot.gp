# SPDX-License-Identifier: MIT
# gnuplot -c plot.gp FOLDER: draws FOLDER/block_clock.csv (the default sweep of block_clock) and
# FOLDER/block_timeline.csv (block_timeline) as FOLDER/*.svg.
folder = ARG1
set datafile separator ","
set key top left Left reverse
set grid

set terminal svg size 720,480 font "sans-serif,14" background rgb "white"

# The last row of the default sweep is 64 times a full device.
stats folder."/block_clock.csv" using 2 skip 1 nooutput
full = int(STATS_max / 64)
stats folder."/block_clock.csv" using 11 skip 1 nooutput
sms = int(STATS_max)
name = system("sed -n '2s/,.*//p' ".folder."/block_clock.csv")

set output folder."/block_clock.svg"
set title name.": a block's clocks stop growing\nwhere the device is full; the span does not"
stats folder."/block_clock.csv" skip 1 using 6 every ::0::0 name "clocks" nooutput
stats folder."/block_clock.csv" skip 1 using 9 every ::0::0 name "span" nooutput
set logscale xy 10
set logscale x 2
set xlabel "blocks of 256 threads (logarithmic)"
set ylabel sprintf("times that of one block: %.0f clocks, %.2f us (logarithmic)", clocks_min, span_min)
set yrange [0.5:*]
set arrow 1 from sms, graph 0 to sms, graph 1 nohead dashtype 2 linecolor rgb "#777777"
set arrow 2 from full, graph 0 to full, graph 1 nohead dashtype 2 linecolor rgb "#777777"
set label 1 sprintf("one per SM: %d", sms) at sms, graph 0.7 right rotate by 90 offset -1, 0 font ",13" textcolor rgb "#555555"
set label 2 sprintf("full device: %d", full) at full, graph 0.7 right rotate by 90 offset -1, 0 font ",13" textcolor rgb "#555555"
plot folder."/block_clock.csv" skip 1 using 2:($9 / span_min) with linespoints linewidth 2 pointtype 5 linecolor rgb "#d62728" title "span of the launch", \
     "" skip 1 using 2:($6 / clocks_min) with linespoints linewidth 2 pointtype 7 linecolor rgb "#1f77b4" title "clocks of one block"
unset logscale
unset arrow
unset label
set autoscale
set ytics auto

timeline = folder."/block_timeline.csv"
if (system("test -e ".timeline." && echo yes") eq "yes") {
    # The first 12 SMs. Blocks that share an SM get a lane each, the first that is free.
    lanes = "< tail -n +2 ".timeline." | sort -t, -k2,2n -k3,3n | awk -F, '$2 < 12 { lane = 0; ".\
        "while ($3 < end[$2, lane]) lane++; end[$2, lane] = $4; ".\
        "print $1 \",\" $2 \",\" $3 \",\" $4 \",\" lane }'"
    stats timeline using 3 skip 1 nooutput
    first = STATS_min
    blocks = STATS_records
    stats lanes using 5 nooutput
    room = STATS_max + 1
    set output folder."/block_timeline.svg"
    set title sprintf("%s: %d blocks, the first 12 of %d SMs, %d blocks at a time", name, blocks, sms, room)
    set xlabel "time since the first block's start, us"
    set ylabel "SM" textcolor rgb "black"
    set yrange [-0.7:11.7]
    set ytics 1
    set cblabel "block"
    set palette defined (0 "#2c7bb6", 1 "#abd9e9", 2 "#fdae61", 3 "#d7191c")
    set style fill solid 0.9 border linecolor rgb "white"
    low(lane) = -0.4 + 0.8 * lane / room
    plot lanes using (($3 - first) / 1e3):($2 + low($5)):(($3 - first) / 1e3):(($4 - first) / 1e3):($2 + low($5)):($2 + low($5 + 1)):1 \
         with boxxyerror linecolor palette notitle
}
