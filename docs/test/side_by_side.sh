#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/test/side_by_side.sh: what docs/side_by_side.sh says of records that are known, from a folder with a blank.
set -eu
cd "$(dirname "$0")/../.."
suite=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CDPATH=/:. LC_ALL=C
mkdir "$folder/a b" && cd "$folder/a b"
side_by_side() { "$suite/docs/side_by_side.sh" "$@" | tr -s ' ' >../text; }
says() { # LINE...: lines of what was printed, whole
    for line; do grep -qxF -e "$line" ../text || { cat ../text && echo "not said: $line" && exit 1; }; done
}
refuses() { # MESSAGE ARGUMENT...
    message=$1 && shift
    if "$suite/docs/side_by_side.sh" "$@" >../text 2>&1 || ! grep -q -e "$message" ../text; then cat ../text && exit 1; fi
}

# Two records of one program: what was changed, and for each row whether the spread of the runs explains the difference.
cat >A.csv <<'.'
# program,clfinish_sync 1.0.0
# device,Known Device
# runs,31
# size,1000
method,clock,min_us,median_us,mean_us,max_us,disturbed
no_finish,host,1.000,2.000,2.500,9.000,1
finish_before_and_after,host,30.000,40.000,41.000,50.000,0
profiling_event,device,20.000,30.000,31.000,35.000,0
.
sed 's/size,1000/size,2000/; s/40.000,41/45.000,41/; s/20.000,30.000,31.000,35/60.000,70.000,71.000,75/' A.csv >B.csv
side_by_side A.csv B.csv
says "Changed: size 1000 -> 2000" "no_finish 2.000! 1 to 9 2.000! 1 to 9 1.000 disturbed: do not believe it" \
    "finish_before_and_after 40.000 30 to 50 45.000 30 to 50 1.125 within the spread of the runs" \
    "profiling_event 30.000 20 to 35 70.000 60 to 75 2.333 these two runs differ" \
    "median (us): 1 of 3 rows: disturbed; 1 of 3 rows: within the spread of the runs; 1 of 3 rows: these two runs differ"

# The threads were changed: the blocks pair the rows, then their order. A disturbed row may differ by so much that it
# counts all the same. One row is in A alone.
cat >A.csv <<'.'
# program,block_clock 1.0.0
# runs,5
# threads,32 64
blocks,threads,clocks_mean,whole_launch_us,clocks_mean_min,clocks_mean_max,whole_launch_min_us,whole_launch_max_us,disturbed
1,32,100,2.000,90,120,1.900,9.000,0
1,64,200,5300.000,200,200,5000,90000,1
2,32,100,2.000,90,120,1.900,9.000,0
2,64,100,8.000,90,120,7.900,8.200,0
3,32,100,2.000,90,120,1.900,9.000,0
.
sed 's/32 64/128 256/; s/,32,/,128,/; s/,64,/,256,/; /^3/d; s/5300.000,200,200,5000/0.100,200,200,0.05/
    s/90000,1/0.2,0/; s/8.000,90,120,7.900,8.200/10.000,90,120,7.950,12/' A.csv >B.csv
side_by_side A.csv B.csv
says "Changed: threads 32,64 -> 128,256" \
    "A and B have no value of threads in common: rows are paired by blocks, then in their order." \
    "1 64 -> 256 5300.000! 5000 to 90000 0.100 0.05 to 0.2 53000 times less these two runs differ" \
    "2 64 -> 256 8.000 7.9 to 8.2 10.000 7.95 to 12 1.250 the runs overlap" "only A: 3 32 (100)"
refuses "not of one program: block_clock and warmup" A.csv "$suite/docs/results/nvidia-h100/warmup.csv"

# Several processes each: B differs where every process of B is on one side of every process of A.
for process in 1 2 3 4 5; do
    printf '# program,block_clock 1.0.0\nblocks,clocks_mean,disturbed\n1,10%d,0\n2,20%d,0\n' $process $process >A$process.csv
    sed "s/,10./,$((105 + process))/; s/,20./,$((204 + process))/" A$process.csv >B$process.csv
done
side_by_side 'A?.csv' 'B?.csv'
says "blocks A processes of A B processes of B B / A" "1 103 101 to 105 108 106 to 110 1.049 B is greater" \
    "2 203 201 to 205 207 205 to 209 1.020 within the noise" "by chance in 1 of 126 rows."
refuses "two patterns in quotes" A?.csv B?.csv # by the shell

# Machines: all that they have of the chapters' numbers.
for machine in A B; do
    mkdir $machine
    printf '# program,warmup 1.0.0\n# device,GPU %s\nrecipe,estimate_us,error_percent,disturbed\nfirst_launch,1,%s,0\n' \
        $machine 7$machine | tr AB 05 >$machine/warmup.csv
done
side_by_side A B
says "first_launch 70 - 75 - +5.000 no spread recorded"
