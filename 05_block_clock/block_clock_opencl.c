/* SPDX-License-Identifier: MIT
 *
 * The experiment of block_clock.cu on any OpenCL device: how long does one work-group take, by the
 * clock of the unit it runs on?
 *
 * Measures: timedReduction's start and end in each work-group, by the clock that the device has: a
 *   kernel clock (cl_khr_kernel_clock), an NVIDIA GPU's %clock64, through PoCL an x86 CPU's time
 *   stamp counter.
 * Does not measure: span and units (SMs, or a CPU's cores) where the device cannot tell them: those
 *   columns are empty then.
 *
 * Build: cc -O2 -I../common block_clock_opencl.c -o block_clock_opencl -lOpenCL -lm
 * Run:   ./block_clock_opencl
 * Try:   ./block_clock_opencl --blocks 1,2,3,4,64,1024 --threads 1,64,1024
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>

#include "block_times.h"
#include "event_time.h"
#include "host_clock.h"
#include "opencl_device.h"

static struct opencl_device device;
static cl_command_queue queue; /* with CL_QUEUE_PROFILING_ENABLE */
static cl_kernel kernel;       /* timedReduction */
static cl_mem input, output, timer;
static float *results; /* their copies here */
static struct block_time *times;
static double *clocks;

/* ---- Which clock does this device have? ---- */

