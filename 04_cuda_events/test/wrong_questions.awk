# SPDX-License-Identifier: MIT
BEGIN {
    error["stop_never_recorded"] = error["stop_without_timing"] = "cudaErrorInvalidResourceHandle"
    error["stop_not_finished"] = "cudaErrorNotReady"
}
{ q = $column["question"] }
q in error { ask($column["error"] == error[q], "the error that the manual names") }
!(q in error) {
    ask($column["error"] == "cudaSuccess", "a wrong stream is no error")
    ask(v("code_us") >= 250, "a spin runs as long as it was told")
}
q ~ /own_stream|default_waits/ { ask(v("pair_us") >= v("code_us") - 2, "the events are around the spin") }
END { ask(rows == 8, "three errors, five pairs") }
