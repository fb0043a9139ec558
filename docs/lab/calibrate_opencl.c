/* SPDX-License-Identifier: MIT
 *
 * What can the clocks of this OpenCL device tell, and what do they cost?
 *
 * Measures: the rate and the tick of the stamps; in which steps START to END sees a kernel get
 *   longer, and how much longer than the kernel's code it is; what a call, waiting and the stamps
 *   cost the host; how far new processes lie apart.
 * Does not measure: your kernel; nor which clock is right: calibrate.cu says more on that.
 *
 * Build: cc -O2 -I../../common calibrate_opencl.c -o calibrate_opencl -lOpenCL -lm
 * Run:   ./calibrate_opencl
 * Try:   ./calibrate_opencl --processes 20; with and without another program on the cores
 */
#include "../../03_opencl_profiling/stamps.h"
#include "calibrate.h"
#include "group_times.h"

static const double spin_us = 10, longer_us = 0.032;

static cl_command_queue plain_queue; /* without profiling */
static cl_kernel kernel;             /* spin */
static cl_mem stamps;                /* its own */
static size_t spins, interrupted;

struct times { /* of one spin, in us; code: NaN where kernels have no clock */
    double code, start_to_end, call, host;
    int64_t ended_ns[TIMERS]; /* the last one, by the host's clocks and by its stamp */
};

static const char *set_up(void) {
    open_opencl(CL_QUEUE_PROFILING_ENABLE);
    MAKE_CL(plain_queue = clCreateCommandQueue(cl.context, cl.device, 0, &cl_error));
    return open_spin("spin.cl", IN_A_ROW, &kernel, &stamps).name;
}

static void enqueue_spin(cl_command_queue queue, double us, cl_uint place, cl_event *event) {
    const size_t one = 1;
    const cl_ulong steps = steps_in(us);
    CHECK_CL(clSetKernelArg(kernel, 0, sizeof steps, &steps));
    CHECK_CL(clSetKernelArg(kernel, 1, sizeof place, &place));
    CHECK_CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, event));
}

/* Of each of `count` spins of `us`, one behind the other: START of the first to END of the last. */
static struct times time_spins(int count, double us) {
    struct group_time code[IN_A_ROW];
    cl_event ends[2]; /* of the first and of the last */
    struct times t = {0};
    clear_groups(stamps, (size_t)count); /* each must write its own anew */
    const int64_t start_ns = now_ns();
    for (int i = 0; i < count; i++)
        enqueue_spin(cl.queue, us, (cl_uint)i, i == 0 || i == count - 1 ? &ends[i > 0] : NULL);
    t.call = (double)(now_ns() - start_ns) / 1e3 / count;
    CHECK_CL(clFinish(cl.queue));
    t.ended_ns[MONOTONIC] = now_ns();
    t.ended_ns[RAW] = clock_ns(CLOCK_MONOTONIC_RAW);
    t.host = (double)(t.ended_ns[MONOTONIC] - start_ns) / 1e3 / count;
    const cl_ulong first_ns = read_stamp_ns(ends[0], CL_PROFILING_COMMAND_START),
                   last_ns = read_stamp_ns(ends[count > 1], CL_PROFILING_COMMAND_END);
    for (int i = 0; i <= (count > 1); i++)
        CHECK_CL(clReleaseEvent(ends[i]));
    t.ended_ns[DEVICE] = (int64_t)last_ns;
    t.start_to_end = between_us(first_ns, last_ns) / count;
    CHECK_CL(clEnqueueReadBuffer(cl.queue, stamps, CL_TRUE, 0, (size_t)count * sizeof *code, code,
                                 0, NULL, NULL));
    for (int i = 0; i < count; i++) {
        const double ran_us = steps_us(code[i].start, code[i].end);
        if (code[i].start == 0 || (cl_long)(code[i].end - code[i].start) < (cl_long)steps_in(us))
            fail(EXIT_FAILED, "impossible: spin %d of %g us ran from %llu to %llu", i + 1, us,
                 (unsigned long long)code[i].start, (unsigned long long)code[i].end);
        spins++;
        interrupted += ran_us > us + 2;
        t.code += ran_us / count;
    }
    if (t.start_to_end < 0 || t.start_to_end > 1.01 * t.host + 10 ||
        t.code > 1.01 * t.start_to_end + 2)
        fail(EXIT_FAILED, "impossible: %.3f us from START to END, of code %.3f, of the host %.3f",
             t.start_to_end, t.code, t.host);
    return t;
}

