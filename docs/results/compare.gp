# SPDX-License-Identifier: MIT
# gnuplot -c compare.gp OUTPUT FOLDER ...: lays recorded machines side by side on one sheet, a picture for
# each chapter, a colour for each machine. Columns are read by their names, rows by what they are of.
set datafile separator ","
set datafile columnheaders
set terminal svg size 1080,1240 font "sans-serif,13" background rgb "white"
set output ARG1

machines = ARGC - 1
folder(m) = value(sprintf("ARG%d", int(m) + 1))
name(m) = system("basename '".folder(m)."'")
file(m, program) = folder(m)."/".program.".csv"
has(m, program) = int(system("test -s '".file(m, program)."' && echo 1 || echo 0"))
has_one(m, programs) = (one = 0, sum [w = 1:words(programs)] (one = one || has(m, word(programs, w)), 0), one)
# The numbers of the machines that recorded one of these.
those_with(programs) = (who = "", sum [m = 1:machines] (who = has_one(m, programs) ? who." ".m : who, 0), who)
color(m) = word("#1f77b4 #d62728 #2ca02c #9467bd #ff7f0e #17becf #8c564b #e377c2", (m - 1) % 8 + 1)
beside(m) = (m - (machines + 1) / 2.) * 0.8 / machines # of a machine's box in its group
# Where the row stands that is called `label`, in a list of names.
at(label, names) = (found = NaN, sum [w = 1:words(names)] (found = word(names, w) eq label ? w : found, 0), found)
not_recorded = "set label 1 'by none of these machines' at graph 0.5, 0.5 center; set xrange [1:10]; set yrange [1:10]; plot 0 notitle; unset label 1"
tics_of(names) = (list = "", sum [w = 1:words(names)] (list = list.(w > 1 ? ", " : "")."'".word(names, w)."' ".w, 0), list)
set grid
set style fill solid 0.85
set boxwidth 0.8 / machines
set multiplot layout 3, 2 columnsfirst title "Recorded machines side by side" font ",17"

set title "01 what a call of each clock costs"
set ylabel "ns"
set yrange [0:*]
set lmargin 13 # for the first row's name
rows = "CLOCK_MONOTONIC CLOCK_MONOTONIC_RAW CLOCK_BOOTTIME CLOCK_REALTIME gettimeofday clock()"
set xrange [0.4:6.6]
set xtics noenhanced rotate by 20 right
eval "set xtics (".tics_of(rows).")"
set key top left Left reverse noenhanced
who = those_with("host_clock")
if (words(who)) {
    plot for [m in who] file(m, "host_clock") using (at(strcol("clock"), rows) + beside(m)):"call_ns" \
         with boxes linecolor rgb color(m) title name(m)
} else { eval not_recorded }
unset key

set title "02 vector\\_add by the host's clock and by the event's"
set ylabel "us"
set logscale y 10
set yrange [1:*]
rows = "no_finish finish_after finish_before_and_after profiling_event"
set xrange [0.4:4.6]
eval "set xtics (".tics_of(rows).")"
who = those_with("clfinish_sync")
if (words(who)) {
    plot for [m in who] file(m, "clfinish_sync") using (at(strcol("method"), rows) + beside(m)):"median_us" \
         with boxes linecolor rgb color(m)
} else { eval not_recorded }

unset lmargin
set title "03 bandwidth of vector\\_add (solid) and of a copy (dashed)"
set ylabel "GB/s"
set xlabel "floats"
set logscale x 2
set xtics enhanced norotate autofreq
set format x "2^{%L}"
set xrange [*:*]
set yrange [*:*]
who = those_with("bandwidth")
if (words(who)) {
    plot for [m in who] file(m, "bandwidth") using "size":"four_floats_gb_s" with linespoints linewidth 2 pointtype 7 linecolor rgb color(m), \
         for [m in who] file(m, "bandwidth") using "size":"copy_gb_s" with lines dashtype 2 linecolor rgb color(m)
} else { eval not_recorded }
unset format

set title "04 error of the host's clock (dashed), an event pair, event\\_net (bold)"
set ylabel "us"
set xlabel "the kernel runs for ... us"
unset logscale y
set logscale x 10
set xrange [0.8:1200]
set yrange [0:*]
error_net = 'column("kernel_us") + column("launch_and_drain_us") - column("length_us")'
error_pair = error_net.' + column("floor_us") + column("host_launch_us")'
error_host = 'column("host_us") - column("length_us")'
who = those_with("onion")
if (words(who)) {
    plot for [m in who] file(m, "onion") using "length_us":(@error_host) with linespoints dashtype 2 pointtype 6 linecolor rgb color(m), \
         for [m in who] file(m, "onion") using "length_us":(@error_pair) with linespoints pointtype 6 linecolor rgb color(m), \
         for [m in who] file(m, "onion") using "length_us":(@error_net) with linespoints linewidth 4 pointtype 7 linecolor rgb color(m)
} else { eval not_recorded }

# A machine with both has CUDA's. Some devices cannot tell when a block ran: their span is empty.
sweep(m) = has(m, "block_clock") ? file(m, "block_clock") : file(m, "block_clock_opencl")
set title "05 clocks of one block (solid), span of the launch in us (dashed)"
set ylabel "clocks, or us"
set xlabel "blocks, or work-groups"
set logscale xy 10
set logscale x 2
set xrange [*:*]
set yrange [*:*]
who = those_with("block_clock block_clock_opencl")
if (words(who)) {
    plot for [m in who] sweep(m) using "blocks":"clocks_mean" with linespoints linewidth 2 pointtype 7 linecolor rgb color(m), \
         for [m in who] sweep(m) using "blocks":(real(strcol("span_us") eq "" ? "NaN" : strcol("span_us"))) with lines dashtype 2 linecolor rgb color(m)
} else { eval not_recorded }

set title "06 error of each recipe"
set ylabel "percent, without its sign"
unset xlabel
unset logscale x
set yrange [0.1:*]
rows = "first_launch mean_of_100 other_kernel_then_one other_kernel_then_mean_of_10 warm_then_median"
set xrange [0.4:5.6]
set xtics noenhanced rotate by 20 right
eval "set xtics (".tics_of(rows).")"
recipes(m) = has(m, "warmup") ? file(m, "warmup") : file(m, "warmup_opencl")
who = those_with("warmup warmup_opencl")
if (words(who)) {
    plot for [m in who] recipes(m) using (at(strcol("recipe"), rows) + beside(m)):(abs(column("error_percent"))) \
         with boxes linecolor rgb color(m)
} else { eval not_recorded }
unset multiplot
