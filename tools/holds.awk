# SPDX-License-Identifier: MIT
#
# awk -f holds.awk FILE...: of what the tour's programs printed, what still holds on a busy machine: whose numbers are exact,
# how good a disturbed row is, and of each program the ratio that survives.
function shown(x) { # four digits at most, and commas between thousands
    x = sprintf(x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x)
    while (x ~ /[0-9][0-9][0-9][0-9]/ && x !~ /\./)
        sub(/[0-9][0-9][0-9](,|$)/, ",&", x)
    return x
}
# A pair of numbers, if this program printed both.
function say(first, a, name_a, second, b, name_b, unit) {
    if ((a, name_a) in cell && (b, name_b) in cell)
        said = said sprintf("  %s%s: %s %s%s, %s %s%s\n", program, model ? " (simulated)" : "", first, shown(cell[a, name_a]), unit,
            second, shown(cell[b, name_b]), unit)
}
function finish() {
    if (program == "host_clock")
        say("of a sleep CLOCK_MONOTONIC counts", "CLOCK_MONOTONIC", "sleep_ms", "clock()", "clock()", "sleep_ms", " ms")
    else if (program == "clfinish_sync")
        say("no_finish", "no_finish", "median_us", "with clFinish", "finish_before_and_after", "median_us", " us")
    else if (program == "opencl_profiling")
        say("start_to_end of vector_add", "start_to_end", "median_us", "of an empty kernel", "empty_kernel", "median_us", " us")
    else if (program == "cuda_events")
        say("a kernel of 10 us takes by host_no_sync", "host_no_sync spin_10us", "median_us", "by event_net", \
            "event_net spin_10us", "median_us", " us")
    else if (program ~ /^block_clock/ && first != "")
        said = said sprintf("  %s%s: from %s to %s blocks clocks_mean changes by a factor of %s, whole_launch_us of %s\n", program,
            model ? " (simulated)" : "", first, last, shown(cell[last, "clocks_mean"] / cell[first, "clocks_mean"]),
            shown(cell[last, "whole_launch_us"] / cell[first, "whole_launch_us"]))
    else if (program ~ /^warmup/)
        say("first_launch", "first_launch", "estimate_us", "warm_then_median", "warm_then_median", "estimate_us", " us")
}
FNR == 1 {
    finish()
    split("", column)
    split("", cell)
    first = ""
    program = FILENAME
    gsub(/.*\/|\.txt$/, "", program)
    model = FILENAME ~ /simulated\//
    models += model
}
/^#/ || !NF { next }
!("disturbed" in column) { for (c = 1; c <= NF; c++) column[name[c] = $c] = c; next }
{
    row = "kernel" in column ? $1 " " $column["kernel"] : $1
    for (c = 2; c <= NF; c++)
        cell[row, name[c]] = $c
    first = first == "" ? row : first
    last = row
    if (model)
        next
    rows++
    if ($column["disturbed"] == "-")
        next
    disturbed++
    why[$column["disturbed"]]++
    if (("min_us" in column) && cell[row, "min_us"] > 0 && cell[row, "median_us"] / cell[row, "min_us"] > factor)
        factor = cell[row, "median_us"] / cell[row, "min_us"]
}
END {
    finish()
    if (!disturbed)
        print "No row of " rows + 0 " says disturbed. A row without this mark can be wrong, too: run it again, and compare."
    else {
        for (word in why)
            words = words (words ? ", " : "") word " " why[word]
        print disturbed " of " rows " rows say that they are disturbed: " words "."
        if (factor)
            print "Such a row is good to a factor, not to a percent: here median_us is up to " shown(factor) " times min_us."
        else
            print "Such a row is good for its order of magnitude alone."
    }
    if (models)
        print "The numbers of the simulated GPU are exact, however busy this machine is."
    print "What holds all the same, in this run:"
    printf "%s", said
}
