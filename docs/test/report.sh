#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/test/report.sh SCRATCH: the pages of docs/tools/report.py and docs/tools/compared.py, and the tour's last table, from
# the records of a tour that are known: docs/test/tour/.
set -eu
unset CDPATH
cd "$(dirname "$0")/../.."
mkdir -p "$1/report_test"
folder=$(cd "$1/report_test" && pwd)
rm -rf "${folder:?}"/*
check=docs/test/check_page.py
fails() {
    if "$@"; then
        echo "report.sh: did not fail: $*" >&2
        exit 1
    fi
}

cp docs/test/tour/* "$folder"
for path in "$PWD" "$(pwd -P)"; do # no page shows where the suite is
    sed "s@ROOT@$path@" docs/test/tour/warmup_opencl.txt
done >"$folder/warmup_opencl.txt"
sed -i "s@ROOT@$PWD@" "$folder/ran.txt"

python3 -X utf8 docs/tools/report.py "$folder" "$folder/report.html"
# Rows, heads with units, values by name; what is disturbed, skipped, failed; a paragraph's own lines.
python3 "$check" "$folder/report.html" "What the clocks here can tell calibrate_opencl From START to END of a short kernel subtract that of an empty one, 2.46 us." "docs/lab/calibrate_opencl: disturbed: event_step_ns" \
    "Look at host_clock." "01 Host clock" "06 Warm-up" \
    "method clock min (us) median (us) mean (us) max (us)" "no_finish disturbed host 1.000 2.000 2.500 9.000" \
    "02_clfinish_sync/clfinish_sync: disturbed: no_finish 0" "05_block_clock/block_clock: disturbed: blocks 64, threads 256 0" \
    "of each method no_finish 2.000 disturbed finish_before_and_after 40.000 profiling_event" "disturbed: 64 blocks" \
    "pocl-cpu was disturbed: other virtual machines" \
    "the whole machine: others use the GPU" "Skipped: no OpenCL device" \
    'FAILED with exit code 1: a <b> & "c" failed in x.c' "warmup_opencl began, in 06_warmup" "fit: <yes>" "4 5 6" \
    "way (us) 10" "device Known GPU" "driver Known Platform, 1.2" "the median error first_launch: the first launch" \
    "and 10.00 us for the way there and back" "this machine Known GPU CUDA 13.0, toolkit 13.0 2026-01-02" \
    "method this machine nvidia-h200 nvidia-h100 pocl-cpu no_finish 2.000 disturbed" "size 1000 | 16777216" \
    "host_no_sync 4.000" "the code 10.000" "no 'method " "docs/change.sh block_clock --threads 64" \
    "no no_finish 16777216" "no \`"
fails grep -q "$(pwd -P)" "$folder/report.html"
fails grep -q 'class="said">[^<]*no_finish' "$folder/report.html" # the table is not among the words
[ "$(grep -c '<figure' "$folder/report.html")" -eq 6 ]

# A picture whose column is gone, a second table of one name: an error that names it, no page.
sed 's/median_us/middle_us/' docs/test/tour/clfinish_sync.csv >"$folder/clfinish_sync.csv"
fails python3 -X utf8 docs/tools/report.py "$folder" "$folder/none.html" 2>"$folder/message"
grep -q "clfinish_sync.csv: no column 'median_us'" "$folder/message"

# Two records of one program, by the door, from a folder with a blank, and CDPATH set: what was
# changed is said once; rows are paired; the spread explains one difference and not the other; one is disturbed.
mkdir "$folder/a b"
cp docs/test/tour/clfinish_sync.csv "$folder/a b/A.csv"
sed 's/# size,1000/# size,2000/; s/40.000,41/45.000,41/; s/20.000,30.000,31.000,35/60.000,70.000,71.000,75/' \
    docs/test/tour/clfinish_sync.csv >"$folder/a b/B.csv"
side_by_side=$PWD/docs/side_by_side.sh
svg=$PWD/build/side_by_side.svg
export CDPATH=/:. LC_ALL=C
says() { # WORDS: a line of what was printed, whole
    grep -qxF -e "$1" "$folder/text" || { cat "$folder/text" && echo "report.sh: not said: $1" && exit 1; } >&2
}
(cd "$folder/a b" && rm -f "$svg" && "$side_by_side" A.csv B.csv) | tr -s ' ' >"$folder/text"
says "A is A.csv, B is B.csv"
says "Changed: size 1000 -> 2000"
says "no_finish 2.000! 1 to 9 2.000! 1 to 9 1.000 disturbed: do not believe it"
says "finish_before_and_after 40.000 30 to 50 45.000 30 to 50 1.125 within the spread of the runs"
says "profiling_event 30.000 20 to 35 70.000 60 to 75 2.333 these two runs differ"
says "median (us): 1 of 3 rows: disturbed; 1 of 3 rows: within the spread of the runs; 1 of 3 rows: these two runs differ"
grep -q "^these two runs differ: two processes may differ without a change" "$folder/text"
[ "$(wc -l <"$folder/text")" -le 20 ]
if command -v gnuplot >/dev/null; then
    grep -q '^Picture: .*side_by_side.svg$' "$folder/text"
    python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' "$svg"
    for name in profiling_event "B: B.csv, size 2000" "median (us)"; do
        grep -qF "$name" "$svg"
    done
fi
PATH=/nowhere "$(python3 -c 'import sys; print(sys.executable)')" docs/tools/compared.py "$folder/a b/A.csv" "$folder/a b/B.csv" \
    >"$folder/text"
says "No gnuplot, so no picture (Debian: gnuplot-nox)"
# Threads changed, so that no row has a partner by its own key: the blocks pair the rows. An old record has no spread;
# one run has none; a block more is in one alone.
sed 's/,1$/,0/' docs/test/tour/block_clock.csv >"$folder/a b/A.csv"
sed 's/,256,/,64,/; s/64,64,1710/64,64,3420/; s/^1024,/2048,/; s/# runs,31/&\n# threads,64/' "$folder/a b/A.csv" >"$folder/a b/B.csv"
sed -i 's/# runs,31/&\n# threads,256/' "$folder/a b/A.csv"
"$side_by_side" "$folder/a b/A.csv" "$folder/a b/B.csv" | tr -s ' ' >"$folder/text"
says "Changed: threads 256 -> 64"
says "A and B have no value of threads in common: rows are paired by blocks."
says "64 1710 - 3420 - 2.000 no spread recorded"
says "only A: 1024 (2550)"
says "only B: 2048 (2550)"
# A new record has it. Two numbers of threads, both changed: their order pairs them.
cat >"$folder/a b/A.csv" <<'.'
# program,block_clock_opencl 1.0.0
# runs,5
# threads,32 64
blocks,threads,clocks_mean,whole_launch_us,clocks_mean_min,clocks_mean_max,whole_launch_min_us,whole_launch_max_us,disturbed
1,32,100,2.000,90,120,1.900,9.000,0
2,32,100,2.000,90,120,1.900,9.000,0
1,64,200,3.000,200,200,2.900,3.100,0
.
sed 's/32 64/128 256/; s/1,32,100/1,128,400/; s/2,32,/2,128,/; s/1,64,200/1,256,900/' "$folder/a b/A.csv" >"$folder/a b/B.csv"
"$side_by_side" "$folder/a b/A.csv" "$folder/a b/B.csv" | tr -s ' ' >"$folder/text"
says "Changed: threads 32,64 -> 128,256"
says "A and B have no value of threads in common: rows are paired by blocks, then in their order."
says "1 32 -> 128 100 90 to 120 400 90 to 120 4.000 the runs overlap"
says "1 64 -> 256 200 200 to 200 900 200 to 200 4.500 the runs overlap"
says "1 64 -> 256 3.000 2.9 to 3.1 3.000 2.9 to 3.1 1.000 within the spread of the runs"
sed '/^1,256,/d' "$folder/a b/B.csv" >"$folder/a b/C.csv"
"$side_by_side" "$folder/a b/A.csv" "$folder/a b/C.csv" | tr -s ' ' >"$folder/text"
says "only A: 1 32 (100), 1 64 (200)"
says "only B: 1 128 (400)"
sed -i 's/# runs,5/# runs,1/' "$folder/a b/A.csv"
"$side_by_side" "$folder/a b/A.csv" "$folder/a b/A.csv" | tr -s ' ' >"$folder/text"
says "Changed: no option. (A record does not show a change in the source.)"
says "1 64 200 - 200 - 1.000 no spread recorded"
fails "$side_by_side" "$folder/a b/A.csv" docs/test/tour/warmup.csv 2>"$folder/message"
grep -q "not of one program: block_clock_opencl and warmup" "$folder/message"
fails "$side_by_side" "$folder/a b/A.csv" 2>"$folder/message"
grep -q "usage: docs/side_by_side.sh A.csv B.csv" "$folder/message"

# Of unequally many rows none is paired by order: 100 blocks stand between 64 and 128.
printf 'blocks,threads,clocks_mean\n1,32,7\n64,32,8\n128,32,9\n' | sed '1i # program,block_clock 1.0.0' >"$folder/a b/A.csv"
sed 's/^1,.*/100,32,9/; /^64,/d; /^128,/d' "$folder/a b/A.csv" >"$folder/a b/B.csv"
"$side_by_side" "$folder/a b/A.csv" "$folder/a b/B.csv" | tr -s ' ' | grep -A1 '^64 ' >"$folder/text"
says "64 8 - - - - only A"
says "100 - - 9 - - only B"
# Several processes each: the medians; B differs where every process of B is on one side of every process of A.
for process in 1 2 3 4 5; do
    for side in A B; do
        printf '# program,block_clock 1.0.0\nblocks,threads,clocks_mean,note,disturbed\n1,32,%s,,0\n2,32,%s,x,0\n' \
            "$((100 + process))" "$((200 + process))" >"$folder/a b/$side$process.csv"
    done
    sed -i "s/,10$process,/,$((105 + process)),/; s/,20$process,/,$((204 + process)),/" "$folder/a b/B$process.csv"
