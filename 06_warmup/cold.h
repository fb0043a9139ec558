/* SPDX-License-Identifier: MIT
 * Cold: a process that has never run a kernel, with drivers that keep none from an earlier one. */
#pragma once
#include "base.h"

#include <ftw.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

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

static inline int remove_one(const char *path, const struct stat *unused, int kind,
                             struct FTW *at) {
    (void)unused, (void)kind, (void)at;
    return remove(path);
}

/* Calls run(data) in a new process and brings back the `bytes` at `data`, which hold its input
 * before and its results after. If the new process fails, it says why, and this one ends with the
 * same code. Ctrl-C ends the new process, and this one when it has removed the folder. (This
 * process must never touch the device: a child cannot use its parent's context. So what this one
 * prints about the device must be in `data`, too.) */
static inline void in_new_process(void (*run)(void *data), void *data, size_t bytes) {
    enum { DONE = 3 }; /* no other exit code of a program of this suite */
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    const char *set = getenv("TMPDIR"), *in = set && *set ? set : "/tmp";
    char folder[4096];
    if (shared == MAP_FAILED)
        err(EXIT_FAILED, "mmap");
    void (*const on_interrupt)(int) = signal(SIGINT, SIG_IGN);
    snprintf(folder, sizeof folder, "%s/cold_XXXXXX", in);
    if (!mkdtemp(folder))
        err(EXIT_FAILED, "cannot make a folder in %s; set TMPDIR to one that can be written", in);
    fflush(NULL); /* a child must not write what its parent has */
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, on_interrupt);
        keep_no_compiled_kernels(folder);
        run(data);
        memcpy(shared, data, bytes);
        _exit(DONE);
    }
    const bool waited = child > 0 && waitpid(child, &status, 0) == child;
    if (!waited)
        warn("fork or waitpid");
    if (nftw(folder, remove_one, 4, FTW_DEPTH | FTW_PHYS) != 0)
        warn("cannot remove %s", folder);
    signal(SIGINT, on_interrupt);
    if (!waited)
        exit(EXIT_FAILED);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)
        raise(SIGINT);
    if (WIFSIGNALED(status))
        errx(EXIT_FAILED, "the cold process died of signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) != DONE)
        exit(WEXITSTATUS(status)); /* after --device list, that is success */
    memcpy(data, shared, bytes);
    munmap(shared, bytes);
}
