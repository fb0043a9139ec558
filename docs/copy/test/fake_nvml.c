/* SPDX-License-Identifier: MIT
 *
 * NVML for the tests: two idle GPUs, as far as a file named `gpu` in the current folder does not
 * say otherwise. Its lines are "WHAT VALUE"; for the second GPU "1.WHAT VALUE". VALUE "-": the
 * call is not supported. "pid" may stand there several times; "short" is a pid in every other
 * list. With OLD it is a driver before the newer names. It makes the file `looked` when a look
 * at the first GPU begins, so that a test can wait for one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS, UNINITIALIZED, INVALID_ARGUMENT, NOT_SUPPORTED, NOT_FOUND = 6, TOO_SMALL = 7 };
static int has_begun;
static char gpus[2], mig; /* their addresses are the handles */
typedef unsigned long long u64;

/* The value behind the nth `what` in the file, else `value`. */
static int answer(const void *gpu, const char *what, int nth, u64 value, u64 *to) {
    char line[128], key[64], text[64];
    int code = SUCCESS;
    FILE *file = fopen("gpu", "r");
    if (!has_begun || gpu == &mig || (gpu && gpu != gpus && gpu != gpus + 1))
        code = has_begun ? INVALID_ARGUMENT : UNINITIALIZED;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "%63s %63s", key, text) == 2 &&
            (gpu == gpus + 1) == (strncmp(key, "1.", 2) == 0) &&
            strcmp(gpu == gpus + 1 ? key + 2 : key, what) == 0 && nth-- == 0) {
            value = strtoull(text, NULL, 0);
            code = code == SUCCESS && strcmp(text, "-") == 0 ? NOT_SUPPORTED : code;
        }
    if (file)
        fclose(file);
    if (code == SUCCESS)
        *to = value;
    return code;
}

static int number(const void *gpu, const char *what, unsigned value, unsigned *to) {
    u64 wide;
    const int code = answer(gpu, what, 0, value, &wide);
    if (code == SUCCESS)
        *to = (unsigned)wide;
    return code;
}

int nvmlInit_v2(void) {
    unsigned here;
    has_begun = 1;
    return has_begun = number(NULL, "driver", 1, &here) == SUCCESS, has_begun ? SUCCESS : 9;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **gpu) {
    unsigned count;
    *gpu = gpus + index;
    return number(NULL, "gpus", 1, &count) != SUCCESS || index >= count ? INVALID_ARGUMENT
                                                                        : SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **gpu) {
    *gpu = gpus + (strstr(bus, ":00:07.0") != NULL);
    return strstr(bus, "0000:00:0") ? SUCCESS : NOT_FOUND;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **gpu) {
    *gpu = strcmp(uuid, "MIG-0") == 0 ? &mig : gpus + (strcmp(uuid, "GPU-1") == 0);
    return strncmp(uuid, "GPU-", 4) == 0 || *gpu == &mig ? SUCCESS : NOT_FOUND;
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *part, void **gpu) {
    *gpu = gpus;
    return part == &mig ? SUCCESS : INVALID_ARGUMENT;
}

/* What is one number, or one of a kind of which this knows `known`. */
#define NUMBER(name, what, value)                                                                  \
    int name(void *gpu, unsigned *to) {                                                            \
        return number(gpu, what, value, to);                                                       \
    }
#define KIND(name, known, what, value)                                                             \
    int name(void *gpu, int kind, unsigned *to) {                                                  \
        return kind == known ? number(gpu, what, value, to) : INVALID_ARGUMENT;                    \
    }
/* Of two numbers that come together, one is of use. */
#define FIRST(name, what, value, second)                                                           \
    int name(void *gpu, unsigned *to, unsigned *next) {                                            \
        return *next = second, number(gpu, what, value, to);                                       \
    }
NUMBER(nvmlDeviceGetPowerUsage, "power", 80123)
NUMBER(nvmlDeviceGetEnforcedPowerLimit, "power_limit", 700000)
NUMBER(nvmlDeviceGetPersistenceMode, "persistence", 1)
KIND(nvmlDeviceGetMaxClockInfo, 1, "sm_most", 1980)
KIND(nvmlDeviceGetTemperature, 0, "temperature", 37)
KIND(nvmlDeviceGetTemperatureThreshold, 1, "slowdown", 89)
FIRST(nvmlDeviceGetMigMode, "mig", 0, 1)
FIRST(nvmlDeviceGetEccMode, "ecc", 1, 0)

int nvmlDeviceGetClockInfo(void *gpu, int type, unsigned *mhz) {
    FILE *looked = type == 1 && gpu == gpus ? fopen("looked", "w")
                                            : NULL; /* each look begins with this call */
    if (looked)
        fclose(looked);
    return type == 1   ? number(gpu, "sm", 345, mhz)
           : type == 2 ? number(gpu, "memory", 3201, mhz)
                       : INVALID_ARGUMENT;
}

int nvmlDeviceGetUtilizationRates(void *gpu, unsigned gpu_and_memory_percent[2]) {
    gpu_and_memory_percent[1] = 77;
    return number(gpu, "busy", 0, gpu_and_memory_percent);
}

int nvmlDeviceGetViolationStatus(void *gpu, int policy, u64 us_and_ns[2]) {
    static unsigned calls;
    u64 step_ns = 0, fails_from = 0, until = 1000000;
    us_and_ns[0] = 1;
    if (policy != 0 && policy != 1)
        return INVALID_ARGUMENT;
    answer(gpu, "fails_from", 0, 0, &fails_from); /* which call */
    if (fails_from > 0 && calls >= fails_from)
        return NOT_SUPPORTED;
    answer(gpu, "step_ns", 0, 0, &step_ns); /* by so much the times grow from call to call ... */
    answer(gpu, "until", 0, until, &until); /* ... up to this one */
    const int code = answer(gpu, policy == 0 ? "power_ns" : "heat_ns", 0, 0, us_and_ns + 1);
    us_and_ns[1] += code == SUCCESS ? step_ns * (calls < until ? calls : until) : 0;
    calls += code == SUCCESS;
    return code;
}

struct process {
    unsigned pid;
    u64 bytes;
    unsigned gpu_instance, compute_instance;
};

int nvmlDeviceGetComputeRunningProcesses_v2(void *gpu, unsigned *count, struct process *list) {
    static int lists;
    u64 pid = 0;
    unsigned found = 0;
    int code;
    for (; (code = answer(gpu, "pid", (int)found, 0, &pid)) == SUCCESS && pid != 0; found++)
        if (found < *count)
            list[found].pid = (unsigned)pid;
    if (lists++ % 2 == 0 && answer(gpu, "short", 0, 0, &pid) == SUCCESS && pid != 0)
        list[found++].pid = (unsigned)pid;
    code = code == SUCCESS && found > *count ? TOO_SMALL : code;
    *count = found;
    return code;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *gpu, u64 *to) {
    return answer(gpu, "old_reasons", 0, 1, to);
}
#ifndef OLD
int nvmlDeviceGetCurrentClocksEventReasons(void *gpu, u64 *to) {
    return answer(gpu, "reasons", 0, 1, to);
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *gpu, unsigned *count, struct process *list) {
    unsigned here;
    const int code = number(gpu, "v3", 1, &here);
    return code == SUCCESS ? nvmlDeviceGetComputeRunningProcesses_v2(gpu, count, list) : code;
}
#endif
