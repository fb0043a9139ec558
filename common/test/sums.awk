# SPDX-License-Identifier: MIT
#
# Does a sum of a transcript hold? LEFT and RIGHT in the environment are its sides, and KNOWN defines the names in them.
# The rest of the program, which simulated.sh writes, has right(), which sets `sum` and `tolerance`. Reads what the
# command printed. Prints nothing, or why not.
BEGIN {
    left = ENVIRON["LEFT"]
    if (match(left, /^after "[^"]*"$/))
        after = substr(left, 8, length(left) - 8)
    rest = left
    while (match(rest, / [a-z_0-9]+=("[^"]*"|[^ ]+)/)) {
        key = substr(rest, RSTART + 1, RLENGTH - 1)
        value = substr(key, index(key, "=") + 1)
        gsub(/^"|"$/, "", value)
        wanted[substr(key, 1, index(key, "=") - 1)] = value
        rest = substr(rest, 1, RSTART - 1) substr(rest, RSTART + RLENGTH)
        keys++
    }
}
function found(text) {
    x = text
    count++
}
{ all = all $0 "\n" }
/^# [a-z_0-9]+,/ {
    if (substr($1, 3) == rest && !keys)
        found(substr($0, index($0, ",") + 1))
    next
}
/,disturbed$/ {
    split("", column)
    for (i = columns = NF; i > 0; i--)
        column[$i] = i
    next
}
NF == columns {
    chosen = rest in column
    for (key in wanted)
        chosen = chosen && key in column && $column[key] == wanted[key]
    if (chosen)
        found($column[rest])
}
function min(a, b) { return a < b ? a : b }
function max(a, b) { return a > b ? a : b }
END {
    if (after && index(all, after)) {
        all = substr(all, index(all, after) + length(after))
        if (match(all, /[-+]?[0-9]+(\.[0-9]+)?/))
            found(substr(all, RSTART, RLENGTH))
    }
    if (count != 1)
        print "names " count + 0 " numbers"
    right()
    known = "; " ENVIRON["KNOWN"]
    gsub(/\n/, " ", known)
    gsub(/ = [^;]*/, "", known)
    gsub(/;/, " ", known)
    for (rest = ENVIRON["RIGHT"] " " ENVIRON["KNOWN"]; match(rest, /[a-z_A-Z][a-z_A-Z0-9]*|[0-9.]+(e[-+]?[0-9]+)?/);) {
        key = substr(rest, RSTART, RLENGTH)
        if (key ~ /^[a-zA-Z_]/ && !index(" int sqrt exp log min max " known, " " key " "))
            print key " is no constant of simulated_times.h"
        rest = substr(rest, RSTART + RLENGTH)
    }
    if (tolerance == "")
        tolerance = 0.5000001 * 10 ^ -(index(x, ".") ? length(x) - index(x, ".") : 0)
    if (x !~ /^[-+]?[0-9.]+(e[-+][0-9]+)?$/ || x - sum > tolerance || sum - x > tolerance)
        print "'" x "' was printed, the sum is " sum
}