done
"$side_by_side" "$folder/a b/A?.csv" "$folder/a b/B?.csv" | tr -s ' ' >"$folder/text"
says "blocks A processes of A B processes of B B / A"
says "1 103 101 to 105 108 106 to 110 1.049 B is greater"
says "2 203 201 to 205 207 205 to 209 1.020 within the noise"
says "clocks_mean is 1.05 times as great in 1 of 2 rows"
says "by chance in 1 of 126 rows."
mkdir "$folder/a [1]" && cp "$folder/a b"/[AB]?.csv "$folder/a [1]" # in a folder's name nothing is a pattern
"$side_by_side" "$folder/a [1]/A?.csv" "$folder/a [1]/B?.csv" | tr -s ' ' >"$folder/text"
says "1 103 101 to 105 108 106 to 110 1.049 B is greater"
fails "$side_by_side" "$folder/a b"/A?.csv "$folder/a b"/B?.csv 2>"$folder/message" # by the shell
grep -q "two patterns in quotes" "$folder/message"
printf '# program,block_clock 1.0.0\nblocks,threads,clocks_mean\n1,32,7\n2,32,8\n3,32,8\n' >"$folder/a b/A.csv"
printf '# program,block_clock 1.0.0\nblocks,threads,clocks_mean\n16,32,7\n' >"$folder/a b/B.csv"
"$side_by_side" "$folder/a b/A.csv" "$folder/a b/B.csv" | tr -s ' ' >"$folder/text"
says "No row is in both, so nothing is compared. Give A and B equally many values, as in"
mv "$folder/a b/B1.csv" "$folder/a b/B.1.csv"
"$side_by_side" "$folder/a b/A[12].csv" "$folder/a b/B*[12].csv" >"$folder/text" # any pattern of the shell
says "by chance in 1 of 3 rows."
fails docs/change.sh none 2>"$folder/message"
[ ! -e build/programs.txt ] || grep -q "host_clock" "$folder/message" # what is built
grep -q "^change.sh: no program 'none'" "$folder/message"

