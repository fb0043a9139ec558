/* SPDX-License-Identifier: MIT
 *
 * Random numbers from a fixed seed. */
#pragma once

#include <math.h>
#include <stdint.h>

static inline double uniform(void) { /* 0 to 1; splitmix64 (Steele, Lea, Flood 2014) */
    static uint64_t state = 1;
    uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return ((double)((x ^ x >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double normal(void) {
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979 * uniform());
}
