# SPDX-License-Identifier: MIT
# gnuplot -c plot.gp FOLDER: draws the launches that warmup.txt and warmup_opencl.txt in FOLDER have one by one, and
# l2_cache.txt, as FOLDER/first_launches.svg and l2_cache.svg.
folder = ARG1
set datafile missing "-"
device(file) = system("sed -n 's/^# device \\([^,]*\\).*/\\1/p' ".folder."/".file)
has(file) = system("test -s ".folder."/".file." && echo yes") eq "yes"

set terminal svg size 600,440 font "sans-serif,16" background rgb "white"
set style data linespoints
set grid
set key top right

# The first row of mean_of_100 has some of its launches, in columns as launch_10_us.
launches(file, name) = "< awk '/^#/ { next } !n++ { for (i = 1; i <= NF; i++) c[i] = $i; next } ".\
    "$1 == \"mean_of_100\" { for (i = 1; i <= NF; i++) if (sub(/^".name."_/, \"\", c[i])) print c[i] + 0, $i; exit }' ".\
    folder."/".file
shows(file) = has(file) && system("grep -c ' launch_2_us' ".folder."/".file) > 0
cuda = shows("warmup.txt")
opencl = shows("warmup_opencl.txt")
if (cuda || opencl) {
    set output folder."/first_launches.svg"
    set title device(cuda ? "warmup.txt" : "warmup_opencl.txt").":\nlaunches of vector_add in a new process" noenhanced
    set xlabel "launch (logarithmic)"
    set ylabel "time (us, logarithmic)"
    set logscale xy 10
    set xrange [0.9:110]
    set xtics (1, 2, 3, 10, 100)
    set format y "%.0f"
    lines = ""
    if (cuda) { lines = lines.', launches("warmup.txt", "launch") linewidth 2 pointtype 7 title "CUDA, event pair"' }
    if (opencl) { lines = lines.', launches("warmup_opencl.txt", "launch") linewidth 2 pointtype 5 title "OpenCL, host''s clock"'. \
                  ', launches("warmup_opencl.txt", "start_to_end") linewidth 2 pointtype 9 title "OpenCL, START to END"' }
    eval "plot ".lines[3:]
    unset logscale
    set xtics autofreq
    set format y
    set autoscale
}

if (has("l2_cache.txt")) {
    set output folder."/l2_cache.svg"
    set title device("l2_cache.txt").":\nvector_add with the L2 cache in three states" noenhanced
    set logscale x 2
    set xlabel "size (floats, logarithmic)"
    set ylabel "time / time with a warm cache"
    set yrange [0:*]
    set key bottom left Left reverse
    set format x "2^{%L}"
    plot folder."/l2_cache.txt" using "size":(1) linewidth 2 pointtype 7 title "warm: from the run before", \
         "" using "size":"flushed_to_warm" linewidth 2 pointtype 5 title "flushed by reading other data", \
         "" using "size":"written_to_warm" linewidth 2 pointtype 9 title "flushed by writing other data"
}
