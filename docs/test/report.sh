#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/test/report.sh SCRATCH: docs/report.py on a tour whose output is known: the recorded texts of an
# H200, a program that was skipped and one that failed; and docs/compared.py.
set -eu
cd "$(dirname "$0")/../.."
folder=$1/report_test
rm -rf "$folder"
mkdir -p "$folder"
recorded=docs/results/nvidia-h200
check=docs/test/check_page.py

for chapter in 0*_*; do
    for text in "$recorded"/*.txt; do
        name=$(basename "$text" .txt)
        [ -e "$chapter/$name.c" ] || [ -e "$chapter/$name.cu" ] || continue
        case $name in
        host_clock | clfinish_sync | opencl_profiling | cuda_events | block_clock | block_clock_opencl | warmup) ;;
        *) continue ;;
        esac
        sed '/^no_finish /s/$/ disturbed/' "$text" >"$folder/$name.txt"
        printf '%s\t0\tLook at %s.\t\n' "$chapter/$name" "$name" >>"$folder/ran.txt"
    done
done
printf '06_warmup/warmup_opencl\t77\tLook.\tno OpenCL device\n' >>"$folder/ran.txt"
printf '06_warmup/warmup_series\t1\tLook.\ta <b> & "c" failed in %s/x.c\n' "$PWD" >>"$folder/ran.txt"
echo "a table laid out otherwise" >"$folder/warmup_series.txt"
cp "$recorded/environment.txt" "$folder"
printf '0.1 0.2 0.3\n4 5 6\n' >"$folder/load.txt"
echo "fit: <yes>" >"$folder/fit_to_measure.txt"

python3 -X utf8 docs/report.py "$folder" "$folder/report.html"
python3 "$check" "$folder/report.html" "Look at host_clock." "01 Host clock" "02 clFinish" \
    "03 OpenCL profiling" "04 CUDA events" "05 Block clock" "06 Warm-up" \
    "02_clfinish_sync/clfinish_sync, row no_finish host: disturbed" "Skipped: no OpenCL device" \
    'FAILED with exit code 1: a <b> & "c" failed in x.c' "a table laid out otherwise" "fit: <yes>" "4 5 6" \
    "gpu NVIDIA H200, driver" "nvidia-h100" "Its time on the device is"
# of seven programs: their tables, those beside the recorded machines, their pictures
grep -c '<table>' "$folder/report.html" | grep -qx 14
grep -c '<img \|No picture: gnuplot is not installed' "$folder/report.html" | grep -qx 7

# Side by side: one number of threads changed, one number of blocks is new; a ratio, and of errors a difference.
{
    docs/results/compare.sh --tsv nvidia-h200 pocl-cpu
    printf '05 blocks\tblocks threads\t%s\t%s\t%s\n' '8 256' 10 - '8 128' - 25 '9 128' - '7!'
    printf '06 error, percent\trecipe\tmean\t-1.5\t2\n'
} | python3 -X utf8 docs/compared.py "$folder/compared.html" nvidia-h200 pocl-cpu
python3 "$check" "$folder/compared.html" "nvidia-h200 and pocl-cpu side by side" "no_finish 16777216" \
    "8 256 | 128 10 25 2.500" "9 128 - 7 disturbed -" "mean -1.5 2 +3.500" \
    "no such rows: 04 each method"
