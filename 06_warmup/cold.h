/* SPDX-License-Identifier: MIT
 *
 * Cold: a process that has never run a kernel, with drivers that keep none from an earlier one. */
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>

#include "report.h"

/* Drivers keep compiled kernels on disk. Each has a variable of its own that turns it off. Only
 * Mesa's gets an empty folder: without any, its driver for CPUs compiles at each launch. */
static inline void keep_no_compiled_kernels(const char *empty_folder) {
    setenv("CUDA_CACHE_DISABLE", "1", 1);   /* NVIDIA */
    setenv("POCL_KERNEL_CACHE", "0", 1);    /* PoCL */
    setenv("NEO_CACHE_PERSISTENT", "0", 1); /* Intel's GPUs */
    setenv("AMD_COMGR_CACHE", "0", 1);      /* AMD */
    setenv("MESA_SHADER_CACHE_DISABLE", "false", 1);
    setenv("MESA_SHADER_CACHE_DIR", empty_folder, 1);
}

/* Calls run(data) in a new process and brings back the `bytes` at `data`, which hold its input
 * before and its results after. If the new process fails, it says why, and this one ends with the
 * same code. (This process must never touch the device: a child cannot use its parent's context.
 * So what this one prints about the device must be in `data`, too.) */
static inline void in_new_process(void (*run)(void *data), void *data, size_t bytes) {
    const size_t all = bytes + 1; /* the last byte: the rest is there */
    char *shared =
        (char *)mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    char folder[] = "/tmp/cold_XXXXXX", remove_folder[32];
    if (shared == MAP_FAILED)
        fail(EXIT_FAILED, "mmap: %s", strerror(errno));
    if (!mkdtemp(folder))
        fail(EXIT_FAILED, "cannot make a folder in /tmp: %s", strerror(errno));
    snprintf(remove_folder, sizeof remove_folder, "rm -rf %s", folder);
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0)
        fail(EXIT_FAILED, "fork: %s", strerror(errno));
    if (child == 0) {
        keep_no_compiled_kernels(folder);
        run(data);
        memcpy(shared, data, bytes);
        shared[bytes] = true;
        _exit(EXIT_SUCCESS);
    }
    if (waitpid(child, &status, 0) != child)
        fail(EXIT_FAILED, "waitpid: %s", strerror(errno));
    if (system(remove_folder) != 0)
        fail(EXIT_FAILED, "'%s' failed", remove_folder);
    if (WIFSIGNALED(status))
        fail(EXIT_FAILED, "the cold process died of signal %d", WTERMSIG(status));
    if (!shared[bytes])
        exit(WEXITSTATUS(status)); /* after --device list, that is success */
    memcpy(data, shared, bytes);
    munmap(shared, all);
}