/* Returns the compiler option that chooses it in block_clock.cl. Exits with 77 if there is none. */
static const char *choose_clock(void) {
    static char extensions[16384];
    CHECK_CL(clGetDeviceInfo(device.id, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    const cl_device_info capabilities = 0x1076; /* CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR */
    cl_bitfield scopes = 0;
    if (strstr(extensions, "cl_khr_kernel_clock") &&
        clGetDeviceInfo(device.id, capabilities, sizeof scopes, &scopes, NULL) == CL_SUCCESS &&
        scopes & 2) /* CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR */
        return "-cl-std=CL3.0 -DCLOCK_KHR";
    if (strstr(extensions, "cl_nv_"))
        return "-DCLOCK_PTX";
    if (device.type & CL_DEVICE_TYPE_CPU && strstr(device.platform, "Portable Computing") &&
        tsc_step_ns() > 0) /* PoCL's compiler knows the counter */
        return "-DCLOCK_TSC";
    fail(EXIT_NO_DEVICE, "no clock that a kernel can read on %s: no cl_khr_kernel_clock",
         device.name);
}

/* ---- One launch ---- */

static void launch(size_t blocks, size_t threads, cl_event *event) {
    const size_t global_size = blocks * threads;
    CHECK_CL(clSetKernelArg(kernel, 3, 2 * threads * sizeof(float), NULL)); /* local memory */
    CHECK_CL(
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, &threads, 0, NULL, event));
}

/* Launches once with a new input, and stores what the groups' stamps say in `row`. */
static void run_once(size_t blocks, size_t threads, double ns_per_clock, double row[FIELDS]) {
    static float host[2 * MAX_THREADS];
    const size_t results_bytes = blocks * sizeof *results;
    const size_t times_bytes = blocks * sizeof *times;
    const size_t count = 2 * threads;
    const float minimum = random_input(host, count);
    const cl_uint nan_bits = 0xffffffff; /* no result, if none is written */
    const cl_ulong zero = 0;
    cl_event event;

    CHECK_CL(
        clEnqueueWriteBuffer(queue, input, CL_TRUE, 0, count * sizeof *host, host, 0, NULL, NULL));
    launch(blocks, threads, NULL); /* not timed: it brings the new input near every unit */
    CHECK_CL(clEnqueueFillBuffer(queue, output, &nan_bits, sizeof nan_bits, 0, results_bytes, 0,
                                 NULL, NULL));
    CHECK_CL(clEnqueueFillBuffer(queue, timer, &zero, sizeof zero, 0, times_bytes, 0, NULL, NULL));
    CHECK_CL(clFinish(queue));

    const int64_t host_start_ns = now_ns();
    launch(blocks, threads, &event);
    CHECK_CL(clFinish(queue));
    const double event_us = start_to_end_us(event, (double)(now_ns() - host_start_ns) / 1e3);
    if (event_us == 0)
        fail(EXIT_FAILED, "too short for the device's clock: START and END are the same");

    CHECK_CL(clEnqueueReadBuffer(queue, output, CL_TRUE, 0, results_bytes, results, 0, NULL, NULL));
    CHECK_CL(clEnqueueReadBuffer(queue, timer, CL_TRUE, 0, times_bytes, times, 0, NULL, NULL));
    for (size_t b = 0; ns_per_clock > 0 && b < blocks; b++) {
        /* Nanoseconds since a second before group 0 started. */
        const double start = (double)(long long)(times[b].start_clock - times[0].start_clock);
        const double end = (double)(long long)(times[b].end_clock - times[0].start_clock);
        times[b].start_ns = (unsigned long long)(1e9 + start * ns_per_clock);
        times[b].end_ns = (unsigned long long)(1e9 + end * ns_per_clock);
    }
    summarize_blocks(times, results, clocks, blocks, minimum, event_us, row);
}

/* ---- The experiment ---- */

/* What --blocks says; else the source's five counts, and multiples of the compute units. (OpenCL
 * cannot say how many groups a unit holds at once. PoCL's are the CPU's cores, and hold one each.)
 */
static void choose_blocks(long long units) {
    const struct number_list list = {12,
                                     {1, 8, 16, 32, 64, units, units + 1, 2 * units, 4 * units,
                                      8 * units, 16 * units, 64 * units}};
    if (block_counts.count > 0)
        return;
    block_counts = list;
    sort_list(&block_counts);
}

/* Exits with 2 if a --threads is more than this device runs in a work-group. */
static void check_threads(void) {
    size_t most;
    cl_ulong local_bytes;
    CHECK_CL(clGetKernelWorkGroupInfo(kernel, device.id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                      &most, NULL));
    CHECK_CL(clGetDeviceInfo(device.id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes,
                             NULL));
    if (local_bytes / (2 * sizeof(float)) < most)
        most = local_bytes / (2 * sizeof(float));
    for (size_t t = 0; t < thread_counts.count; t++)
        if ((size_t)thread_counts.values[t] > most)
            fail(EXIT_BAD_USAGE, "--threads: '%lld' is more than the %zu that %s allows in a group",
                 thread_counts.values[t], most, device.name);
}

/* Measures one pair and prints its row, the medians of its launches. */
static void measure(const struct options *options, size_t blocks, size_t threads,
                    double ns_per_clock, const char *mark, double row[CELLS]) {
    static double samples[FIELDS][MAX_RUNS];
    for (int run = 0; run < (int)options->runs; run++) {
        run_once(blocks, threads, ns_per_clock, row);
        for (int f = 0; f < FIELDS; f++)
            samples[f][run] = row[f];
    }
    summarize_launches(samples, options->runs, row);
    print_blocks(options, device.name, blocks, threads, row, mark);
}

static cl_mem create_buffer(cl_context context, size_t bytes) {
    cl_int code;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    CHECK_CL_CODE("clCreateBuffer", code);
    return buffer;
}

int main(int argc, char **argv) {
    const struct options options =
        parse_block_options(argc, argv, "How long does one work-group take, by its unit's clock?");
    device = choose_opencl_device(options.device);
    const char *build_options = choose_clock();
    const double ns_per_clock = strstr(build_options, "TSC") ? tsc_step_ns() : 0;
    cl_uint units;
    CHECK_CL(clGetDeviceInfo(device.id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));

    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &code);
    CHECK_CL_CODE("clCreateContext", code);
    queue = clCreateCommandQueue(context, device.id, CL_QUEUE_PROFILING_ENABLE, &code);
    CHECK_CL_CODE("clCreateCommandQueue", code);
    cl_program program = build_opencl_program(context, device.id, "block_clock.cl", build_options);
    kernel = clCreateKernel(program, "timedReduction", &code);
    CHECK_CL_CODE("clCreateKernel", code);
    check_threads();
    choose_blocks(units);
    FILE *timeline_file = open_timeline();

    size_t most_blocks = 1;
    for (size_t b = 0; b < block_counts.count; b++)
        if ((size_t)block_counts.values[b] > most_blocks)
            most_blocks = (size_t)block_counts.values[b];
    results = (float *)malloc(most_blocks * sizeof *results);
    times = (struct block_time *)malloc(most_blocks * sizeof *times);
    clocks = (double *)malloc(most_blocks * sizeof *clocks);
    if (!results || !times || !clocks)
        fail(EXIT_FAILED, "no host memory for %zu blocks", most_blocks);
    const cl_int repetitions = (cl_int)work;
    input = create_buffer(context, 2 * sizeof(float) * MAX_THREADS);
    output = create_buffer(context, most_blocks * sizeof *results);
    timer = create_buffer(context, most_blocks * sizeof *times);
    CHECK_CL(clSetKernelArg(kernel, 0, sizeof input, &input));
    CHECK_CL(clSetKernelArg(kernel, 1, sizeof output, &output));
    CHECK_CL(clSetKernelArg(kernel, 2, sizeof timer, &timer));
    CHECK_CL(clSetKernelArg(kernel, 4, sizeof repetitions, &repetitions));

    if (!options.csv)
        printf("Block clock: timedReduction on %s, %s; %u units, medians of %lld launches\n\n",
               device.name, device.platform, units, options.runs);
    print_block_header(&options, "units");
    int disturbed_rows = 0;
    for (size_t t = 0; t < thread_counts.count; t++) {
        double row[CELLS] = {0}, first[CELLS] = {0};
        const size_t threads = (size_t)thread_counts.values[t];
        for (size_t b = 0; b < block_counts.count; b++) {
            const size_t blocks = (size_t)block_counts.values[b];
            measure(&options, blocks, threads, ns_per_clock,
                    blocks == units ? "as many as units" : "", row);
            disturbed_rows += row[DISTURBED] > 0;
            if (b == 0)
                memcpy(first, row, sizeof row);
            if (timeline_file && t == thread_counts.count - 1 && b == block_counts.count - 1)
                write_timeline(timeline_file, times, blocks);
        }
        if (!options.csv && row[CLOCKS_MEDIAN] < 100) /* a CPU's counter steps by some tens */
            printf("\n%zu threads are too few for this clock: a group takes but a step or two.\n",
                   threads);
        if (!options.csv && block_counts.count > 1)
            printf("\n%zu threads, from %lld to %lld blocks: a block's clocks x %.2f, the event x "
                   "%.1f.\nWhat a block waits for its place is in no block's clock.\n",
                   threads, block_counts.values[0], block_counts.values[block_counts.count - 1],
                   row[CLOCKS_MEDIAN] / first[CLOCKS_MEDIAN], row[EVENT_US] / first[EVENT_US]);
    }
    if (!options.csv)
        printf("%s", disturbed_verdict(disturbed_rows));
    flush_stdout();

    free(results);
    free(times);
    free(clocks);
    CHECK_CL(clReleaseMemObject(input));
    CHECK_CL(clReleaseMemObject(output));
    CHECK_CL(clReleaseMemObject(timer));
    CHECK_CL(clReleaseKernel(kernel));
    CHECK_CL(clReleaseProgram(program));
    CHECK_CL(clReleaseCommandQueue(queue));
    CHECK_CL(clReleaseContext(context));
    return EXIT_SUCCESS;
}
