/* SPDX-License-Identifier: MIT
 *
 * What an NVIDIA GPU does while you measure: its clocks, its power, its temperature, what holds the
 * clock back, and who else uses it. A file to copy, for C and CUDA C; link with -ldl.
 *
 * The driver tells it through NVML (libnvidia-ml.so.1). The library is opened when the program
 * runs, so the program also builds and runs where there is none. What is called here is
 * declared in the NVML API reference, https://docs.nvidia.com/deploy/nvml-api: every function
 * returns 0 for success. Any other answer is usual (NVML_ERROR_NOT_SUPPORTED, 3, on laptops),
 * and leaves that value NOT_SEEN. */
#pragma once

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_SEEN UINT_MAX        /* in an unsigned */
#define NOT_SEEN_LONG ULLONG_MAX /* in an unsigned long long */

struct gpu_state {
    unsigned sm_mhz, sm_most_mhz, memory_mhz, power_mw, power_limit_mw;
    unsigned temperature_c, slowdown_c; /* at slowdown_c the hardware slows down */
    unsigned busy_percent;              /* of the last second or less: time in which a kernel ran */
    unsigned mig, ecc, persistence;     /* 0: off, 1: on */
    unsigned long long reasons;         /* what holds the clock back now: bits, see gpu_reason() */
    unsigned long long power_limited_ns, heat_limited_ns; /* so far: take the difference of two */
};

/* nvmlClocksEventReasons; nvmlClocksThrottleReasons until driver 530. */
enum {
    REASON_IDLE = 0x1,
    REASON_POWER = 0x4,
    REASON_HEAT = 0x20 | 0x40, /* the driver slows the clock down, or the hardware */
    REASON_LIMITS = 0xfc       /* all but idle, clocks that somebody has set, and displays */
};

/* The words for bit 0, 1, 2 ... of the reasons. */
static inline const char *gpu_reason(unsigned bit) {
    static const char *const words[] = {
        "nothing to do",           "the clock that was set",    "the power limit",
        "a slowdown by hardware",  "a slower GPU of its group", "heat (seen by the driver)",
        "heat (seen by hardware)", "the power brake",           "the clock of the displays"};
    return bit < sizeof words / sizeof *words ? words[bit] : "a reason newer than this program";
}

static void *nvml; /* the library */

/* The forms of its functions. nvmlDevice_t is a pointer; nvmlReturn_t and all enums are ints. */
typedef int nvml_get(void *gpu, unsigned *value);
typedef int nvml_get_of(void *gpu, int which, unsigned *value);
typedef int nvml_get_mode(void *gpu, unsigned *now, unsigned *after_the_next_start);
typedef int nvml_get_bits(void *gpu, unsigned long long *value);
typedef int nvml_get_violation(void *gpu, int policy, unsigned long long when_us_and_time_ns[2]);

/* What the driver's NVML does not have, dlsym() does not find. nvmlUtilization_t has two numbers,
 * of which the first is the GPU's. */
static inline unsigned gpu_number(void *gpu, const char *function) {
    nvml_get *call = (nvml_get *)dlsym(nvml, function);
    unsigned value[2];
    return call && call(gpu, value) == 0 ? value[0] : NOT_SEEN;
}

static inline unsigned gpu_number_of(void *gpu, const char *function, int which) {
    nvml_get_of *call = (nvml_get_of *)dlsym(nvml, function);
    unsigned value;
    return call && call(gpu, which, &value) == 0 ? value : NOT_SEEN;
}

static inline unsigned gpu_mode(void *gpu, const char *function) {
    nvml_get_mode *call = (nvml_get_mode *)dlsym(nvml, function);
    unsigned now, next;
    return call && call(gpu, &now, &next) == 0 ? now : NOT_SEEN;
}

static inline unsigned long long gpu_reasons(void *gpu, const char *function) {
    nvml_get_bits *call = (nvml_get_bits *)dlsym(nvml, function);
    unsigned long long value;
    return call && call(gpu, &value) == 0 ? value : NOT_SEEN_LONG;
}

static inline unsigned long long gpu_limited_ns(void *gpu, int policy) {
    nvml_get_violation *call = (nvml_get_violation *)dlsym(nvml, "nvmlDeviceGetViolationStatus");
    unsigned long long value[2];
    return call && call(gpu, policy, value) == 0 ? value[1] : NOT_SEEN_LONG;
}

