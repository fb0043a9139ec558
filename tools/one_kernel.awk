# SPDX-License-Identifier: MIT
#
# awk -F, -f one_kernel.awk [clfinish_sync.csv] [cuda_events.csv]: one kernel under every clock, the medians of vector_add
# from the records of chapters 02 and 04. tour.sh prints it.
function of(name) { return name in column ? $column[name] : "" }
BEGIN {
    measures["no_finish"] = "the call that queues the kernel"
    measures["finish_after"] = "an earlier command and the kernel"
    measures["finish_before_and_after"] = "the kernel, the way to the device and back"
    measures["profiling_event"] = "the kernel on the device"
    measures["host_no_sync"] = "the call that launches the kernel"
    measures["host_sync"] = "the kernel, the way to the device and back"
    measures["cpu_clock"] = "processor time while the host waits"
    measures["event"] = "the kernel, the events, the launch gap"
    measures["event_blocked"] = "the kernel and the events"
    measures["event_net"] = "the kernel on the device"
}
FNR == 1 { split("", column); api = FILENAME ~ /cuda_events/ ? "CUDA" : "OpenCL" }
$1 == "# size" { size = $2 }
/^#/ { next }
!("method" in column) { for (c = 1; c <= NF; c++) column[$c] = c; next }
of("method") in measures && of("kernel") ~ /^(vector_add)?$/ {
    if (!rows++)
        printf "%-6s %-23s %-9s %11s  %s\n", "api", "method", "clock", "median (us)", "measures"
    printf "%-6s %-23s %-9s %11.2f  %s%s\n", api, of("method"), of("clock"), of("median_us"), measures[of("method")],
        of("disturbed") + 0 ? " (disturbed)" : ""
    disturbed += of("disturbed")
}
END {
    if (!rows) {
        print "No table: this machine has no OpenCL device and no CUDA GPU that ran the kernel."
        exit
    }
    print "\nThe table shows vector_add of " size " floats on this machine, in microseconds (us)."
    print "The work is the same in each row. The number depends on where the clock starts and stops."
    if (disturbed)
        print "Do not believe a row that says disturbed. Run the tour again on an idle machine."
}
