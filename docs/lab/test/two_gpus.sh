#!/bin/sh
# SPDX-License-Identifier: MIT
#
# two_gpus.sh PROGRAM: two_gpus on two threads of the host (threads/cuda_runtime.h), whose timers are apart by a known
# offset and drift apart at a known rate. Its bounds must hold them, on any machine under any load.
here=$(cd "${0%/*}" && pwd)
suite=$here/../../..
# shellcheck disable=SC1091
. "$suite/common/test/clean.sh"
bad=0
program=$1
cd "$TMPDIR" || exit 1
for truth in "DRIFT_PPM=40 drift_ppm 40" "PEER=0 offset_us -123456.789"; do
    # shellcheck disable=SC2086 # three words
    set -- $truth
    env "$1" "$program" --runs 100 --seconds 1 --csv=record >text || bad=1
    {
        sed -n '/^# ---- two_gpus ----/,/^# ---- [^t]/p' "$here/sane.awk"
        echo 'END { exit broken }'
    } >rules.awk
    awk -F, -f "$suite/common/test/sane.awk" -f rules.awk record || bad=1
    awk -F, -v quantity="$2" -v truth="$3" '$2 == quantity { found = $4 <= truth && truth <= $5 } END { exit !found }' \
        record || { echo "$truth: not within the bounds of" && grep ",$2," record && bad=1; }
done
grep -q "No peer access" text || { echo "PEER=0: says nothing of it" && bad=1; }
grep -q "cudaErrorInvalidResourceHandle" text || bad=1
# A stamp's bounds are as far apart as it was on its way, and a tick of each timer besides: so are their medians.
TICK=1024 "$program" --runs 20 --seconds 1 --csv=record >text || bad=1
awk -F, '$2 == "way_ns" { way = $3 }
    $2 == "moved_ns" { for (i = ++n; i > 1 && x[i - 1] > $5 - $4; i--) x[i] = x[i - 1]; x[i] = $5 - $4 }
    END { more = (x[n / 2] + x[n / 2 + 1]) / 2 - way; exit !(n == 20 && more > 3071.9 && more < 3072.1) }' record || {
    echo "TICK=1024: the bounds are not 3 ticks farther apart" && grep -e way_ns -e moved_ns record && bad=1
}
# Its mark, and how far apart its bounds are, follow from the bound.
awk -F, 'function far(x) { return x < 0 ? -x : x }
    $2 == "bound_ns" { bound = $3 / 1000 } $2 == "seen_late_us" { seen = $3; wide = $5 - $4; mark = $NF }
    END { exit far(wide - 2 * bound) > 0.01 || mark != (far(seen - 50) > bound) }' record || {
    echo "seen_late_us:" && grep -e bound_ns -e seen_late_us record && bad=1
}
# GPU 0 is slow for somebody else uses it, and waits for GPU 1, which comes late.
SLOW=0 "$program" --runs 20 --seconds 1 --late-us 2000 --trace --csv=record >trace || bad=1
awk -F, '$2 == "moved_ns" && !$NF { alone = 1 } { value[$2] = $3 }
    END { seen = value["late_apart_us"] - value["apart_us"]
        exit alone || value["wait_1_us"] >= value["wait_0_us"] || seen < 0 || (seen - value["seen_late_us"]) ^ 2 > 1e-5 }' record || { echo "SLOW=0:" && cat record && bad=1; }
python3 -c 'import json; e = json.load(open("trace"))["traceEvents"]
assert {x["pid"] for x in e} == {0, 1} and min(x["ts"] for x in e if x["ph"] == "X") == 0 and all(x["dur"] >= 0 for x in e if x["ph"] == "X") and len(e) > 150' || bad=1
# The all-reduce's last number, and the copy's.
for bytes in 4194304 2097152; do
    WRONG=$bytes "$program" --runs 20 --seconds 1 2>&1 | grep -q "wrong result: number $((bytes / 4 - 1))" || {
        echo "$bytes bytes with a wrong end: not seen" && bad=1
    }
done

for count in 0 1; do
    GPUS=$count "$program" >text 2>messages
    code=$?
    if [ "$code" != 77 ] || [ -s text ] || [ "$(wc -l <messages)" != 1 ]; then
        echo "$count GPUs: exit $code" && cat text messages && bad=1
    fi
done
exit "$bad"
