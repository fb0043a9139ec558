/* SPDX-License-Identifier: MIT
 *
 * NVML for the tests: an idle GPU, unless a file named `gpu` in the current folder says otherwise.
 * Its lines are "WHAT VALUE LOOK": so from this look on (the first is 1; no number: always); the
 * last one that holds counts. VALUE "-": the call is not supported. "gpus 2" adds a second GPU, whose
 * WHAT begins with "1."; "running" goes into root/proc/loadavg. Look 7 leaves a file, look.7. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long u64;
enum { SUCCESS, UNINITIALIZED, INVALID_ARGUMENT, NOT_SUPPORTED };
static char gpus[2]; /* their addresses are the handles */
static int has_begun;
static unsigned looks;

static int wide(const char *gpu, const char *what, u64 value, u64 *to) {
    char line[128], key[64], text[64];
    int code = !has_begun ? UNINITIALIZED : gpu - gpus > 1 ? INVALID_ARGUMENT : SUCCESS;
    FILE *file = fopen("gpu", "r");
    while (file && code != UNINITIALIZED && fgets(line, sizeof line, file)) {
        unsigned from = 0;
        const int words = sscanf(line, "%63s %63s %u", key, text, &from);
        const size_t second = words > 1 && key[0] == '1' ? 1 : 0;
        if (from > looks || gpu != gpus + second || strcmp(key + 2 * second, what) != 0)
            continue;
        value = strtoull(text, NULL, 0);
        code = *text == '-' ? NOT_SUPPORTED : SUCCESS;
    }
    if (file)
        fclose(file);
    *to = code == SUCCESS ? value : 4711; /* which nobody should believe */
    return code;
}

static int number(const char *gpu, const char *what, unsigned value, unsigned *to) {
    u64 x;
    const int code = wide(gpu, what, value, &x);
    *to = (unsigned)x;
    return code;
}

int nvmlInit_v2(void) {
    unsigned driver;
    has_begun = 1;
    return number(gpus, "driver", 1, &driver);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **gpu) {
    unsigned count;
    *gpu = gpus + index;
    return number(gpus, "gpus", 1, &count) != SUCCESS || index >= count ? INVALID_ARGUMENT
                                                                        : SUCCESS;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **gpu) {
    *gpu = gpus + 1;
    return strcmp(uuid, "GPU-1") == 0 ? SUCCESS : INVALID_ARGUMENT;
}

/* One number; one of a kind of which this knows `known`; one with another that is of no use. */
#define NUMBER(name, what, value)                                                                  \
    int name(void *gpu, unsigned *to) {                                                            \
        return number(gpu, what, value, to);                                                       \
    }
#define KIND(name, known, what, value)                                                             \
    int name(void *gpu, int kind, unsigned *to) {                                                  \
        return kind == known ? number(gpu, what, value, to) : INVALID_ARGUMENT;                    \
    }
#define MODE(name, what, value)                                                                    \
    int name(void *gpu, unsigned *to, unsigned *next) {                                            \
        return *next = !value, number(gpu, what, value, to);                                       \
    }
NUMBER(nvmlDeviceGetPowerUsage, "power", 80123)
NUMBER(nvmlDeviceGetEnforcedPowerLimit, "power_limit", 700000)
NUMBER(nvmlDeviceGetPersistenceMode, "persistence", 1)
NUMBER(nvmlDeviceGetUtilizationRates, "busy", 0)
KIND(nvmlDeviceGetMaxClockInfo, 1, "sm_most", 1980)
KIND(nvmlDeviceGetTemperature, 0, "temperature", 37)
KIND(nvmlDeviceGetTemperatureThreshold, 1, "slowdown", 89)
MODE(nvmlDeviceGetMigMode, "mig", 0)
MODE(nvmlDeviceGetEccMode, "ecc", 1)

int nvmlDeviceGetClockInfo(void *gpu, int type, unsigned *mhz) {
    if (type == 1 && gpu == gpus) { /* each look begins with this call */
        char name[32];
        unsigned running;
        snprintf(name, sizeof name, "look.%u", ++looks);
        number(gpu, "running", 0, &running);
        FILE *load = running > 0 ? fopen("root/proc/loadavg", "w") : NULL;
        if (load && fprintf(load, "7.25 1 1 %u/99 5\n", running) > 0)
            fclose(load);
        fclose(fopen(name, "w"));
    }
    return type == 1 ? number(gpu, "sm", 345, mhz) : number(gpu, "memory", 3201, mhz);
}

int nvmlDeviceGetViolationStatus(void *gpu, int policy, u64 us_and_ns[2]) {
    us_and_ns[0] = 1;
    return wide(gpu, policy == 0 ? "power_ns" : "heat_ns", 0, us_and_ns + 1);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *gpu, u64 *to) {
    return wide(gpu, "reasons", 1, to);
}

int nvmlDeviceGetComputeRunningProcesses_v2(void *gpu, unsigned *count, u64 processes[][3]) {
    unsigned pid, second;
    const int code = number(gpu, "pid", 0, &pid);
    number(gpu, "pid_2", 0, &second);
    *count = (pid > 0 ? 1u : 0u) + (second > 0 ? 1u : 0u);
    processes[0][0] = 0xfull << 32 | pid; /* the pid, four bytes of nothing, and others */
    processes[1][0] = 0xfull << 32 | second;
    return code;
}
