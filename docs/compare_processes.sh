#!/bin/sh
# SPDX-License-Identifier: MIT
#
# compare_processes.sh N COMPARE [SECONDS [PERCENT]]: runs compare in N fresh processes, 6 or more, and
# compares B with A across them. In another process the buffers lie elsewhere, the clocks begin anew,
# the code is loaded anew: what one process says again and again, the next may deny.
#
# PERCENT is for each process; the verdict of all of them takes half a percent.
# The median of the N ratios and its interval come from "compare -", as if each process were a pair.
# Example: ./compare_processes.sh 8 ./compare 0.5
case ${1-} in
"" | *[!0-9]* | 0* | ?????*) bad=1 ;;
esac
if [ "${bad-}" ] || [ "$1" -lt 6 ] || [ $# -lt 2 ]; then
    echo "usage: compare_processes.sh N COMPARE [SECONDS [PERCENT]], N from 6 to 9999" >&2
    exit 2
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
processes=$1
shift
i=0
while [ $((i += 1)) -le "$processes" ]; do
    "$@" >"$scratch/output" || exit
    if ! sed -n 's@.*B/A \([0-9.]*\) (\([0-9.]*\) to \([0-9.]*\)).*@\1 \2 \3@p' "$scratch/output" |
        grep . >"$scratch/ratio"; then
        echo "process $i: no 'B/A' in what $1 prints; it must run longer" >&2
        exit 1
    fi
    cat "$scratch/ratio" >>"$scratch/ratios"
    disturbed=$(sed -n 's/^\(Disturbed\).*/, \1/p' "$scratch/output")
    sed "s@\(.*\) \(.*\) \(.*\)@process $i: B/A \1 (\2 to \3)$disturbed@" "$scratch/ratio"
done
awk '{ print 1, $1 }' "$scratch/ratios" | "${COMPARE:-$1}" - 0.00001 >"$scratch/verdict" || exit
echo
sed -n "1p; s/.*\(B\/A [^;]*\);.*/\1/p" "$scratch/verdict"
! grep -q "^Not decided" "$scratch/verdict" || echo "To decide it, take more processes."
awk '{
    n++; x[n] = $1; sum += $1
    within += (($3 - $2) / 2 / 1.96) ^ 2 # of an interval of 95 %
}
END {
    for (i = 1; i <= n; i++)
        squares += (x[i] - sum / n) ^ 2
    total = squares / (n - 1)
    within /= n
    printf "%d processes, standard deviation %.3f %%: ", n, 100 * sqrt(total)
    if (total > within)
        printf "%.3f %% is within the interval of one, %.3f %% is from process to process.\n",
            100 * sqrt(within), 100 * sqrt(total - within)
    else
        print "no more than the interval of one process allows."
}' "$scratch/ratios"
