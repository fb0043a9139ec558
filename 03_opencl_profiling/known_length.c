/* SPDX-License-Identifier: MIT
 *
 * How far are START to END, and the host's clock with clFinish, from the truth?
 *
 * Measures: a kernel that runs for a known time by its own clock: an NVIDIA GPU's %globaltimer, or
 *   an x86 CPU's time stamp counter (PoCL, Intel's driver). In turns with it an empty kernel, whose
 *   extra time is subtracted run by run: extra_minus_empty_us is the median. Where kernels have no
 *   such clock, a loop: its code is START to END of twice the steps minus that of once the steps.
 * Does not measure: kernels with more than one work-item. To hand out many of them takes longer.
 *
 * Build: cc -O2 -I../common known_length.c -o known_length -lOpenCL -lm
 * Run:   ./known_length
 * Try:   ./known_length --runs 301; with and without another program on the processor's cores
 */
#include "cores.h"
#include "opencl.h"

static const unsigned lengths_us[] = {10, 30, 100, 300, 1000, 3000};

/* ---- The clock that the kernel reads ---- */

struct spin {
    struct opencl cl;
    cl_kernel kernel;
    cl_mem stamps;       /* of its one work-group */
    double step_ns;      /* of the clock that the kernel reads, or of its loop */
    bool is_loop;        /* kernels have no such clock */
    const char *code_by; /* what says how long the code took */
};

/* The step of an x86 processor's time stamp counter, by the host's clock; 0: none counts. Where
 * /proc/cpuinfo says constant_tsc and nonstop_tsc it counts at one rate on all cores. */
static double tsc_step_ns(void) {
    double step_ns[5] = {0}; /* something may come between the two clocks, but not each time */
#if defined __x86_64__ || defined __i386__
    for (int i = 0; i < 5; i++) {
        const int64_t start_ns = now_ns();
        const unsigned long long start = __builtin_ia32_rdtsc();
        sleep_for_ns(4000000);
        const int64_t end_ns = now_ns();
        step_ns[i] = (double)(end_ns - start_ns) / (double)(__builtin_ia32_rdtsc() - start);
    }
#endif
    return isfinite(median(step_ns, 5)) ? median(step_ns, 5) : 0;
}

/* Builds the kernel with the clock that this device has, where its compiler knows it: NVIDIA's, or
 * for x86 processors PoCL's and Intel's. Elsewhere the kernel counts the rounds of a loop. */
static struct spin new_spin(const char *device) {
    struct spin spin = {.cl = open_opencl(device, CL_QUEUE_PROFILING_ENABLE)};
    const char *name = spin.cl.name, *flags = "";
    const bool knows_tsc = strstr(name, "Portable Computing") || strstr(name, "Intel(R) OpenCL");
    const double tsc_ns = spin.cl.is_cpu && knows_tsc ? tsc_step_ns() : 0;
    char has[16384];
    CHECK_CL(clGetDeviceInfo(spin.cl.device, CL_DEVICE_EXTENSIONS, sizeof has, has, NULL));
    spin.code_by = "a_loop_twice_as_long";
    if (strstr(has, "cl_nv_")) {
        spin.step_ns = 1; /* that it counts in */
        spin.code_by = "%globaltimer";
        flags = "-DCLOCK_PTX";
    } else if (tsc_ns > 0) {
        spin.step_ns = tsc_ns;
        spin.code_by = "time_stamp_counter";
        flags = "-DCLOCK_TSC";
    }
    spin.is_loop = spin.step_ns == 0;
    spin.kernel = build_kernel(&spin.cl, "spin.cl", flags, "spin");
    spin.stamps = new_buffer(&spin.cl, 2 * sizeof(cl_ulong));
    CHECK_CL(clSetKernelArg(spin.kernel, 1, sizeof spin.stamps, &spin.stamps));
    return spin;
}

/* ---- One launch ---- */

struct times { /* one spin, by three clocks */
    double code_us, start_to_end_us, host_us;
};

