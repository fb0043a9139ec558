# SPDX-License-Identifier: MIT
#
# awk -f one_kernel.awk [clfinish_sync.txt] [cuda_events.txt]: one kernel under every clock, the medians of vector_add
# from the tables of chapters 02 and 04. tour.sh prints it.
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
$2 == "size" { size = $3 }
/^#/ { next }
!("method" in column) { for (c = 1; c <= NF; c++) column[$c] = c; next }
of("method") in measures && of("kernel") ~ /^(vector_add)?$/ {
    if (!rows++)
        printf "%-6s %-23s %-9s %11s  %s\n", "api", "method", "clock", "median_us", "measures"
    printf "%-6s %-23s %-9s %11.3f  %s%s\n", api, of("method"), of("clock"), of("median_us"), measures[of("method")],
        of("disturbed") == "-" ? "" : " (" of("disturbed") ")"
}
END {
    if (!rows)
        print "No table: this machine has no OpenCL device and no CUDA GPU that ran the kernel."
    else
        print "\nvector_add of " size " floats on this machine. The work is the same in each row: the number depends on where the\nclock starts and stops."
}
