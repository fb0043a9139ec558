# SPDX-License-Identifier: MIT
# gnuplot -c report.gp DATA PICTURE bars|lines XLABEL TITLE ...: one picture of the page that report.py
# writes. DATA has a line for each row: its label, then a value for each TITLE.
set datafile separator "\t"
data = ARG1
series = ARGC - 4
title_of(s) = value(sprintf("ARG%d", s + 4))
color(s) = word("#2f81c1 #e69f00 #009e73", s)
set output ARG2
set xlabel ARG4 noenhanced
set key noenhanced
set tics nomirror
stats data using 0 nooutput
rows = STATS_records

if (ARG3 eq "lines") {
    set terminal svg size 380,300 font "system-ui,sans-serif,14"
    set logscale xy
    set logscale x 2
    set format x "2^{%L}"
    set yrange [0.5:*]
    set ylabel "times the first row's"
    set grid linecolor rgb "#8c959f"
    set key top left Left reverse
    plot for [s = 1:series] data using 1:s + 1 with linespoints linewidth 2 pointtype (s == 1 ? 7 : 5) \
         linecolor rgb color(s) title title_of(s)
} else { # lying bars, so that their names can be read
    set terminal svg size 380,60 + 22 * rows * series + (series > 1 ? 24 : 0) font "system-ui,sans-serif,14"
    stats data using (strlen(stringcolumn(1))) nooutput
    names = STATS_max
    set lmargin 1.1 * names + 1
    thick = 0.8 / series
    middle(row, s) = row + (s - (series + 1) / 2.) * thick
    least = 0
    most = 0
    do for [s = 1:series] {
        stats data using s + 1 nooutput
        least = STATS_min < least ? STATS_min : least
        most = STATS_max > most ? STATS_max : most
    }
    digits = 0 # of the longest number, which stands at the end of its bar
    do for [s = 1:series] {
        stats data using (strlen(stringcolumn(s + 1))) nooutput
        digits = STATS_max > digits ? STATS_max : digits
    }
    number = 9. * (digits + 1) # pixels, of 380
    share = number / (380 - 9 * (1.1 * names + 1) - number - 20)
    share = share > 0 && share < 3 ? share : 3
    room = most > least ? most - least : 1
    set xrange [least - (least < 0 ? share * room : 0):most + share * room]
    set yrange [rows - 0.5:-0.5]
    set ytics scale 0 noenhanced
    unset xtics # the numbers stand at the bars
    set border 2
    set style fill solid noborder
    set key at screen 0.97, screen 0.98 right top vertical samplen 1 spacing 1.1
    if (series > 1) { set tmargin 3 }
    if (series == 1) { unset key }
    end(x) = x < 0 ? 0 : x
    plot data using (0):0:ytic(1) with points pointsize 0 notitle, \
         for [s = 1:series] data using (column(s + 1) / 2.):(middle($0, s)):(0):s + 1:(middle($0, s) - thick / 2.2):(middle($0, s) + thick / 2.2) \
         with boxxyerror linecolor rgb color(s) title title_of(s), \
         for [s = 1:series] data using (end(column(s + 1))):(middle($0, s)):(stringcolumn(s + 1)) \
         with labels left offset 0.5, 0 notitle
}