# Disturbed: two runs differ if even the least run of one is longer than the other's median, over which one late run has
# no power. A small difference is for another tool. The units of the rows are a line.
cat >"$folder/a b/A.csv" <<'.'
# program,block_clock_opencl 1.0.0
# runs,31
# threads,256
blocks,threads,clocks_mean,whole_launch_us,used_units,clocks_mean_min,clocks_mean_max,whole_launch_min_us,whole_launch_max_us,disturbed
1,256,800,5300.000,1,700,9000,5000,90000,1
2,256,800,8.000,2,700,9000,7.900,8.200,0
4,256,800,8.000,2,700,9000,5,90,1
.
cat >"$folder/a b/B.csv" <<'.'
# program,block_clock_opencl 1.0.0
# runs,31
# threads,64
blocks,threads,clocks_mean,whole_launch_us,used_units,clocks_mean_min,clocks_mean_max,whole_launch_min_us,whole_launch_max_us,disturbed
1,64,100,0.100,1,90,900,0.05,0.2,0
2,64,900,10.000,1,810,9000,7.950,12,0
4,64,900,9.000,2,810,9000,8.5,90,1
.
"$side_by_side" "$folder/a b/A.csv" "$folder/a b/B.csv" | tr -s ' ' >"$folder/text"
says "used (units), row by row: 1 2 2 -> 1 1 2"
says "1 800! 700 to 9000 100 90 to 900 0.125 these two runs differ"
says "2 800 700 to 9000 900 810 to 9000 1.125 these two runs differ"
says "1 5300.000! 5000 to 90000 0.100 0.05 to 0.2 53000 times less these two runs differ"
says "whole_launch (us) is 53000 times less in 1 of 3 rows"
says "2 8.000 7.9 to 8.2 10.000 7.95 to 12 1.250 the runs overlap"
says "4 8.000! 5 to 90 9.000! 8.5 to 90 1.125 disturbed: do not believe it"
says "For small differences: docs/compare.md"
# A rate is not lengthened by a delay: there the runs must be apart.
for file in A B; do
    sed 's/bl[a-z_]*_opencl/bandwidth/; s/clocks_mean/four_floats_gb_s/; s/clocks_mean_m\(..\)/four_floats_m\1_gb_s/g' \
        "$folder/a b/$file.csv" >"$folder/a b/rate_$file.csv"
