/* SPDX-License-Identifier: MIT
 * Which clock can an OpenCL kernel read? The .cl files read it; here the host finds out. */
#pragma once
#include "opencl.h"

#if defined __x86_64__ || defined __i386__
/* Reads the time stamp counter and CLOCK_MONOTONIC at one moment. Of several tries it keeps the one
 * whose two readings of the counter are closest, because nothing interrupted that one. */
static inline unsigned long long read_tsc(int64_t *ns) {
    unsigned long long least = ~0ull, middle = 0;
    for (int i = 0; i < 32; i++) {
        const unsigned long long before = __builtin_ia32_rdtsc();
        const int64_t at_ns = now_ns();
        const unsigned long long between = __builtin_ia32_rdtsc() - before;
        if (between < least) {
            least = between;
            middle = before + between / 2;
            *ns = at_ns;
        }
    }
    return middle;
}

/* Nanoseconds from one step to the next of the time stamp counter that x86 processors have,
 * measured against CLOCK_MONOTONIC for 20 ms. Where /proc/cpuinfo says constant_tsc and nonstop_tsc
 * it counts at one rate on all cores. */
static inline double tsc_step_ns(void) {
    int64_t start_ns = 0, end_ns = 0;
    const unsigned long long start = read_tsc(&start_ns);
    while (now_ns() - start_ns < 20000000)
        ;
    const unsigned long long end = read_tsc(&end_ns);
    return (double)(end_ns - start_ns) / (double)(end - start);
}
#else
static inline double tsc_step_ns(void) {
    return 0; /* there is none */
}
#endif

struct kernel_clock {
    const char *name;  /* NULL: there is none */
    const char *flags; /* for the compiler: which of the readings in the .cl file */
    double tick_ns;    /* that it counts in, which may be finer than its steps; 0: not known */
    bool is_tsc;
};

/* An NVIDIA GPU's %globaltimer and %clock64; through PoCL, an x86 processor's time stamp counter;
 * the extension cl_khr_kernel_clock, which does not say what it counts in. */
static inline struct kernel_clock find_kernel_clock(const struct opencl *cl) {
    char extensions[16384];
    const cl_device_info capabilities = 0x1076; /* CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR */
    cl_bitfield scopes = 0;
    CHECK_CL(
        clGetDeviceInfo(cl->device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    if (strstr(extensions, "cl_nv_"))
        return (struct kernel_clock){"%globaltimer", "-DCLOCK_PTX", 1, false};
    /* PoCL's compiler knows the counter. */
    const bool is_pocl = cl->type & CL_DEVICE_TYPE_CPU && strstr(cl->driver, "Portable Computing");
    const double tsc_ns = is_pocl ? tsc_step_ns() : 0;
    if (tsc_ns > 0)
        return (struct kernel_clock){"the time stamp counter", "-DCLOCK_TSC", tsc_ns, true};
    if (strstr(extensions, "cl_khr_kernel_clock"))
        CHECK_CL(clGetDeviceInfo(cl->device, capabilities, sizeof scopes, &scopes, NULL));
    if (scopes & 2) /* CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR */
        return (struct kernel_clock){"cl_khr_kernel_clock", "-cl-std=CL3.0 -DCLOCK_KHR", 0, false};
    return (struct kernel_clock){NULL, "", 0, false};
}

/* Exits with 2 if a work-group of timedReduction cannot have so many work-items, with two floats of
 * local memory for each. */
static inline void check_threads(const struct opencl *cl, cl_kernel kernel, long long threads) {
    cl_ulong bytes;
    CHECK_CL(clGetDeviceInfo(cl->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    check_group(cl, kernel, threads);
    check_most("threads", threads, bytes / (2 * sizeof(float)), cl->name);
}