/* An empty kernel by the host's clock, without an event, on a queue without profiling. */
static double time_plain_us(void) {
    clear_groups(stamps, 1); /* as before the others */
    const int64_t start_ns = now_ns();
    enqueue_spin(plain_queue, 0, 0, NULL);
    CHECK_CL(clFinish(plain_queue));
    return (double)(now_ns() - start_ns) / 1e3;
}

/* ---- What is measured, run by run ---- */

static int64_t moments_ns[MAX_RUNS + 1][TIMERS];
static double call_us[MAX_RUNS], wait_us[MAX_RUNS], stamps_us[MAX_RUNS], empty_us[MAX_RUNS],
    all_us[MAX_RUNS * LENGTHS];

static void measure_lengths(size_t run) {
    for (unsigned i = 0; i < LENGTHS; i++) {
        const unsigned l = length_in_turn(i, run);
        const struct times one = time_spins(1, spin_us + l * longer_us),
                           row = time_spins(IN_A_ROW, spin_us + l * longer_us);
        lengths[l].pair_us[run] = all_us[run * LENGTHS + i] = one.start_to_end;
        lengths[l].extra_us[run] = one.start_to_end - one.code;
        lengths[l].row_extra_us[run] = row.start_to_end - row.code;
    }
}

static void measure(size_t run) {
    const double first_us = time_plain_us();
    const struct times empty = time_spins(1, 0);
    const double plain_us = run % 2 ? time_plain_us() : first_us; /* before, or behind */
    memcpy(moments_ns[run], empty.ended_ns, sizeof empty.ended_ns);
    call_us[run] = empty.call;
    wait_us[run] = empty.host - empty.start_to_end;
    empty_us[run] = empty.start_to_end;
    stamps_us[run] = empty.host - plain_us;
    measure_lengths(run);
}

static void measure_process(void *median_us) {
    set_up();
    for (size_t run = 0; run < (size_t)options.runs; run++)
        measure_lengths(run);
    *(double *)median_us = median_of_lengths((size_t)options.runs, false);
}

int main(int argc, char **argv) {
    size_t claimed_ns;
    options.device = "";
    options.runs = 101;
    add_option("processes", "measure in N new processes, too", &processes, MAX_RUNS);
    parse_options(argc, argv, "What can the clocks of this device tell, and what do they cost?");
    measure_processes(measure_process);
    const char *code_by = set_up();
    const size_t runs = (size_t)options.runs, half = (runs + 1) / 2;
    CHECK_CL(clGetDeviceInfo(cl.device, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof claimed_ns,
                             &claimed_ns, NULL));
    begin_table("Calibrate: the clocks of %s, %s, and of its host; medians of %zu runs\n"
                "Low to high: of runs the middle half, else all. Time: START to END\n\n",
                cl.name, cl.platform, runs);
    measure(0); /* the warm-up */
    spins = interrupted = 0;
    for (size_t run = 0; run < runs; run++)
        measure(run);
    memcpy(moments_ns[runs], time_spins(1, 0).ended_ns, sizeof moments_ns[0]);

    double tick_ns = tick_of_times_ns(all_us, runs * LENGTHS);
    const bool delayed = is_delayed(median(wait_us, runs));
    print_rates(moments_ns, half, delayed, "the stamps' clock");
    print_row("stamp_tick_ns", &tick_ns, 1, "all", delayed, "the mean step of START to END");
    print_times("call_us", call_us, runs, delayed, "the host's call that enqueues a kernel");
    print_times("wait_us", wait_us, runs, delayed, "this call and clFinish, minus START to END");
    print_row("stamps_us", stamps_us, runs, over_runs, delayed,
              "longer by so much with event and profiling");
    const double empty_median_us =
        print_times("empty_us", empty_us, runs, delayed, "START to END of an empty kernel");
    const double step_ns = print_lengths(runs, tick_ns, delayed, false);
    end_table();
    say("The stamps' clock claims steps of %.0f ns. From START to END of a short kernel subtract\n"
        "that of an empty one, %.2f us.\n",
        value("claimed_resolution", "ns", (double)claimed_ns), empty_median_us);
    say_step(step_ns);
    if (isnan(clock_step_ns))
        say("Kernels have no clock here, so nothing says how long the code ran.\n");
    else
        say("%.2f %% of the spins were interrupted: they ran at least 2 us too long, by %s.\n",
            value("interrupted", "percent", 100.0 * (double)interrupted / (double)spins), code_by);
    return EXIT_SUCCESS;
}
