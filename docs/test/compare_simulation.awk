# SPDX-License-Identifier: MIT
#
# What compare_simulation has to show: few false alarms, intervals that hold, differences found; and that the mistakes
# are mistakes.
function ask(holds, rule) {
    if (!holds) {
        print "not so: " rule ": " $0
        broken = 1
    }
}
/^A and B are equal/ { equal = 1 }
/^B takes/ { equal = 0 }
NF > 7 && $NF ~ /^[0-9]/ {
    rows++
    compare_h = $(NF - 7); abab = $(NF - 6); abba = $(NF - 5); pairs = $NF; until = $(NF - 4); t_test = $(NF - 3); right = $(NF - 1)
    ask(right >= 94 || /slower/, "the interval holds the true ratio in 95 of 100 runs")
    ask(!equal || compare_h <= 5.5, "at most 5 % of equal ones are called different")
    ask(equal || compare_h >= 99 || /1024/, "a difference of 1 % is found, unless the tick hides it")
    ask(!equal || !/normal|drift|two/ || until > 15, "who looks until they differ sees them differ")
    ask(pairs >= 100, "no run ends in the first half of its time")
    ask(equal || !/normal/ || pairs > 195, "nor before its interval is narrow")
    ask(equal || !/slower/ || right < 60, "no run sees past a swing that is as long as itself")
    ask(!/rare/ || t_test < 50, "the mean is deceived by rare delays")
    ask(!equal || !/fourth/ || (abab == 100 && abba == 100), "a fixed order is deceived by a period")
}
END { if (rows != 20 || broken) exit 1 }
