# SPDX-License-Identifier: MIT
# gnuplot -c plot.gp FOLDER: draws the launches that the first pages print, 06_cuda_minimal.txt, with eager loading
# 06_cuda_minimal_eager.txt, and 06_opencl_minimal.txt in FOLDER, as FOLDER/first_launches.svg, and l2_cache.txt, as l2_cache.svg.
folder = ARG1
set datafile missing "-"
device(file) = system("sed -n 's/^# device \\([^,]*\\).*/\\1/p' ".folder."/".file)
has(file) = system("test -s ".folder."/".file." && echo yes") eq "yes"

set terminal svg size 600,440 font "sans-serif,16" background rgb "white"
set style data linespoints
set grid
set key top right

launches(file) = "< sed -n 's/^launch *\\([0-9]*\\): *\\([0-9.]*\\) us/\\1 \\2/p' ".folder."/".file
lines = ""
if (has("06_cuda_minimal.txt")) { lines = lines.', launches("06_cuda_minimal.txt") linewidth 2 pointtype 7 title "CUDA"' }
if (has("06_cuda_minimal_eager.txt")) { lines = lines.', launches("06_cuda_minimal_eager.txt") linewidth 2 pointtype 5 title "CUDA, EAGER"' }
if (has("06_opencl_minimal.txt")) { lines = lines.', launches("06_opencl_minimal.txt") linewidth 2 pointtype 9 title "OpenCL, host''s clock"' }
if (lines ne "") {
    set output folder."/first_launches.svg"
    set title system("cd ".folder."; sed -n 's/^gpu: \\([^,]*\\).*/\\1/p; s/^processor: //p' environment.txt | tail -n 1").\
              ":\nlaunches of vector_add in a new process" noenhanced
    set xlabel "launch"
    set ylabel "time (us, logarithmic)"
    set logscale y 10
    set xrange [0.5:10.5]
    set xtics 1
    set format y "%.0f"
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
