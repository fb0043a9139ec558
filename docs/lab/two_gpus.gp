# SPDX-License-Identifier: MIT
# gnuplot -c two_gpus.gp two_gpus.json two_gpus.svg: the all-reduce in a trace of two_gpus, a line for every fourth block.
slice = '"pid": \([01]\), "tid": 10*\([0-9]*\), "name": "%s", "ts": \([0-9.]*\), "dur": \([0-9.]*\).*'
slices(name) = sprintf("<sed -n 's/.*".slice."/\\1 0\\2 \\3 \\4/p' '%s'", name, ARG1)
names = "late send wait add"
colors = "#999999 #0072b2 #f0e442 #009e73"
set terminal svg size 720,300 font "sans-serif,14" background rgb "white"
set output ARG2
stats slices("late") using 3 name "late" nooutput
set title "An all-reduce to which GPU 1 comes 50 us late: GPU 0 waits"
set key outside top center horizontal
set style fill solid noborder
set grid x
set xlabel "us on GPU 0's time line"
set xrange [-2:*]
set yrange [8.5:-0.5]
set ytics ("GPU 0,\nblocks 0, 4,\n8 and 12" 1.5, "GPU 1,\nthe same" 6.5) scale 0
plot for [i=1:4] slices(word(names, i)) \
    using ($3 > late_min + 1000 || int($2) % 4 ? NaN : $3 - late_min + $4 / 2):(5 * $1 + $2 / 4):($4 / 2):(0.4) \
    with boxxyerror linecolor rgb word(colors, i) title word(names, i) # the copy's waits are later
