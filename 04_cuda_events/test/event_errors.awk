# SPDX-License-Identifier: MIT
BEGIN {
    error["stop_never_recorded"] = error["stop_without_timing"] = "cudaErrorInvalidResourceHandle"
    error["stop_not_finished"] = "cudaErrorNotReady"
    error["all_is_well"] = "cudaSuccess"
}
{ ask($column["error"] == error[$column["question"]], "the error that the manual names") }
END { ask(rows == 4, "four questions") }
