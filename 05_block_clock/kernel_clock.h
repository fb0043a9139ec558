/* SPDX-License-Identifier: MIT
 * Which clock can an OpenCL kernel read? The .cl files read it; here the host finds out. */
#pragma once
#include "opencl.h"
#include "stats.h"

/* The step of an x86 processor's time stamp counter, by the host's clock; 0: none counts. Where
 * /proc/cpuinfo says constant_tsc and nonstop_tsc it counts at one rate on all cores. */
static inline double tsc_step_ns(void) {
    double step_ns[5] = {0}; /* something may come between the two clocks, but not each time */
#if defined __x86_64__ || defined __i386__
    for (int i = 0; i < 5; i++) {
        const int64_t start_ns = now_ns();
        const unsigned long long start = __builtin_ia32_rdtsc();
        while (now_ns() - start_ns < 4000000)
            ;
        const int64_t end_ns = now_ns();
        step_ns[i] = (double)(end_ns - start_ns) / (double)(__builtin_ia32_rdtsc() - start);
    }
#endif
    return isfinite(median(step_ns, 5)) ? median(step_ns, 5) : 0;
}

struct kernel_clock {
    const char *name;  /* NULL: there is none */
    const char *flags; /* for the compiler: which of the readings in the .cl file */
    double tick_ns;    /* that it counts in, which may be finer than its steps; 0: not known */
    bool is_tsc;
};

/* An NVIDIA GPU's %globaltimer and %clock64; through PoCL, an x86 processor's time stamp counter;
 * the extension cl_khr_kernel_clock, which does not say what it counts in. */
static inline struct kernel_clock find_kernel_clock(const struct opencl *cl) {
    char names[16384];                          /* of its extensions */
    const cl_device_info capabilities = 0x1076; /* CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR */
    cl_bitfield scopes = 0;
    CHECK_CL(clGetDeviceInfo(cl->device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    if (strstr(names, "cl_nv_"))
        return (struct kernel_clock){"%globaltimer", "-DCLOCK_PTX", 1, false};
    const bool is_pocl = cl->is_cpu && strstr(cl->name, "Portable Computing Language");
    const double tsc_ns = is_pocl ? tsc_step_ns() : 0;
    if (tsc_ns > 0)
        return (struct kernel_clock){"the time stamp counter", "-DCLOCK_TSC", tsc_ns, true};
    if (strstr(names, "cl_khr_kernel_clock"))
        CHECK_CL(clGetDeviceInfo(cl->device, capabilities, sizeof scopes, &scopes, NULL));
    if (scopes & 2) /* CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR */
        return (struct kernel_clock){"cl_khr_kernel_clock", "-cl-std=CL3.0 -DCLOCK_KHR", 0, false};
    return (struct kernel_clock){NULL, "", 0, false};
}
