# SPDX-License-Identifier: MIT
NR > 1 { ask($4 == ($2 == "all_is_well" ? "cudaSuccess" : $2 == "stop_not_finished" ? "cudaErrorNotReady" : "cudaErrorInvalidResourceHandle"), "the error that the manual names") }
END { ask(rows == 4, "four questions") }
