# SPDX-License-Identifier: MIT
# gnuplot -c overlay.gp OUTPUT FILE[:FULL] ...: lays the sweeps of several devices on one sheet: the
# clocks of one block, and the span of the launch. Each is normalized to its own single block and to
# its own full device: FULL blocks, or if that is not said the last row's blocks divided by 64, as in
# the default sweep.
set datafile separator ","
set datafile commentschars "#"
set key top left Left reverse
set grid
set logscale xy 10
set logscale x 2
set xtics ("1/1024" 1/1024., "1/64" 1/64., "1/16" 1/16., "1/4" 1/4., 1, 4, 16, 64)
set xlabel "blocks, as a share of a full device (logarithmic)"
set ylabel "times that of a single block (logarithmic)"
set yrange [0.5:*]
set title "Clocks of one block, and span of the launch"
set terminal svg size 600,480 font "sans-serif,16" background rgb "white"
set output ARG1

colors = "#1f77b4 #d62728 #2ca02c #9467bd #ff7f0e #17becf #8c564b #e377c2"
# The rows of a file that have something in one of these columns: blocks, that, and whether it is disturbed. (Or a single point
# that is nowhere to be seen, for gnuplot plots no empty file.)
column_of(path, names) = sprintf("< awk -F, '/^#/ { next } !head++ { for (i = 1; i <= NF; i++) { if ($i ~ /^(%s)$/) c = i; if ($i == \"blocks\") b = i; if ($i == \"disturbed\") d = i }; print \"0,0,0\"; next } c && $c != \"\" { print $b \",\" $c \",\" (d ? $d : 0) }' '%s'", names, path)
array path[ARGC - 1]
array full[ARGC - 1]
array name[ARGC - 1]
array clocks[ARGC - 1] # of the first row
array span[ARGC - 1]
first_of(command) = real(system(command[3:]." | sed -n 2p | cut -d, -f2 | grep . || echo 1"))
do for [i = 1:ARGC - 1] {
    argument = value(sprintf("ARG%d", i + 1))
    colon = strstrt(argument, ":")
    path[i] = colon ? argument[1:colon - 1] : argument
    full[i] = colon ? real(argument[colon + 1:]) : real(system(column_of(path[i], "blocks")[3:]." | tail -n 1 | cut -d, -f2")) / 64
    name[i] = system("sed -n -e 's/^# device,pthread-.*/PoCL (ticks of a CPU)/p' -e 's/^# device,//p' '".path[i]."'")
    clocks[i] = first_of(column_of(path[i], "clocks_mean"))
    span[i] = first_of(column_of(path[i], "span_us|span_clocks"))
}
plot for [i = 1:ARGC - 1] column_of(path[i], "clocks_mean") using ($1 / full[i]):($1 > 0 ? $2 / clocks[i] : NaN) \
     with linespoints linewidth 2 pointtype 7 linecolor rgb word(colors, i) notitle, \
     for [i = 1:ARGC - 1] column_of(path[i], "span_us|span_clocks") using ($1 / full[i]):($1 > 0 ? $2 / span[i] : NaN) \
     with linespoints linewidth 2 dashtype 2 pointtype 6 linecolor rgb word(colors, i) notitle, \
     for [i = 1:ARGC - 1] column_of(path[i], "clocks_mean") using ($1 / full[i]):($3 > 0 ? $2 / clocks[i] : NaN) \
     with points pointtype 2 linewidth 2 linecolor rgb "black" notitle, \
     for [i = 1:ARGC - 1] column_of(path[i], "span_us|span_clocks") using ($1 / full[i]):($3 > 0 ? $2 / span[i] : NaN) \
     with points pointtype 2 linewidth 2 linecolor rgb "black" notitle, \
     NaN with linespoints linewidth 2 pointtype 7 linecolor rgb "black" title "clocks of one block", \
     NaN with linespoints linewidth 2 dashtype 2 pointtype 6 linecolor rgb "black" title "span of the launch", \
     for [i = 1:ARGC - 1] NaN linewidth 3 linecolor rgb word(colors, i) title name[i], \
     NaN with points pointtype 2 linewidth 2 linecolor rgb "black" title "disturbed"
