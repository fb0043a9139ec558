# SPDX-License-Identifier: MIT
# Each spin is 0.032 us longer than the one before; a timer that steps by 1 us shows none of that.
{
    ask(v("length_us") > 19.9 && (rows == 1 || v("length_us") > before), "the spins get longer")
    before = v("length_us")
    ask(v("code_us") >= v("length_us") - 0.001 && v("pair_us") >= v("code_us") - 2, "the events are around the spin")
}
END { ask(rows == 24, "24 rows") }
