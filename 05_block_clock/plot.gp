# SPDX-License-Identifier: MIT
# gnuplot -c plot.gp FOLDER: draws FOLDER/block_clock.csv (the default sweep of block_clock) and
# FOLDER/block_timeline.csv (block_timeline) as FOLDER/*.svg.
folder = ARG1
set datafile separator ","
set datafile commentschars "#"
set datafile columnheaders
set key top left Left reverse
set grid

set terminal svg size 600,440 font "sans-serif,16" background rgb "white"

sweep = folder."/block_clock.csv"
name = system("sed -n 's/^# device,//p' '".sweep."'")
stats sweep using (stringcolumn("note") eq "1 per SM" ? column("blocks") : NaN) name "sms" nooutput
stats sweep using (stringcolumn("note") eq "full device" ? column("blocks") : NaN) name "full" nooutput
stats sweep using "clocks_mean" every ::0::0 name "clocks" nooutput
stats sweep using "span_us" every ::0::0 name "span" nooutput
sms = int(sms_max)
full = int(full_max)

set output folder."/block_clock.svg"
set title name.": a block's clocks stop growing\nwhere the device is full; the span does not"
set logscale xy 10
set logscale x 2
set xtics 16
set xlabel "blocks of 256 threads (logarithmic)"
set ylabel sprintf("times that of one block (logarithmic):\n%.0f clocks, %.2f us", clocks_min, span_min)
set yrange [0.5:*]
set arrow 1 from sms, graph 0 to sms, graph 1 nohead dashtype 2 linecolor rgb "#777777"
set arrow 2 from full, graph 0 to full, graph 1 nohead dashtype 2 linecolor rgb "#777777"
set label 1 sprintf("one per SM: %d", sms) at sms, graph 0.7 right rotate by 90 offset -1, 0 textcolor rgb "#555555"
set label 2 sprintf("full device: %d", full) at full, graph 0.7 right rotate by 90 offset -1, 0 textcolor rgb "#555555"
plot sweep using "blocks":(column("span_us") / span_min) with linespoints linewidth 2 pointtype 5 linecolor rgb "#d62728" title "span of the launch", \
     sweep using "blocks":(column("clocks_mean") / clocks_min) with linespoints linewidth 2 pointtype 7 linecolor rgb "#1f77b4" title "clocks of one block"
unset logscale
unset arrow
unset label
set autoscale
set tics auto

timeline = folder."/block_timeline.csv"
if (system("test -e ".timeline." && echo yes") eq "yes") {
    # The first 12 SMs. Blocks that share an SM have a place each.
    stats timeline using "place" nooutput
    blocks = STATS_records
    places = STATS_max + 1
    set output folder."/block_timeline.svg"
    set title sprintf("%s: %d blocks, %d at a time on each SM;\nthe first 12 of %d SMs", name, blocks, places, sms)
    set xlabel "time since the first block's start (us)"
    set ylabel "SM" textcolor rgb "black"
    set yrange [-0.7:11.7]
    set ytics 1
    set cblabel "block"
    set palette defined (0 "#2c7bb6", 1 "#abd9e9", 2 "#fdae61", 3 "#d7191c")
    set style fill solid 0.9 border linecolor rgb "white"
    low(place) = column("unit") - 0.4 + 0.8 * place / places
    shown(x) = column("unit") < 12 ? x / 1e3 : NaN
    plot timeline using (shown(column("start_ns"))):(low(column("place"))):(shown(column("start_ns"))):(shown(column("end_ns"))):(low(column("place"))):(low(column("place") + 1)):"block" \
         with boxxyerror linecolor palette notitle
}
