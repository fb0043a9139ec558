# SPDX-License-Identifier: MIT
# gnuplot -c plot.gp FOLDER: draws the series of first launches in FOLDER (warmup_series.csv of CUDA,
# warmup_series_opencl.csv), l2_cache.csv and sm_clock.csv as FOLDER/first_launches.svg, l2_cache.svg and
# sm_clock.svg.
folder = ARG1
set datafile separator ","
set datafile commentschars "#" # the record's lines that are no rows
device(file) = system("sed -n 's/^# device,//p' ".folder."/".file)
has(file) = system("test -s ".folder."/".file." && echo yes") eq "yes"

set terminal svg size 600,440 font "sans-serif,16" background rgb "white"
set style data linespoints
set grid
set key top right

cuda = has("warmup_series.csv")
opencl = has("warmup_series_opencl.csv")
if (cuda || opencl) {
    set output folder."/first_launches.svg"
    set title device(cuda ? "warmup_series.csv" : "warmup_series_opencl.csv").":\nthe first launches of vector_add in a new process" noenhanced
    set xlabel "launch"
    set ylabel "time (us, logarithmic)"
    set logscale y 10
    set xrange [0:30]
    lines = ""
    if (cuda) { lines = lines.', "'.folder.'/warmup_series.csv" using "launch":"device_us" linewidth 2 pointtype 7 title "CUDA, event pair"' }
    if (opencl) { lines = lines.', "'.folder.'/warmup_series_opencl.csv" using "launch":"host_us" linewidth 2 pointtype 5 '. \
                  'title "OpenCL, host''s clock", "" using "launch":"device_us" linewidth 2 pointtype 9 title "OpenCL, START to END"' }
    eval "plot ".lines[3:]
    unset logscale
    set autoscale
}

if (has("l2_cache.csv")) {
    set output folder."/l2_cache.svg"
    set title device("l2_cache.csv").":\nvector_add with the L2 cache in three states" noenhanced
    set logscale x 2
    set xlabel "size (floats, logarithmic)"
    set ylabel "time / time with a warm cache"
    set yrange [0:*]
    set key bottom left Left reverse
    set format x "2^{%L}"
    plot folder."/l2_cache.csv" using "size":(1) linewidth 2 pointtype 7 title "warm: from the run before", \
         "" using "size":"flushed_to_warm" linewidth 2 pointtype 5 title "flushed by reading other data", \
         "" using "size":"written_to_warm" linewidth 2 pointtype 9 title "flushed by writing other data"
}

# Three panels above each other with one time axis, and a scale each: no line needs a second axis. Behind
# the lines are the turns with random numbers (grey) and those without tensor cores (blue).
if (has("sm_clock.csv")) {
    load = folder."/sm_clock.csv"
    date = system("sed -n 's/^# date,//p' ".load)
    set terminal svg size 600,720 font "sans-serif,16" background rgb "white"
    set output folder."/sm_clock.svg"
    unset logscale
    unset grid
    set format x "%g"
    set autoscale
    stats load using "since_s" nooutput
    set xrange [0:STATS_max]
    set lmargin 12
    set rmargin 3
    set key bottom left Left reverse
    turns = system("awk -F, '/^#/ { next } !c[\"since_s\"] { for (i = 1; i <= NF; i++) c[$i] = i; next } { s = $c[\"since_s\"]; n = $c[\"numbers\"] } n != what { if (from) print from, at, what; from = n == \"random\" || n == \"fma\" ? s : 0; what = n } { at = s } END { if (from) print from, at, what }' ".load)
    do for [t = 1:words(turns) / 3] {
        set object t rectangle from first real(word(turns, 3 * t - 2)), graph 0 to first real(word(turns, 3 * t - 1)), graph 1 behind fillcolor rgb (word(turns, 3 * t) eq "fma" ? "#dcecf8" : "#e4e4e4") fillstyle solid noborder
    }
    set multiplot layout 3,1 title sprintf("%s, %s: all SMs busy\nzeros (white), random numbers (grey), no tensor cores (blue)", device("sm_clock.csv"), date) noenhanced
    set title
    unset xlabel
    set ylabel "launch (ms)\nnot from 0"
    # Without tensor cores it is another kernel, so its launch time is left out.
    plot load using "since_s":(strcol("numbers") eq "fma" ? NaN : column("launch_ms")) with lines linewidth 2 linecolor rgb "#0072b2" notitle
    set ylabel "SM clock (MHz)\nnot from 0"
    set offsets 0, 0, graph 0.05, graph 0.35 # below is room for the key
    plot load using "since_s":"nvml_clock_mhz" with lines linewidth 2 linecolor rgb "#d55e00" title "by NVML", \
         "" using "since_s":"clock_mhz" with lines linewidth 2 linecolor rgb "#0072b2" title "by the SM's own counter"
    set xlabel "time (s)"
    set ylabel "power (W)\nby NVML"
    set offsets 0, 0, graph 0.1, 0
    set yrange [0:*]
    plot load using "since_s":"power_w" with lines linewidth 2 linecolor rgb "#0072b2" notitle, \
         0 with lines linecolor rgb "black" notitle # on the axis: without NVML there is nothing else
    unset multiplot
}
