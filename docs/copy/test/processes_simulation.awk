# SPDX-License-Identifier: MIT
#
# What processes_simulation's record has to show: compare.h's interval holds, raises few false alarms, and finds 0.2 %.
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
    ask($at["candidates"] == 2 || ($at["holds"] >= 95 && $at["alarms"] <= 5), "all intervals of many hold together")
    ask($at["candidates"] < 8 || $at["processes"] < 15 || $at["finds"] >= 80, "fifteen processes find the best of eight")
    if ($at["candidates"] > 2)
        next
    n = $at["processes"]; offset = $at["offset_percent"]; step = $at["step_percent"]; finds = $at["finds"]
    ask(n > 20 || ($at["holds"] >= 93 && $at["alarms"] <= 7), "the interval of the processes holds")
    ask(step == 0 || $at["holds"] >= 97, "a step is in the interval")
    ask(step == 0 || step > 0.3 || finds >= 85, "and hides no difference as large as itself")
    ask(n > 9 || offset > 0.1 || step > 0 || finds >= (n < 9 ? 75 : 94), "nine processes find 0.2 % beside an offset of 0.1 %")
    ask(n != 9 || offset != 0.17 || finds < 80, "but not beside 0.17 %")
    ask(n != 20 || finds >= 94, "twenty processes do")
}
END { if (rows != 27 || broken) exit 1 }
