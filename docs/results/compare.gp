# SPDX-License-Identifier: MIT
# gnuplot -c compare.gp OUTPUT NAME ...: lays recorded machines side by side on one sheet, a picture
# for each chapter, a colour for each machine. A machine that did not record a chapter is not in it.
set datafile separator ","
set terminal svg size 1080,1240 font "sans-serif,13" background rgb "white"
set output ARG1

machines = ARGC - 1
machine(m) = value(sprintf("ARG%d", m + 1))
# The numbers of the machines that recorded this, or that.
those_with(this, that) = system(sprintf("m=0; for name in %s; do m=$((m + 1)); [ ! -s $name/%s ] && [ ! -s $name/%s ] || echo $m; done", ARGS, this, that))
ARGS = ""
do for [m = 1:machines] { ARGS = ARGS." '".machine(m)."'" }
path(m, this, that) = machine(int(m))."/".(words(system(sprintf("ls '%s/%s' 2>/dev/null", machine(int(m)), this))) ? this : that)

colors = "#1f77b4 #d62728 #2ca02c #9467bd #ff7f0e #17becf #8c564b #e377c2"
color(m) = word(colors, (m - 1) % 8 + 1)
place(m) = (m - (machines + 1) / 2.) * 0.8 / machines # of a machine's box in its group
not_recorded = "set label 1 'by none of these machines' at graph 0.5, 0.5 center; set xrange [1:10]; set yrange [1:10]; plot 0; unset label 1"
set grid
set style fill solid 0.85
set boxwidth 0.8 / machines
set multiplot layout 3, 2 columnsfirst title "Recorded machines side by side" font ",17"

set title "01 what a call of each clock costs"
set ylabel "ns"
set yrange [0:*]
set xrange [-0.6:5.6]
set xtics ("MONOTONIC" 0, "MONO\\_RAW" 1, "BOOTTIME" 2, "REALTIME" 3, "gettimeofday" 4, "clock()" 5) rotate by 20 right
set key top left Left reverse noenhanced
who = those_with("host_clock.csv", "-")
if (words(who)) {
    plot for [m in who] path(m, "host_clock.csv", "-") skip 1 using ($0 + place(m)):4 \
         with boxes linecolor rgb color(m) title machine(int(m))
} else { eval not_recorded }
unset key

set title "02 vector\\_add by the host's clock and by the event's"
set ylabel "us"
set logscale y 10
set yrange [1:*]
set xrange [-0.6:3.6]
set xtics ("no finish" 0, "finish after" 1, "before and after" 2, "profiling event" 3)
who = those_with("clfinish_sync.csv", "-")
if (words(who)) {
    plot for [m in who] path(m, "clfinish_sync.csv", "-") skip 1 using ($0 + place(m)):7 \
         with boxes linecolor rgb color(m)
} else { eval not_recorded }

set title "03 bandwidth of vector\\_add (solid) and of a copy (dashed)"
set ylabel "GB/s"
set xlabel "floats"
set logscale x 2
set format x "2^{%L}"
set xtics norotate autofreq
set xrange [*:*]
set yrange [*:*]
who = those_with("bandwidth.csv", "-")
if (words(who)) {
    plot for [m in who] path(m, "bandwidth.csv", "-") skip 1 using 3:6 with linespoints linewidth 2 pointtype 7 linecolor rgb color(m), \
         for [m in who] path(m, "bandwidth.csv", "-") skip 1 using 3:8 with lines dashtype 2 linecolor rgb color(m)
} else { eval not_recorded }
unset format

set title "04 error of the host's clock (dashed), an event pair, event\\_net (bold)"
set ylabel "us"
set xlabel "the kernel runs for ... us"
unset logscale y
set logscale x 10
set xrange [0.8:1200]
set yrange [0:*]
who = those_with("onion.csv", "-")
if (words(who)) {
    plot for [m in who] path(m, "onion.csv", "-") skip 1 using 4:($9 - $4) with linespoints dashtype 2 pointtype 6 linecolor rgb color(m), \
         for [m in who] path(m, "onion.csv", "-") skip 1 using 4:($13 - $4) with linespoints pointtype 6 linecolor rgb color(m), \
         for [m in who] path(m, "onion.csv", "-") skip 1 using 4:($10 - $4) with linespoints linewidth 4 pointtype 7 linecolor rgb color(m)
} else { eval not_recorded }

set title "05 clocks of one block (solid), span of the launch in us (dashed)"
set ylabel "clocks, or us"
set xlabel "blocks, or work-groups"
set logscale xy 10
set logscale x 2
set xrange [*:*]
set yrange [*:*]
who = those_with("block_clock_opencl.csv", "block_clock.csv")
spans = "" # some devices cannot tell when a block ran
do for [m in who] {
    if (system("sed -n 2p '".path(m, "block_clock_opencl.csv", "block_clock.csv")."' | cut -d, -f9") ne "") { spans = spans." ".m }
}
sweep(m) = path(m, "block_clock_opencl.csv", "block_clock.csv")
if (words(spans)) {
    plot for [m in who] sweep(m) skip 1 using 2:6 with linespoints linewidth 2 pointtype 7 linecolor rgb color(m), \
         for [m in spans] sweep(m) skip 1 using 2:9 with lines dashtype 2 linecolor rgb color(m)
} else {
    if (words(who)) {
        plot for [m in who] sweep(m) skip 1 using 2:6 with linespoints linewidth 2 pointtype 7 linecolor rgb color(m)
    } else { eval not_recorded }
}

set title "06 error of each recipe"
set ylabel "percent, without its sign"
unset xlabel
unset logscale x
set yrange [0.1:*]
set xrange [-0.6:4.6]
set xtics ("first launch" 0, "mean of 100" 1, "other kernel, 1" 2, "other, mean of 10" 3, "same, median" 4) rotate by 20 right
who = those_with("warmup_opencl.csv", "warmup.csv")
if (words(who)) {
    plot for [m in who] path(m, "warmup_opencl.csv", "warmup.csv") skip 1 using ($0 + place(m)):(abs($9)) \
         with boxes linecolor rgb color(m)
} else { eval not_recorded }
unset multiplot
