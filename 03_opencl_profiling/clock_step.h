/* SPDX-License-Identifier: MIT
 *
 * The step that a clock takes, from the durations it gave. */
#pragma once

#include <stdint.h>

/* The largest number of ns that divides `duration_ns` and all durations before it, whose step was
 * `step_ns` (0: there were none). */
static inline uint64_t common_step_ns(uint64_t step_ns, uint64_t duration_ns) {
    while (duration_ns > 0) { /* Euclid */
        const uint64_t remainder = step_ns % duration_ns;
        step_ns = duration_ns;
        duration_ns = remainder;
    }
    return step_ns;
}
