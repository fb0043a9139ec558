#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/test/report.sh SCRATCH: the pages of docs/tools/report.py and docs/tools/compared.py, from the records of a tour
# that are known: docs/test/tour/.
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
python3 "$check" "$folder/report.html" "Look at host_clock." "01 Host clock" "06 Warm-up" \
    "method clock min (us) median (us) mean (us) max (us)" "no_finish disturbed host 1.000 2.000 2.500 9.000" \
    "02_clfinish_sync/clfinish_sync, row no_finish host: disturbed" "05_block_clock/block_clock, row blocks 64 threads 256: disturbed" \
    "the whole machine: others use the GPU" "Skipped: no OpenCL device" \
    'FAILED with exit code 1: a <b> & "c" failed in x.c' "warmup_opencl began, in 06_warmup" "fit: <yes>" "4 5 6" \
    "way (us) 10" "device Known GPU" "driver Known Platform, 1.2" "the median error first_launch: the first launch" \
    "and 10.00 us for the way there and back" "this machine Known GPU CUDA 13.0, toolkit 13.0 2026-01-02" \
    "method this machine nvidia-h200 nvidia-h100 pocl-cpu no_finish 2.000 disturbed" "size 1000 | 16777216" \
    "host_no_sync 4.000" "the code 10.000" "no 'method " "no no_finish 16777216" "no \`"
fails grep -q "$(pwd -P)" "$folder/report.html"
fails grep -q 'class="said">[^<]*no_finish' "$folder/report.html" # the table is not among the words
[ "$(grep -c '<figure' "$folder/report.html")" -eq 5 ]

# A picture whose column is gone, a second table of one name: an error that names it, no page.
sed 's/median_us/middle_us/' docs/test/tour/clfinish_sync.csv >"$folder/clfinish_sync.csv"
fails python3 -X utf8 docs/tools/report.py "$folder" "$folder/none.html" 2>"$folder/message"
grep -q "clfinish_sync.csv: no column 'median_us'" "$folder/message"

# Two records of one program, by the door, from a folder with a blank and CDPATH set: what was changed stands in the
# caption and is no key; rows are paired; the spread explains one difference and not the other; one is disturbed.
mkdir "$folder/a b"
cp docs/test/tour/clfinish_sync.csv "$folder/a b/A.csv"
sed 's/# size,1000/# size,2000/; s/40.000,41/45.000,41/; s/20.000,30.000,31.000,35/60.000,70.000,71.000,75/' \
    docs/test/tour/clfinish_sync.csv >"$folder/a b/B.csv"
side_by_side=$PWD/docs/results/compare.sh
export CDPATH=/:. LC_ALL=C
(cd "$folder/a b" && "$side_by_side" A.csv B.csv) | tr -s ' ' >"$folder/text"
grep -qx "clfinish_sync; median (us), size 1000 | 2000" "$folder/text"
grep -qx "no_finish 2.000! 1 to 9 2.000! 1 to 9 1.000 disturbed: do not believe it" "$folder/text"
grep -qx "finish_before_and_after 40.000 30 to 50 45.000 30 to 50 1.125 within the spread" "$folder/text"
grep -qx "profiling_event 30.000 20 to 35 70.000 60 to 75 2.333 differs" "$folder/text"
# Threads changed: blocks pair the rows. A number without its spread says so; a block more is in one alone.
sed 's/,256,/,64,/; s/64,64,1710/64,64,3420/; s/^1024,/2048,/; s/,1$/,0/' docs/test/tour/block_clock.csv >"$folder/a b/B.csv"
sed 's/,1$/,0/' docs/test/tour/block_clock.csv >"$folder/a b/A.csv"
"$side_by_side" "$folder/a b/A.csv" "$folder/a b/B.csv" | tr -s ' ' >"$folder/text"
grep -q "clocks_mean, threads 256 | 64" "$folder/text"
grep -qx "64 1710 - 3420 - 2.000 no spread recorded" "$folder/text"
grep -qx "2048 - - 2550 - - one record has no such row" "$folder/text"
fails "$side_by_side" "$folder/a b/A.csv" docs/test/tour/warmup.csv 2>"$folder/message"
grep -q "not of one program: block_clock and warmup" "$folder/message"

# Two machines, on the page: clear differences first, the others folded; one environment once.
for side in A B; do
    mkdir "$folder/$side"
    cp docs/test/tour/*.csv docs/test/tour/environment.txt "$folder/$side"
    cp docs/test/tour/block_clock.csv "$folder/$side/block_clock_opencl.csv"
done
sed -i 's/20.000,30.000,31.000,35/60.000,70.000,71.000,75/' "$folder/B/clfinish_sync.csv"
sed -i 's/-6.000/-7.000/; s/400.000,50.000,700.00/400.000,50.000,705.00/' "$folder/B"/*.csv
"$side_by_side" --html "$folder/A" "$folder/B"
python3 "$check" build/compared.html "side by side" "profiling_event 30.000 20 to 35 70.000 60 to 75 2.333 differs" \
    "of a GPU cycles of its SM, of a CPU ticks of its time stamp counter" \
    "first_launch 700.00 - 705.00 - +5.000 no spread recorded" "Known GPU CUDA 13.0, toolkit 13.0 2026-01-02"
[ "$(grep -c '<summary>The environment of' build/compared.html)" -eq 1 ]
