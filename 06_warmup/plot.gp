# SPDX-License-Identifier: MIT
# gnuplot -c plot.gp FOLDER: draws the series of first launches in FOLDER (warmup_series.csv of CUDA,
# warmup_series_opencl.csv) and l2_cache.csv as FOLDER/first_launches.svg and l2_cache.svg.
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
