/* SPDX-License-Identifier: MIT
 *
 * Cold means cold: a process that has never run a kernel, and drivers that keep
 * none from an earlier process. */
#pragma once

#include <sys/wait.h>

#include "table.h" /* machine */

/* OpenCL and CUDA drivers keep compiled kernels on disk, each by a variable of its own. */
static inline void keep_no_compiled_kernels(void) {
    setenv("CUDA_CACHE_DISABLE", "1", 1);           /* NVIDIA */
    setenv("POCL_KERNEL_CACHE", "0", 1);            /* PoCL */
    setenv("NEO_CACHE_PERSISTENT", "0", 1);         /* Intel's GPUs */
    setenv("AMD_COMGR_CACHE", "0", 1);              /* AMD */
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1); /* Mesa */
}

static inline bool put(int to, const void *from, size_t bytes) {
    return write(to, from, bytes) == (ssize_t)bytes; /* a pipe takes all of it */
}

static inline bool get(int from, void *to, size_t bytes) {
    size_t got = 0;
    for (ssize_t more; (more = read(from, (char *)to + got, bytes - got)) > 0;)
        got += (size_t)more;
    return got == bytes;
}

/* Calls run(result) in a new process and brings back the `bytes` at `result`, which hold its
 * input before, and `machine`, the device that it has opened. If the new process fails, it says
 * why, and this one ends with the same code. (This process must never touch the device: a child
 * cannot use its parent's context.) */
static inline void in_new_process(void (*run)(void *result), void *result, size_t bytes) {
    int ends[2], status = 0;
    fflush(stdout);
    if (pipe(ends) != 0)
        fail(EXIT_FAILED, "pipe: %s", strerror(errno));
    const pid_t child = fork();
    if (child < 0)
        fail(EXIT_FAILED, "fork: %s", strerror(errno));
    if (child == 0) {
        keep_no_compiled_kernels();
        run(result);
        _exit(put(ends[1], &machine, sizeof machine) && put(ends[1], result, bytes) ? EXIT_SUCCESS
                                                                                    : EXIT_FAILED);
    }
    close(ends[1]);
    const bool came = get(ends[0], &machine, sizeof machine) && get(ends[0], result, bytes);
    close(ends[0]);
    if (waitpid(child, &status, 0) != child)
        fail(EXIT_FAILED, "waitpid: %s", strerror(errno));
    if (WIFSIGNALED(status))
        fail(EXIT_FAILED, "the cold process died of signal %d", WTERMSIG(status));
    if (!came)
        exit(WEXITSTATUS(status)); /* after --device list, that is success */
}
