# SPDX-License-Identifier: MIT
#
# What holds for every program's table. A chapter's rules come after this. With plain=1 it is none, but what a
# first page prints. whole_ms is how long the run took by the shell's clock, or 0: unknown.

# Says which rule a row breaks, or at the end all rows.
function ask(holds, rule) {
    if (!holds && !missing)
        print at_end ? rows + 0 " rows: not so: " rule : "line " NR ": not so: " rule ": " $0
    broken = broken || !holds
}
# A time, or times one after the other; a device's clock is not the host's.
function in_the_run(us, what) {
    ask(us >= 0, what " is not below zero")
    ask(!whole_ms || us <= 1010 * whole_ms, what " is in the run, which took " whole_ms " ms")
}
function no_column(name) {
    if (!lacks[name]++)
        print "no column " name
    missing = broken = 1
}
function is_number(text) { return text ~ /^-?[0-9]+(\.[0-9]+)?$/ }
function has(name) { return name in column }
function v(name) { # the number under `name`
    if (!(name in column))
        no_column(name)
    ask(is_number($column[name]), name " is a number")
    return $column[name] + 0
}
{ ask($0 !~ /\r/, "a line ends with a line feed and nothing else") }
plain { rows++ }
!plain && /^# / {
    if ($2 ~ /^[a-z]/) { # else it is a sentence
        value[$2] = $3
        ask(!said[$2]++, "a name stands once")
        ask($0 !~ / (-?nan|-?inf)$/, "a value is a number")
    }
    next
}
!plain && !columns {
    for (i = 1; i <= NF; i++)
        column[name[i] = $i] = i
    columns = NF
    ask(length(column) == columns, "each column has a name of its own")
    ask(said["program"] && said["device"] && said["date"],
        "above the rows stands where they are from")
    next
}
!plain {
    ask(NF == columns, "as many cells as names")
    for (i = 1; i <= NF; i++)
        if (name[i] ~ /(_us|_ns|_ms|_mhz|_gb_s|percent|clocks.*)$/ && $i != "-")
            ask(is_number($i), name[i] " is a number")
    for (i = 1; i <= NF; i++)
        if (name[i] ~ /_[unm]s$/ && name[i] !~ /^(start|end)_ns$/) # these are stamps
            in_the_run(($i < 0 ? -$i : $i) * (name[i] ~ /us$/ ? 1 : name[i] ~ /ns$/ ? 0.001 : 1000), name[i])
    if (has("min_us")) # a difference may be below zero: of two stamps, or of two times under load
        ask((has("interval") || $0 ~ /event_net/ || 0 <= v("min_us")) &&
            v("min_us") <= v("median_us") && v("median_us") <= v("max_us"), "0 <= min <= median <= max")
    if (has("min_us") && has("mean_us"))
        ask(v("min_us") <= v("mean_us") + 0.001 && v("mean_us") <= v("max_us") + 0.001, "min <= mean <= max")
    for (i = 1; i <= NF; i++) # the spread of a number's runs, as clocks_mean_min or span_min_us
        if (name[i] ~ /._min(_|$)/ && $i != "-") {
            of = most = name[i]
            sub(/_min/, "", of)
            sub(/_min/, "_max", most)
            ask(v(name[i]) <= v(of) && (!has(most) || $column[most] == "-" || v(of) <= v(most)), "min <= " of " <= max")
        }
    ask($column["disturbed"] ~ /^(-|[a-z][a-z_]*)$/, "disturbed is a word, or -")
    rows++
}
END {
    at_end = 1
    ask(rows > 0, "there are rows")
    for (i in column) # a rule that asks for $column["methd"] makes one
        if (!column[i])
            no_column(i)
}
