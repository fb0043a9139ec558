# SPDX-License-Identifier: MIT
$column["question"] == "finished" { ask($column["error"] == "CL_SUCCESS" && v("end_ns") > 0, "a finished command has its stamp") }
END { ask(rows == 3, "three questions") }
