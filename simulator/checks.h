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
/* A call begins, or ends: what takes time on the host besides is a reading of a clock. */
int simcc_begins(void);
void simcc_ends(const int *is_reading);
#define SIMCC_CALL const int begun __attribute__((cleanup(simcc_ends), unused)) = simcc_begins()
extern const char *simcc_why;            /* a call failed, in words, or NULL */
void simcc_exchanged(const void *place); /* two events */
bool simcc_managed(const void *address); /* the host touches it: is it managed memory? */
void simcc_see_all(void);                /* also if SIMCC_CHECKS=off: managed memory moves */
extern int simcc_queries;                /* of an event or a stream: so many */

#endif
