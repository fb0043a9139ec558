# SPDX-License-Identifier: MIT
$2 == "finished" { ask($4 == "CL_SUCCESS" && v("end_ns") > 0, "a finished command has its stamp") }
END { ask(rows == 3, "three questions") }
