/* SPDX-License-Identifier: MIT
 * Cold: a process that has never run a kernel, with drivers that keep none from an earlier one. */
#pragma once
#include "base.h"

#include <sys/mman.h>
#include <sys/wait.h>

/* Drivers keep compiled kernels on disk. Each has a variable of its own that turns it off, except
 * for Mesa's, which wants a new folder in MESA_SHADER_CACHE_DIR: set that yourself. */
static inline void keep_no_compiled_kernels(void) {
    setenv("CUDA_CACHE_DISABLE", "1", 1);   /* NVIDIA */
    setenv("POCL_KERNEL_CACHE", "0", 1);    /* PoCL */
    setenv("NEO_CACHE_PERSISTENT", "0", 1); /* Intel's GPUs */
    setenv("AMD_COMGR_CACHE", "0", 1);      /* AMD */
}

/* Calls run(data) in a new process and brings back the `bytes` at `data`, which hold its input
 * before and its results after. If the new process fails, it says why, and this one ends with the
 * same code. (This process must never touch the device: a child cannot use its parent's context.
 * So what this one prints about the device must be in `data`, too.) */
static inline void in_new_process(void (*run)(void *data), void *data, size_t bytes) {
    enum { DONE = 3 }; /* no other exit code of a program of this suite */
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status;
    if (shared == MAP_FAILED)
        err(EXIT_FAILED, "mmap");
    fflush(NULL); /* a child must not write what its parent has */
    const pid_t child = fork();
    if (child == 0) {
        keep_no_compiled_kernels();
        run(data);
        memcpy(shared, data, bytes);
        _exit(DONE);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        err(EXIT_FAILED, "fork or waitpid");
    if (WIFSIGNALED(status))
        errx(EXIT_FAILED, "the cold process died of signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) != DONE)
        exit(WEXITSTATUS(status)); /* after --device list, that is success */
    memcpy(data, shared, bytes);
    munmap(shared, bytes);
}
