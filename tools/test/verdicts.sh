#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/test/verdicts.sh: what ./change.sh says of what two programs printed, in a folder with a blank.
# Red: who changes an option or a kernel reads that it matters where it does not, or the other way round.
set -eu
cd "$(dirname "$0")/../.."
suite=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C
mkdir "$folder/a b" && cd "$folder/a b"
compared() { python3 -X utf8 "$suite/tools/compared.py" "$folder/a b" 2>&1 | tr -s ' ' >../text; }
says() { # LINE...: lines of what was printed, whole
    for line; do grep -qxF -e "$line" ../text || { cat ../text && echo "not said: $line" && exit 1; }; done
}
# side NAME EDIT: five processes, of which the text on stdin is the first. In the others, T is 1 to 4.
side() {
    sed "$2" >../side
    for process in 0 1 2 3 4; do sed "s/T/$process/g" ../side >"$1$process.txt"; done
}

# What was changed, and for each row whether all processes of B are on one side of all of A.
cat >../record <<'.'
# program clfinish_sync 1.0.0
# device Known Device, driver 1
# size 1000
# Words are no values.
method                  clock  min_us median_us mean_us max_us disturbed
no_finish               host    1.000     2.00T   2.500  9.000 runs_drift
finish_before_and_after host   30.000    40.00T  41.000 50.000 -
profiling_event         device 20.000    30.00T  31.000 35.000 -
# overhead_us 10.000
.
side A '' <../record
side B 's/size 1000/size 2000/; s/40.00T/40.004/; s/30.00T/70.00T/' <../record
compared
says "clfinish_sync on Known Device, driver 1" "Changed: size 1000 -> 2000" \
    "method clock median of A all 5 of A median of B all 5 of B B / A" \
    "no_finish host 2.002! 2 to 2.004 2.002! 2 to 2.004 1.000 within the noise (disturbed)" \
    "finish_before_and_after host 40.002 40 to 40.004 40.004 40.004 to 40.004 1.000 within the noise" \
    "profiling_event device 30.002 30 to 30.004 70.002 70 to 70.004 2.333 B is greater" \
    "median_us: 1 of 3 rows: within the noise (disturbed); 1 of 3 rows: within the noise; 1 of 3 rows: B is greater" \
    "B is greater, or less: all 5 of B are above, or below, all of A. A change without any effect" \
    "does that by chance in one of 126 rows: repeat the command before you believe a row."

# The threads were changed: the blocks pair the rows, then their order. One row is in A alone. Of times near zero B - A.
cat >../record <<'.'
# program block_clock 1.0.0
# threads 32,64
blocks threads clocks_mean span_us used_units disturbed
1 32 10T 2.000 1 -
1 64 20T 5300.000 1 -
2 32 10T 2.000 2 -
2 64 10T 8.000 2 -
3 32 10T 2.000 3 -
.
side A '' <../record
side B 's/32,64/128,256/; s/ 32 / 128 /; s/ 64 / 256 /; /^3/d; s/20T/9T/; s/5300.000/0.100/' <../record
compared
says "Changed: threads 32,64 -> 128,256" \
    "A and B have no value of threads in common: rows are paired by blocks, then in their order." \
    "1 64 -> 256 202 200 to 204 92 90 to 94 0.455 B is less" "clocks_mean is 2.2 times less in 1 of 4 rows" \
    "1 64 -> 256 5300.000 5300 to 5300 0.100 0.1 to 0.1 53000 times less B is less" "only A: 3 32 (102)"
side A 's/^# threads.*/# device Model (no hardware)/' <../record
sed 's/^# threads.*/# device Model (no hardware)/; s/ 2 -$/ 1 -/' ../record >../other && side B '' <../other
compared
says "Changed: no option. (A record does not show a change in the source.)" "used_units, row by row: 1 1 2 2 3 -> 1 1 1 1 3" \
    "B is greater, or less: all 5 of B are above, or below, all of A. In the model nothing is by chance."

# Several rows of one name, which are runs, count as their median.
cat >../record <<'.'
# program warmup 1.0.0
recipe run launches estimate_us error_percent disturbed
first_launch 1 1 9.0 7T.0 -
first_launch 2 1 1.0 0.0 -
first_launch 3 1 2.0 99.0 -
.
side A '' <../record
side B 's/7T/8T/' <../record
compared
says "first_launch 72.0 70 to 74 82.0 80 to 84 +10.000 B is greater" "first_launch 2.0 2 to 2 2.0 2 to 2 1.000 within the noise"
sed -i 's/first/last/' A3.txt
compared
says "change.sh: $folder/a b/A0.txt: each process has other rows, so there is nothing to pair"
