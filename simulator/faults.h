/* SPDX-License-Identifier: MIT
 *
 * What FAULT= has go wrong: see faults.txt. The machine asks by name whether a fault is there. A fault that nobody has
 * asked for when the program ends makes it end with 3. */
#ifndef SIMULATED_FAULTS_H
#define SIMULATED_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whether FAULT is this one. Its number, 1 if it has none, stands in *number, unless that is NULL. */
extern char simulated_fault_begins[5]; /* each name has four letters or more: a glance tells most faults from FAULT */
bool simulated_is_fault(const char *name, int *number);
static inline bool simulated_fault(const char *name, int *number) {
    return memcmp(name, simulated_fault_begins, sizeof simulated_fault_begins) == 0 && simulated_is_fault(name, number);
}

/* Whether FAULT is `name` and hits `victim`, a kernel or a call: uneven:copy, lost_write:vector_add:3,2. */
bool simulated_fault_of(const char *name, const char *victim, int *number);
int simulated_fault_argument(void); /* the number behind the comma, 0 if there is none */

/* Whether the n-th call of this function is to fail. */
bool simulated_call_fails(const char *name, unsigned n);

/* A fault with a number hits now: writes into the file $HIT the kernel that ran last, and which of that kernel's
 * launches it was. A test shows it, so that in a changed program the fault cannot hit another one in silence. */
void simulated_hit(void);

/* What the host reads back, or what the device is given: wrong_first, lost_lower and the like. */
void simulated_spoil(void *data, size_t bytes, bool reading);

/* Calls in a child of a process that has used the device, which real drivers refuse; children of the sweep may. */
void simulated_refuse_in_child(const char *name);
unsigned simulated_processes(void); /* that were started before this one, by its parent */

/* Says what the simulation does not know or will not have, and ends the program with 3. */
__attribute__((noreturn, format(printf, 1, 2))) void simulated_stop(const char *format, ...);

/* On a terminal, once, when the program has run for some seconds: why, and what makes it shorter. */
void simulated_say_if_slow(void);

#endif
