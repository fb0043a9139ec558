# SPDX-License-Identifier: MIT
$column["interval"] == "start_to_end" {
    device_us = v("median_us")
    ask(v("min_us") > 0, "START is before END")
}
$column["interval"] ~ /end|host/ { ask(v("min_us") >= 0, "only stamps before START may be out of order") }
$column["interval"] == "host" { ask(device_us <= 1.01 * v("median_us") + 10, "START to END is in the host's time") }
END { ask(rows == 5, "five intervals") }
