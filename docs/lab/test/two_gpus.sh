#!/bin/sh
# SPDX-License-Identifier: MIT
#
# two_gpus.sh PROGRAM: two_gpus on two threads of the host (threads/cuda_runtime.h), whose timers are apart by a known
# offset and drift apart at a known rate. Its bounds must hold them, on any machine under any load.
export LC_ALL=C # sort, ls and numbers as the tests know them
here=$(cd "${0%/*}" && pwd)
suite=$here/../../..
# shellcheck disable=SC1091
. "$suite/common/test/clean.sh"
bad=0
program=$1
cd "$TMPDIR" || exit 1
{
    sed -n '/^# ---- two_gpus ----/,/^# ---- [^t]/p' "$here/sane.awk"
    echo 'END { exit broken }'
} >rules.awk
# runs NAME=VALUE LATE_US: with 100 stamps for a second; its record is sane.
runs() {
    env "$1" "$program" --runs 100 --seconds 1 --late-us "$2" --csv=record >text || bad=1
    awk -F, -f "$suite/common/test/sane.awk" -f rules.awk record || bad=1
}
# so WHAT AWK: what must be so of the values v, their bounds low and high, and the marks of the record.
so() {
    awk -F, '/^#/ || $1 == "quantity" { next }
        { v[$1] = $2; low[$1] = $3; high[$1] = $4; mark[$1] = $NF; marks += $NF; rows++ }
        END { exit !('"$2"') }' record || { echo "not so: $1" && cat record && bad=1; }
}
runs DRIFT_PPM=40 50
so "the drift is within its bounds" 'low["drift_ppm"] <= 40 && 40 <= high["drift_ppm"]'
runs PEER=0 50
so "the offset is within its bounds" 'low["offset_us"] <= -123456.789 && -123456.789 <= high["offset_us"]'
so "what is late is marked if it is not seen within the bound" \
    'mark["seen_late_us"] == ((v["seen_late_us"] - 50) ^ 2 > (v["bound_ns"] / 1000) ^ 2)'
grep -q "through host memory" record || bad=1
# A bound is half a stamp's way, and a tick of the slower timer.
runs TICK=2048 30000
so "what is made late comes late" '15000 < v["seen_late_us"] && v["seen_late_us"] < 100000'
so "the bound has the tick" 'v["bound_ns"] >= v["way_ns"] / 2 + 2048'
# 20 sweeps in a second, each 0.28 ms off the line between two others, of which a quarter counts.
BEND=1 "$program" --runs 100 --seconds 1 --csv=record >text || bad=1
so "the bound has a quarter of the bend" 'v["bound_ns"] > v["way_ns"] / 2 + 20000'
runs NOT_LATE=1 400000
so "an answer that is not late although it should be is marked" 'mark["seen_late_us"] && !mark["way_ns"]'
runs SLOW=1 50
so "if somebody else uses GPU 0, all rows are marked" 'rows == marks'
grep -q '^Disturbed rows ' text || { echo "no words on the marks" && bad=1; }

for fault in GPUS=0 GPUS=1 TWO=0; do
    env "$fault" "$program" >text 2>messages
    code=$?
    if [ "$code" != 77 ] || [ -s text ] || [ "$(wc -l <messages)" != 1 ]; then
        echo "$fault: exit $code" && cat text messages && bad=1
    fi
done
exit "$bad"