done
"$side_by_side" "$folder/a b/rate_A.csv" "$folder/a b/rate_B.csv" | tr -s ' ' >"$folder/text"
says "2 800 700 to 9000 900 810 to 9000 1.125 the runs overlap"
# Of a series the first launch, and the steady state.
{
    printf '# program,warmup_series 1.0.0\nlaunch,device_us,host_us,disturbed\n1,500.000,700.000,0\n'
    seq 2 100 | sed 's/.*/&,10.000,20.000,0/; s/^99,10/99,12/'
} >"$folder/a b/A.csv"
sed 's/,10.000/,30.000/; s/^1,500/1,250/' "$folder/a b/A.csv" >"$folder/a b/B.csv"
"$side_by_side" "$folder/a b/A.csv" "$folder/a b/B.csv" | tr -s ' ' >"$folder/text"
says "first 500.000 - 250.000 - 0.500 no spread recorded"
says "steady 10.000 10 to 12 30.000 12 to 30 3.000 these two runs differ"
sed '4,$d' "$folder/a b/A.csv" | sed '$d' >"$folder/a b/B.csv"
fails "$side_by_side" "$folder/a b/A.csv" "$folder/a b/B.csv" 2>"$folder/message"
grep -q "B has no rows: its run failed (.*B.csv)" "$folder/message"

# The tour's last table: one record after the other, each with its own columns; a row that is not the last is disturbed.
awk -F, -f docs/tools/one_kernel.awk docs/test/tour/clfinish_sync.csv docs/test/tour/cuda_events.csv | tr -s ' ' >"$folder/text"
says "OpenCL no_finish host 2.00 the call that queues the kernel (disturbed)"
says "CUDA event_net device 60.00 the kernel on the device"
says "Do not believe a row that says disturbed: run the tour again on an idle machine."
[ "$(grep -c '^CUDA' "$folder/text")" = 1 ] # the other kernel is not in it

# Two machines: every program that both have; of three the numbers alone.
for side in A B; do
    mkdir "$folder/$side"
    cp docs/test/tour/*.csv docs/test/tour/environment.txt "$folder/$side"
done
sed -i 's/400.000,50.000,700.00/400.000,50.000,705.00/' "$folder/B/warmup.csv"
(cd "$folder" && "$side_by_side" A B) | tr -s ' ' >"$folder/text"
says "A: Known GPU, CUDA 13.0, toolkit 13.0, 2026-01-02"
says "first_launch 700.00 - 705.00 - +5.000 no spread recorded"
(cd "$folder" && "$side_by_side" A B nvidia-h200) | tr -s ' ' >"$folder/text"
says "first_launch 700.00 705.00 $(sed -n 's/^first_launch,//p' docs/results/nvidia-h200/warmup.csv | cut -d, -f5)"
