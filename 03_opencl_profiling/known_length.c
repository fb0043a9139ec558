/* SPDX-License-Identifier: MIT
 *
 * How far are START to END, and the host's clock with clFinish, from the truth?
 *
 * Measures: a kernel that runs for a known time by its own clock: an NVIDIA GPU's %globaltimer, or
 *   an x86 CPU's time stamp counter (PoCL, Intel's driver). In turns with it an empty kernel, whose
 *   extra time is taken off each time: extra_minus_empty is the median of what is left. Where
 *   kernels have no such clock, a loop: its code is START to END of twice the steps minus START
 *   to END of once the steps.
 * Does not measure: kernels with more than one work-item. Handing out many of them takes longer,
 *   and is part of such a kernel's time.
 *
 * Build: cc -O2 -I../common known_length.c -o known_length -lOpenCL -lm
 * Run:   ./known_length
 * Try:   ./known_length --runs 301; with and without another program on the processor's cores
 */
#include "cores.h"
#include "opencl.h"
#include "report.h"
#include "samples.h"

enum { LENGTHS = 6 };
static const unsigned lengths_us[LENGTHS] = {10, 30, 100, 300, 1000, 3000};

/* ---- The clock that the kernel reads ---- */

struct spin {
    const struct opencl *cl;
    cl_kernel kernel;
    cl_mem stamps;       /* of its one work-group */
    double step_ns;      /* of the clock that the kernel reads, or of its loop */
    bool is_loop;        /* kernels have no such clock */
    const char *code_by; /* what says how long the code took */
};

#if defined __x86_64__ || defined __i386__
/* Reads the time stamp counter, and the host's clock at that moment. Of several tries it keeps the
 * one in which the least time passed, because nothing interrupted that one. */
static unsigned long long read_tsc(int64_t *ns) {
    unsigned long long least = ~0ull, start = 0;
    for (int i = 0; i < 32; i++) {
        const unsigned long long before = __builtin_ia32_rdtsc();
        const int64_t at_ns = now_ns();
        const unsigned long long between = __builtin_ia32_rdtsc() - before;
        if (between < least) {
            least = between;
            start = before;
            *ns = at_ns;
        }
    }
    return start + least / 2;
}

/* Nanoseconds from one step of the time stamp counter to the next, by the host's clock in 20 ms.
 * Where /proc/cpuinfo says constant_tsc and nonstop_tsc it counts at one rate on all cores. */
static double tsc_step_ns(void) {
    int64_t start_ns, end_ns;
    const unsigned long long start = read_tsc(&start_ns);
    while (now_ns() - start_ns < 20000000)
        ;
    const unsigned long long steps = read_tsc(&end_ns) - start;
    return (double)(end_ns - start_ns) / (double)steps;
}
#else
static double tsc_step_ns(void) {
    return 0; /* this processor has none */
}
#endif

/* Builds the kernel with the clock that this device has, where its compiler knows it: NVIDIA's, or
 * for x86 processors PoCL's and Intel's. Elsewhere the kernel counts the rounds of a loop, whose
 * step is yet to be found. */