static struct times time_spin(const struct spin *spin, cl_ulong steps) {
    const cl_command_queue queue = spin->cl.queue;
    const size_t one = 1;
    cl_event event;
    cl_ulong code[2]; /* start and end */
    struct times t;
    CHECK_CL(clSetKernelArg(spin->kernel, 0, sizeof steps, &steps));
    CHECK_CL(clFinish(queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(queue, spin->kernel, 1, NULL, &one, &one, 0, NULL, &event));
    CHECK_CL(clFinish(queue));
    t.host_us = (double)(now_ns() - start_ns) / 1e3;
    t.start_to_end_us = start_to_end_us(event, t.host_us);
    CHECK_CL(clEnqueueReadBuffer(queue, spin->stamps, CL_TRUE, 0, 16, code, 0, NULL, NULL));
    const cl_long ran_steps = (cl_long)(code[1] - code[0]);
    t.code_us = (double)ran_steps * spin->step_ns / 1e3;
    if ((steps > 0 && t.start_to_end_us == 0) || ran_steps < (cl_long)steps ||
        (!spin->is_loop && t.code_us > 1.01 * t.host_us + 10))
        errx(EXIT_FAILED,
             "impossible, or too short: code %.3f us, START to END %.3f us, host %.3f us",
             t.code_us, t.start_to_end_us, t.host_us);
    return t;
}

/* A spin right after an empty one: after a long wait even an empty kernel takes longer. */
static struct times time_after_empty(const struct spin *spin, cl_ulong steps) {
    time_spin(spin, 0);
    return time_spin(spin, steps);
}

/* A loop's step, to some percent: the steps are doubled until they take a millisecond, by START to
 * END of the loop's second half. Launch and end are in both halves, and cancel. */
static double find_loop_step_ns(const struct spin *spin) {
    double us[5];
    for (cl_ulong steps = 1000; steps < 1ull << 40; steps *= 2) {
        for (int run = 0; run < 5; run++) {
            us[run] = -time_after_empty(spin, steps).start_to_end_us;
            us[run] += time_after_empty(spin, 2 * steps).start_to_end_us;
        }
        if (median(us, 5) >= 1000)
            return median(us, 5) * 1e3 / (double)steps;
    }
    errx(EXIT_FAILED, "impossible: a loop of 2^40 steps takes next to no time");
}

/* ---- One row: the medians of the runs of one length ---- */

static void print_row(const struct spin *spin, unsigned length_us, size_t runs,
                      struct cores seen[2]) {
    static double code_us[MAX_RUNS], device_us[MAX_RUNS], host_us[MAX_RUNS], empty_us[MAX_RUNS],
        left_us[MAX_RUNS];
    const cl_ulong steps = (cl_ulong)(length_us * 1e3 / spin->step_ns);
    const bool is_cpu = spin->cl.is_cpu;
    time_after_empty(spin, steps);            /* the warm-up */
    for (size_t run = 0; run < runs; run++) { /* in turns */
        const struct times empty = time_after_empty(spin, 0), t = time_after_empty(spin, steps);
        device_us[run] = t.start_to_end_us;
        host_us[run] = t.host_us;
        code_us[run] = t.code_us;
        if (spin->is_loop) /* then its second half stands for the code */
            code_us[run] = time_after_empty(spin, 2 * steps).start_to_end_us - device_us[run];
        empty_us[run] = empty.start_to_end_us - empty.code_us;
        left_us[run] = device_us[run] - code_us[run] - empty_us[run];
    }
    const double code = median(code_us, runs), device = median(device_us, runs),
                 host = median(host_us, runs), left = median(left_us, runs); /* in us */
    unsigned doubts = code > 1.2 * length_us + 20 ? INTERRUPTED : 0;
    doubts |= doubt_us(code_us, runs, is_cpu) | doubt_us(device_us, runs, is_cpu) |
              doubt_us(empty_us, runs, is_cpu) | doubt_us(host_us, runs, is_cpu) |
              doubt_wait(host - code) | doubt_cores(seen); /* the host's time is in each row */
    printf("%9u %9.3f %15.3f %9.3f %9.3f %20.3f %9.3f %13.3f %s\n", length_us, code, device,
           device - code, median(empty_us, runs), fabs(left) < 0.0005 ? 0 : left, host, host - code,
           first_doubt(doubts));
}

int main(int argc, char **argv) {
    struct args args = begin_args(argc, argv);
    const size_t runs = number_arg(&args, "--runs", "31", MAX_RUNS, "measure so often");
    const char *device = text_arg(&args, "--device", "", "number, or text in its name; or list");
    end_args(&args);

    struct spin spin = new_spin(device);
    if (spin.is_loop)
        spin.step_ns = find_loop_step_ns(&spin);
    print_head(spin.cl.name);
    printf("# runs %zu\n# code_by %s\n"
           "length_us   code_us start_to_end_us  extra_us  empty_us extra_minus_empty_us   host_us "
           "host_extra_us disturbed\n",
           runs, spin.code_by);
    struct cores seen[2] = {cores_now(), cores_now()};
    for (size_t i = 0; i < sizeof lengths_us / sizeof *lengths_us; i++)
        print_row(&spin, lengths_us[i], runs, seen);
    return EXIT_SUCCESS;
}
