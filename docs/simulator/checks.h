/* SPDX-License-Identifier: MIT
 *
 * What cuda.c tells checks.c of a program, and what that asks. */
#ifndef SIMULATED_CHECKS_H
#define SIMULATED_CHECKS_H

#include <stdbool.h>

#include "cuda_types.h"

void simcc_launched(const char *kernel, const char *place, cudaError_t code);
void simcc_asked(void);                                  /* cudaGetLastError() was, or cudaPeekAtLastError() */
extern int simcc_pinned_count;                           /* pieces of pinned memory */
extern const char *simcc_pinned_low, *simcc_pinned_high; /* all pinned memory is between these */
bool simcc_is_pinned(const void *address);
bool simcc_is_copied_into(const void *address); /* pinned memory: a copy into it has not ended */

#endif
