/* SPDX-License-Identifier: MIT
 *
 * How many processes use a GPU that are not of the command which we started? A file to copy, with
 * gpu_state.h (NVML's list of processes) and cpu_state.h (reading /proc). */
#pragma once

#include <dirent.h>
#include <unistd.h>

#include "cpu_state.h"
#include "gpu_state.h"

enum { MAX_PROCESSES = 1024 };
struct pids {
    unsigned count, pid[MAX_PROCESSES];
};

/* The processes that compute on the GPU. False: not seen. */
static inline bool list_gpu_processes(const char *name, struct pids *pids) {
    struct process { /* nvmlProcessInfo_t */
        unsigned pid;
        unsigned long long bytes;
        unsigned gpu_instance, compute_instance;
    } list[MAX_PROCESSES];
    typedef int get_processes(void *gpu, unsigned *count, struct process *list);
    static const char *const versions[] = {"nvmlDeviceGetComputeRunningProcesses_v3",
                                           "nvmlDeviceGetComputeRunningProcesses_v2"};
    void *gpu = find_gpu(name);
    for (int v = 0; gpu && v < 2; v++) {
        get_processes *call = (get_processes *)dlsym(nvml, versions[v]);
        pids->count = MAX_PROCESSES;
        if (!call || call(gpu, &pids->count, list) != 0)
            continue;
        for (unsigned i = 0; i < pids->count; i++)
            pids->pid[i] = list[i].pid;
        return true;
    }
    pids->count = 0;
    return false;
}

enum owner { OURS, OF_OTHERS, UNKNOWN };

/* Is the process this one, or a child, grandchild ... of it? UNKNOWN: /proc does not have it. */
static inline enum owner owner_of(unsigned pid) {
    const unsigned self = (unsigned)getpid();
    while (pid != self) {
        char path[64], text[LINE];
        snprintf(path, sizeof path, "/proc/%u/stat", pid);
        if (!read_lines(path, "", text))
            return UNKNOWN;
        const char *end =
            strrchr(text, ')'); /* "PID (NAME) STATE PARENT"; a name may have brackets */
        if (!end || sscanf(end, ") %*c %u", &pid) != 1 || pid == 0)
            return OF_OTHERS;
    }
    return OURS;
}

static inline unsigned count_descendants(void) {
    unsigned count = 0;
    DIR *processes = opendir(ROOT "/proc");
    for (struct dirent *d; processes && (d = readdir(processes));) {
        const unsigned pid = (unsigned)strtoul(d->d_name, NULL, 10);
        count += pid > 0 && pid != (unsigned)getpid() && owner_of(pid) == OURS;
    }
    if (processes)
        closedir(processes);
    return count;
}

/* The rule. A descendant of this process is the command's; any other that /proc has is not. In a
 * container NVML may give pids that /proc does not have. Of these, the ones that were there
 * before the command are others'; the rest are the command's, as long as it has that many
 * descendants. And others are believed only if a second list has them too, since a process may
 * end while we look. NOT_SEEN. */
static inline unsigned count_others(const char *gpu, const struct pids *before) {
    struct pids now;
    unsigned others = 0;
    for (int list = 0; list < 2; list++) {
        unsigned own = 0, unknown = 0;
        if (!list_gpu_processes(gpu, &now))
            return NOT_SEEN;
        others = 0;
        for (unsigned i = 0; i < now.count; i++) {
            enum owner owner = owner_of(now.pid[i]);
            for (unsigned b = 0; b < before->count && owner == UNKNOWN; b++)
                owner = before->pid[b] == now.pid[i] ? OF_OTHERS : UNKNOWN;
            own += owner == OURS;
            unknown += owner == UNKNOWN;
            others += owner == OF_OTHERS;
        }
        const unsigned room = unknown ? count_descendants() : own;
        others += own + unknown > room ? own + unknown - room : 0;
        if (others == 0)
            return 0;
    }
    return others;
}
