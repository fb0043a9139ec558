/* SPDX-License-Identifier: MIT
 * A cold process has never run a kernel, and its driver finds none that an earlier one compiled. */
#pragma once
#include "base.h"

#include <sys/mman.h>
#include <sys/wait.h>

/* Drivers keep compiled kernels on disk. A variable turns that off. Mesa has none: set yourself its
 * MESA_SHADER_CACHE_DIR to a new folder. */
static inline void keep_no_compiled_kernels(void) {
    setenv("CUDA_CACHE_DISABLE", "1", 1);   /* NVIDIA */
    setenv("POCL_KERNEL_CACHE", "0", 1);    /* PoCL */
    setenv("NEO_CACHE_PERSISTENT", "0", 1); /* Intel's GPUs */
    setenv("AMD_COMGR_CACHE", "0", 1);      /* AMD */
}

/* Memory, all 0, that this process shares with those it forks. */
static inline void *new_shared_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        err(EXIT_FAILED, "mmap");
    return memory;
}

/* Calls run(data) in a new process; `data` is shared memory, for input and results. If that process
 * fails, it says why, and this one ends with the same code. This one must never touch the device: a
 * child cannot use its parent's context. */
static inline void in_new_process(void (*run)(void *data), void *data) {
    enum { DONE = 3 }; /* no program of this suite ends with this code otherwise */
    int status;
    fflush(NULL); /* else the child writes a second time what is not yet written */
    const pid_t child = fork();
    if (child == 0) {
        keep_no_compiled_kernels();
        run(data);
        _exit(DONE);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        err(EXIT_FAILED, "fork or waitpid");
    if (WIFSIGNALED(status))
        errx(EXIT_FAILED, "the cold process died of signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) != DONE)
        exit(WEXITSTATUS(status)); /* after --device list, that is success */
}
