/* SPDX-License-Identifier: MIT
 *
 * What must hold for the answers of event_errors. */
#define _GNU_SOURCE
#include "chapter_output.h"

static const char *answer(const struct csv *csv, const char *question) {
    return cell(csv, find_row(csv, 1, "question", question), "error");
}

static void rules(const struct csv *csv) {
    const char *const never = answer(csv, "stop_never_recorded");
    const char *const untimed = answer(csv, "stop_without_timing");
    const char *const unfinished = answer(csv, "stop_not_finished");
    const char *const well = answer(csv, "all_is_well");
    EXPECT(strcmp(never, "cudaErrorInvalidResourceHandle") == 0, "%s", never);
    EXPECT(strcmp(untimed, "cudaErrorInvalidResourceHandle") == 0, "%s", untimed);
    EXPECT(strcmp(unfinished, "cudaErrorNotReady") == 0, "%s", unfinished);
    EXPECT(strcmp(well, "cudaSuccess") == 0, "%s", well);
    EXPECT(number(csv, find_row(csv, 1, "question", "stop_without_timing"), "stays") == 1,
           "an error that is not found again by cudaGetLastError()");
    EXPECT(number(csv, find_row(csv, 1, "question", "all_is_well"), "stays") == 0,
           "cudaGetLastError() has an error when all is well");
}

int main(int argc, char **argv) {
    return check_sanity(argc, argv, "device,question,code,error,stays", "question", rules);
}
