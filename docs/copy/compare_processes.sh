#!/bin/sh
# SPDX-License-Identifier: MIT
#
# compare_processes.sh [--csv=FILE] N COMPARE [SECONDS [PERCENT]]: runs compare in N fresh processes, 6 or
# more, and compares B with A across them. In another process the buffers lie elsewhere, the clocks begin
# anew, the code is loaded anew: what one process says again and again, the next may deny.
#
# PERCENT is for each process; the verdict of all of them takes half a percent.
# The median of the N ratios and its interval come from "compare -", as if each process were a pair.
# Example: ./compare_processes.sh 8 ./compare 0.5
export LC_ALL=C # awk obeys a comma locale
csv=
case ${1-} in
--csv=?*) csv=${1#--csv=} && shift ;;
esac
case ${1-} in
"" | *[!0-9]* | 0* | ?????*) bad=1 ;;
esac
if [ "${bad-}" ] || [ "$1" -lt 6 ] || [ $# -lt 2 ]; then
    echo "usage: compare_processes.sh [--csv=FILE] N COMPARE [SECONDS [PERCENT]], N from 6 to 9999" >&2
    exit 2
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
processes=$1
shift
i=0
while [ $((i += 1)) -le "$processes" ]; do
    "$@" --csv >"$scratch/record" || exit
    awk -F, '{ of[$1] = $2 }
        END {
            low = of["# low_percent"]
            if (low == "" || low <= -100)
                exit 1
            printf "%s,%s,%s,%s\n", of["# difference_percent"], low, of["# high_percent"], of["# disturbed"]
        }' "$scratch/record" >"$scratch/row" || {
        echo "process $i: $1 knows no difference of B and A; it must run longer" >&2
        exit 1
    }
    sed "s/^/$i,/" "$scratch/row" >>"$scratch/rows"
    awk -F, -v i="$i" '{
        printf "process %d: B/A %.5f (%.5f to %.5f)%s\n", i, 1 + $1 / 100, 1 + $2 / 100, 1 + $3 / 100,
            $4 ? ", disturbed" : "" }' "$scratch/row"
done
awk -F, '{ printf "1 %.5f\n", 1 + $2 / 100 }' "$scratch/rows" |
    "${COMPARE:-$1}" - 0.00001 "--csv=$scratch/all" >"$scratch/words" || exit
echo
head -n 1 "$scratch/words"
awk -F, '{ of[$1] = $2 }
    END {
        printf "B/A %.5f (%.5f to %.5f)\n", 1 + of["# difference_percent"] / 100, 1 + of["# low_percent"] / 100,
            1 + of["# high_percent"] / 100
        if (of["# verdict"] == "undecided")
            print "To decide it, take more processes."
    }' "$scratch/all"
awk -F, -v record="$scratch/spread" '{
    n++; x[n] = $2; sum += $2
    within += (($4 - $3) / 2 / 1.96) ^ 2 # of an interval of 95 %
}
END {
    for (i = 1; i <= n; i++)
        squares += (x[i] - sum / n) ^ 2
    total = squares / (n - 1)
    within /= n
    printf "# deviation_percent,%.3f\n# within_one_percent,%.3f\n", sqrt(total), sqrt(within) >record
    printf "%d processes, standard deviation %.3f %%: ", n, sqrt(total)
    if (total > within)
        printf "%.3f %% is within the interval of one, %.3f %% is from process to process.\n",
            sqrt(within), sqrt(total - within)
    else
        print "no more than the interval of one process allows."
}' "$scratch/rows" || exit
[ -z "$csv" ] || {
    echo "# program,compare_processes"
    grep '^# device,' "$scratch/record"
    grep -E '^# (verdict|difference_percent|low_percent|high_percent),' "$scratch/all"
    cat "$scratch/spread"
    echo "process,difference_percent,low_percent,high_percent,disturbed"
    cat "$scratch/rows"
} >"$csv"