/* NVML's handle of a GPU by its PCI bus id (cudaDeviceGetPCIBusId gives it), its UUID,
 * or its number in the order of the bus ids ("0"). For a MIG device's UUID it is the
 * GPU's. NULL: NVML knows none. */
static inline void *find_gpu(const char *name) {
    typedef int by_name(const char *name, void **gpu);
    typedef int by_number(unsigned number, void **gpu);
    typedef int by_mig(void *mig, void **gpu);
    by_number *number = (by_number *)dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2");
    by_mig *whole = (by_mig *)dlsym(nvml, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle");
    by_name *other = (by_name *)dlsym(nvml, strchr(name, ':') ? "nvmlDeviceGetHandleByPciBusId_v2"
                                                              : "nvmlDeviceGetHandleByUUID");
    void *gpu = NULL, *mig = NULL;
    if (*name && strspn(name, "0123456789") == strlen(name))
        return number && number((unsigned)atoi(name), &gpu) == 0 ? gpu : NULL;
    if (!other || other(name, &gpu) != 0)
        return NULL;
    mig = gpu;
    return strncmp(name, "MIG-", 4) == 0 && whole && whole(mig, &gpu) == 0 ? gpu : mig;
}

/* False: no NVML here, or it cannot reach the driver. */
static inline bool open_gpu_state(void) {
    typedef int init(void);
    nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    init *call = nvml ? (init *)dlsym(nvml, "nvmlInit_v2") : NULL;
    return call && call() == 0;
}

/* False: there is no such GPU, or no NVML, and all is NOT_SEEN. `name`: see find_gpu(). */
static inline bool read_gpu_state(const char *name, struct gpu_state *s) {
    void *gpu = nvml ? find_gpu(name) : NULL;
    memset(s, 0xff, sizeof *s);
    if (!gpu)
        return false;
    s->sm_mhz = gpu_number_of(gpu, "nvmlDeviceGetClockInfo", 1);
    s->sm_most_mhz = gpu_number_of(gpu, "nvmlDeviceGetMaxClockInfo", 1);
    s->memory_mhz = gpu_number_of(gpu, "nvmlDeviceGetClockInfo", 2);
    s->power_mw = gpu_number(gpu, "nvmlDeviceGetPowerUsage");
    s->power_limit_mw = gpu_number(gpu, "nvmlDeviceGetEnforcedPowerLimit");
    s->temperature_c = gpu_number_of(gpu, "nvmlDeviceGetTemperature", 0);
    s->slowdown_c = gpu_number_of(gpu, "nvmlDeviceGetTemperatureThreshold", 1);
    s->busy_percent = gpu_number(gpu, "nvmlDeviceGetUtilizationRates");
    s->mig = gpu_mode(gpu, "nvmlDeviceGetMigMode");
    s->ecc = gpu_mode(gpu, "nvmlDeviceGetEccMode");
    s->persistence = gpu_number(gpu, "nvmlDeviceGetPersistenceMode");
    s->reasons = gpu_reasons(gpu, "nvmlDeviceGetCurrentClocksEventReasons");
    if (s->reasons == NOT_SEEN_LONG)
        s->reasons = gpu_reasons(gpu, "nvmlDeviceGetCurrentClocksThrottleReasons");
    s->power_limited_ns = gpu_limited_ns(gpu, 0);
    s->heat_limited_ns = gpu_limited_ns(gpu, 1);
    return true;
}

/* For how many nanoseconds power or heat held the clock back between two looks. NaN: not seen. */
static inline double gpu_held_back_ns(const struct gpu_state *from, const struct gpu_state *to) {
    const bool seen = from->power_limited_ns != NOT_SEEN_LONG &&
                      from->heat_limited_ns != NOT_SEEN_LONG &&
                      to->power_limited_ns != NOT_SEEN_LONG && to->heat_limited_ns != NOT_SEEN_LONG;
    return seen ? (double)(to->power_limited_ns - from->power_limited_ns + to->heat_limited_ns -
                           from->heat_limited_ns)
                : (double)NAN;
}
