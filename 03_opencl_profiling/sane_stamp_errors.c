/* SPDX-License-Identifier: MIT
 *
 * What must hold for the answers of stamp_errors. */
#define _GNU_SOURCE
#include "chapter_output.h"

static void rules(const struct csv *csv) {
    const char *device = cell(csv, 1, "device");
    const bool is_pocl = strncmp(device, "pthread", 7) == 0 || strncmp(device, "cpu-", 4) == 0;
    const int plain = find_row(csv, 1, "question", "queue_without_profiling");
    const int unfinished = find_row(csv, 1, "question", "not_finished");
    const int finished = find_row(csv, 1, "question", "the_same_finished");
    EXPECT(strcmp(cell(csv, finished, "error"), "CL_SUCCESS") == 0 &&
               number(csv, finished, "end_ns") > 0,
           "of a finished command: %s, %g", cell(csv, finished, "error"),
           number(csv, finished, "end_ns"));
    /* Drivers answer wrong questions as they like: PoCL as the standard says. */
    EXPECT(strcmp(cell(csv, unfinished, "end_ns"), cell(csv, finished, "end_ns")) != 0,
           "END was known before the command was let go");
    EXPECT(!is_pocl || strcmp(cell(csv, plain, "error"), "CL_PROFILING_INFO_NOT_AVAILABLE") == 0,
           "of a queue without profiling: %s", cell(csv, plain, "error"));
    EXPECT(!is_pocl ||
               strcmp(cell(csv, unfinished, "error"), "CL_PROFILING_INFO_NOT_AVAILABLE") == 0,
           "of a command that has not finished: %s", cell(csv, unfinished, "error"));
}

int main(int argc, char **argv) {
    return check_sanity(argc, argv, "device,question,code,error,end_ns", "question", rules);
}