static struct spin new_spin(const struct opencl *cl) {
    struct spin spin = {.cl = cl, .code_by = "a loop twice as long"};
    const char *flags = "";
    char extensions[16384];
    CHECK_CL(
        clGetDeviceInfo(cl->device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    if (strstr(extensions, "cl_nv_")) {
        spin.step_ns = 1; /* that it counts in */
        spin.code_by = "%globaltimer";
        flags = "-DCLOCK_PTX";
    } else if (cl->type & CL_DEVICE_TYPE_CPU && (strstr(cl->driver, "Portable Computing") ||
                                                 strstr(cl->driver, "Intel(R) OpenCL"))) {
        spin.step_ns = tsc_step_ns();
        if (spin.step_ns > 0) {
            spin.code_by = "the time stamp counter";
            flags = "-DCLOCK_TSC";
        }
    }
    spin.is_loop = !(spin.step_ns > 0);
    const cl_program program = build_program(cl, "spin.cl", flags);
    spin.kernel = new_kernel(program, "spin");
    spin.stamps = new_buffer(cl, 2 * sizeof(cl_ulong), NULL);
    CHECK_CL(clSetKernelArg(spin.kernel, 1, sizeof spin.stamps, &spin.stamps));
    return spin;
}

/* ---- One launch ---- */

struct times {
    double code_us, start_to_end_us, host_us;
};

/* One spin of `steps`, by three clocks. */
static struct times time_spin(const struct spin *spin, cl_ulong steps) {
    const cl_command_queue queue = spin->cl->queue;
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
    CHECK_CL(
        clEnqueueReadBuffer(queue, spin->stamps, CL_TRUE, 0, sizeof code, code, 0, NULL, NULL));
    const cl_long ran_steps = (cl_long)(code[1] - code[0]);
    t.code_us = (double)ran_steps * spin->step_ns / 1e3;
    if ((steps > 0 && t.start_to_end_us == 0) || ran_steps < (cl_long)steps ||
        (!spin->is_loop && t.code_us > 1.01 * t.host_us + 10))
        errx(
            EXIT_FAILED,
            "impossible, or too short for this clock: %lld steps of %llu ran, START to END %.3f us",
            (long long)ran_steps, (unsigned long long)steps, t.start_to_end_us);
    return t;
}

/* A spin right after an empty one. So all that is timed finds host and device just used: after a
 * long wait even an empty kernel takes longer. */
static struct times time_after_empty(const struct spin *spin, cl_ulong steps) {
    time_spin(spin, 0);
    return time_spin(spin, steps);
}

/* START to END of the second half of a loop. Launch and end are in both halves, and cancel. */
static double second_half_us(const struct spin *spin, cl_ulong steps, double first_half_us) {
    return time_after_empty(spin, 2 * steps).start_to_end_us - first_half_us;
}

/* A loop's step, to some percent: the steps are doubled until they take a millisecond. */
static double find_loop_step_ns(const struct spin *spin) {
    double us[5];
    for (cl_ulong steps = 1000; steps < 1ull << 40; steps *= 2) {
        for (int run = 0; run < 5; run++)
            us[run] = second_half_us(spin, steps, time_after_empty(spin, steps).start_to_end_us);
        if (median(us, 5) >= 1000)
            return median(us, 5) * 1e3 / (double)steps;
    }
    errx(EXIT_FAILED, "impossible: a loop of 2^40 steps takes next to no time");
}

/* ---- The experiment: a row for each length ---- */

/* Medians of the runs. */
struct row {
    double code_us, start_to_end_us, extra_us, empty_us, extra_minus_empty_us, host_us,
        host_extra_us;
    const char *doubt;
};

static struct row time_length(const struct spin *spin, unsigned length_us, size_t runs) {
    static double code_us[MAX_RUNS], start_to_end_us[MAX_RUNS], host_us[MAX_RUNS],
        empty_us[MAX_RUNS], extra_us[MAX_RUNS];
    const bool cpu = spin->cl->type & CL_DEVICE_TYPE_CPU;
    const cl_ulong steps = (cl_ulong)(length_us * 1e3 / spin->step_ns);
    time_after_empty(spin, steps); /* the warm-up */
    const struct cores from = cores_now();
    for (size_t run = 0; run < runs; run++) { /* in turns */
        const struct times empty = time_after_empty(spin, 0);
        const struct times one = time_after_empty(spin, steps);
        code_us[run] =
            spin->is_loop ? second_half_us(spin, steps, one.start_to_end_us) : one.code_us;
        start_to_end_us[run] = one.start_to_end_us;
        host_us[run] = one.host_us;
        empty_us[run] = empty.start_to_end_us - empty.code_us;
        extra_us[run] = one.start_to_end_us - code_us[run] - empty_us[run];
    }
    const char *others = cpu ? wait_and_doubt_cores(&from) : NULL;
    const struct summary code = summarize_us(code_us, runs, cpu),
                         device = summarize_us(start_to_end_us, runs, cpu),
                         empty = summarize_us(empty_us, runs, cpu),
                         host = summarize_us(host_us, runs, cpu);
    const double beyond_us = median(extra_us, runs);
    struct row r = {.code_us = code.median,
                    .start_to_end_us = device.median,
                    .extra_us = device.median - code.median,
                    .empty_us = empty.median,
                    .extra_minus_empty_us = fabs(beyond_us) < 0.005 ? 0 : beyond_us, /* no -0.00 */
                    .host_us = host.median,
                    .host_extra_us = host.median - code.median};
    r.doubt = code.doubt ?: device.doubt ?: empty.doubt ?: host.doubt;
    if (code.median > 1.2 * length_us + 20)
        r.doubt = "the spin was interrupted";
    r.doubt = r.doubt ?: doubt_wait(r.host_extra_us) ?: others;
    return r;
}

int main(int argc, char **argv) {
    long long runs = 31;
    const struct opt options[] = {OPT_DEVICE, OPT_RUNS(&runs), END_OF_OPTIONS};
    parse_options(argc, argv,
                  "How much longer than the code are START to END and the host's clock?", options);
    const struct opencl cl = open_opencl(CL_QUEUE_PROFILING_ENABLE);
    struct spin spin = new_spin(&cl);
    struct row rows[LENGTHS];
    double extra_us = 0, host_extra_us = 0, error_us = 0; /* the largest ones */
    if (spin.is_loop)
        spin.step_ns = find_loop_step_ns(&spin);
    for (int i = 0; i < LENGTHS; i++) {
        rows[i] = time_length(&spin, lengths_us[i], (size_t)runs);
        extra_us = fmax(extra_us, rows[i].extra_us);
        host_extra_us = fmax(host_extra_us, rows[i].host_extra_us);
        error_us = fmax(error_us, fabs(rows[i].extra_minus_empty_us));
    }

    begin_record(options, cl.name, cl.driver);
    say("Known lengths: a kernel that spins, on %s, %s\n"
        "code by %s; extra_us: start_to_end_us minus code_us; medians of %lld runs\n\n",
        cl.name, cl.driver, spin.code_by, runs);
    fprintf(record_file, "# code_by,%s\n", spin.code_by);
    for (int i = 0; i < LENGTHS; i++)
        print_row(
            rows[i].doubt,
            "length_us=%9u|code_us=%9.2f|start_to_end_us=%15.2f|extra_us=%9.2f|empty_us=%9.2f|"
            "extra_minus_empty_us=%20.2f|host_us=%9.2f|host_extra_us=%13.2f",
            lengths_us[i], rows[i].code_us, rows[i].start_to_end_us, rows[i].extra_us,
            rows[i].empty_us, rows[i].extra_minus_empty_us, rows[i].host_us, rows[i].host_extra_us);
    say("\nSTART to END is up to %.2f us more than the code, the host's clock up to %.2f us.\n"
        "After subtracting an empty kernel, run by run, the error is %.2f us at most.\n",
        extra_us, host_extra_us, error_us);
    if (spin.is_loop)
        say("Here kernels have no clock that all work-groups share. The code is START to END of\n"
            "the second half of a loop, good to some percent.\n");
    return EXIT_SUCCESS;
}
