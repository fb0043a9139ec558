# SPDX-License-Identifier: MIT
#
# What compare_simulation's record has to show, of 2000 runs: few false alarms, intervals that hold, differences found;
# and that the mistakes are mistakes.
function ask(holds, rule) {
    if (!holds) {
        print "not so: " rule ": " $0
        broken = 1
    }
}
BEGIN { FS = "," }
/^#/ { next }
!columns++ {
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
{
    rows++
    equal = $at["b_longer_percent"] == 0
    compare_h = $at["compare_h_percent"]; abab = $at["abab_percent"]; abba = $at["abba_percent"]
    until = $at["until_it_differs_percent"]; t_test = $at["t_test_pairs_percent"]
    right = $at["interval_right_percent"]
    ask(right >= 94 || /slower/, "the interval holds the true ratio in 95 of 100 runs")
    ask(!equal || compare_h <= 5.5, "at most 5 % of equal ones are called different")
    ask(equal || compare_h >= 99 || /1024/, "a difference of 1 % is found, unless the tick hides it")
    ask(!equal || !/normal|drift|two/ || until > 15, "who looks until they differ sees them differ")
    ask(equal || !/slower/ || right < 60, "no run sees past a swing that is as long as itself")
    ask(!/rare/ || t_test < 50, "the mean is deceived by rare delays")
    ask(!equal || !/fourth/ || (abab == 100 && abba == 100), "a fixed order is deceived by a period")
}
END { if (rows != 20 || broken) exit 1 }
