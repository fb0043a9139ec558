# SPDX-License-Identifier: MIT
# gnuplot -c overlay.gp OUTPUT FILE[:FULL] ...: lays the sweeps of several devices on one sheet. Each
# is normalized to its own single block and to its own full device: FULL blocks, or if that is not
# said the last row's blocks divided by 64, as in the default sweep.
output = ARG1
set datafile separator ","
set key top center
set grid
set logscale x 2
set xtics ("1/1024" 1/1024., "1/256" 1/256., "1/64" 1/64., "1/16" 1/16., "1/4" 1/4., 1, 4, 16, 64)
set xlabel "blocks, as a share of a full device (logarithmic)"
set ylabel "clocks of one block, times those of a single one"
set title "Blocks against clocks, each device by its own measure"
if (output[strlen(output) - 2:] eq "svg") {
    set terminal svg size 720,480 font "sans-serif,14" background rgb "white"
} else {
    set terminal pngcairo size 1080,720 font "sans,15" background rgb "white"
}
set output output

array path[ARGC - 1]
array full[ARGC - 1]
array one[ARGC - 1]
array name[ARGC - 1]
do for [i = 1:ARGC - 1] {
    argument = value(sprintf("ARG%d", i + 1))
    colon = strstrt(argument, ":")
    path[i] = colon ? argument[1:colon - 1] : argument
    stats path[i] using 2 skip 1 nooutput
    full[i] = colon ? real(argument[colon + 1:]) : STATS_max / 64
    one[i] = real(system("sed -n 2p ".path[i]." | cut -d, -f6"))
    name[i] = system("sed -n '2s/,.*//p' ".path[i])
}
set yrange [0:3.5] # not before: stats would leave out what lies outside
plot for [i = 1:ARGC - 1] path[i] skip 1 using ($2 / full[i]):($6 / one[i]) \
     with linespoints linewidth 2 pointtype 6 + i title name[i]
