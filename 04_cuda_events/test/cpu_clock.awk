# SPDX-License-Identifier: MIT
{
    ask(v("code_us") >= 1000, "a spin runs as long as it was told")
    ask(v("host_us") >= v("code_us") - 2, "the host waits for the kernel")
}
END { ask(rows == 2, "two waits") }
