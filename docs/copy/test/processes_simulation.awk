# SPDX-License-Identifier: MIT
#
# What processes_simulation's record has to show: compare.h's interval holds, raises few false alarms, and is the one of
# the three that does so with disturbed processes, too.
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
    n = $at["processes"]; offset = $at["offset_percent"]; step = $at["step_percent"]; odd = $at["odd"] == "yes"
    ask(n > 20 || ($at["holds"] >= 93 && $at["alarms"] <= 7), "the interval of the processes holds")
    ask(step > 0 || $at["pool_holds"] < 90, "pairs in one pool know nothing of the processes")
    ask(step == 0 || $at["holds"] >= 97, "a step is in the interval")
    ask(step == 0 || step > 0.3 || $at["finds"] >= 85, "and hides no difference as large as itself")
    ask(n > 9 || offset > 0.1 || step > 0 || $at["finds"] >= (n < 9 ? 75 : 94), "nine processes find 0.2 % beside an offset of 0.1 %")
    ask(n != 9 || offset != 0.17 || $at["finds"] < 80, "but not beside 0.17 %")
    ask(n != 20 || $at["finds"] >= 94, "twenty processes do")
    ask(n != 25 || $at["t_holds"] < 90, "Student's interval is deceived by odd processes")
}
END { if (rows != 17 || broken) exit 1 }
