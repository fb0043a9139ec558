/* SPDX-License-Identifier: MIT
 *
 * May each launch of a benchmark have the same input?
 *
 * Measures: a kernel of one work-item that goes one way or the other by each number of its input,
 *   in blocks of 10 launches: with the same random input in each, with new random input in each,
 *   with zeros, and with the same random input sorted; the first and the last launch of each block,
 *   from START to END. Every launch has its input written anew, so that the caches are alike.
 * Does not measure: what divergence costs on a GPU; there is only one work-item.
 *
 * Build: cc -O2 -I../../common same_input_opencl.c -o same_input_opencl -lOpenCL -lm
 * Run:   ./same_input_opencl
 * Try:   ./same_input_opencl --size 262144        more than a processor can learn by heart
 */
#include "../../03_opencl_profiling/stamps.h"
#include "clock.h"
#include "opencl.h"
#include "summary.h"

enum { LAUNCHES = 10 }; /* of a block: the first ones may be needed to learn the input */
enum input { SAME, NEW, ZEROS, SORTED, INPUTS };
static const char *const names[INPUTS] = {"same", "new", "zeros", "sorted"};

static cl_kernel walk;
static cl_mem data, result;
static size_t count;

/* ---- The inputs ---- */

static void fill_random(cl_uint *numbers) {
    static cl_uint x = 2463534242; /* xorshift32: Marsaglia, "Xorshift RNGs", 2003 */
    for (size_t i = 0; i < count; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        numbers[i] = x >> 3;
    }
}

/* By the last bit, which decides the way: first all that go one way, then all others. */
static int compare_ways(const void *left, const void *right) {
    return (int)(*(const cl_uint *)left & 1) - (int)(*(const cl_uint *)right & 1);
}

static cl_uint *new_input(enum input input, const cl_uint *same) {
    cl_uint *numbers = (cl_uint *)malloc(count * sizeof *numbers);
    if (!numbers)
        fail(EXIT_FAILED, "no host memory for %zu numbers", count);
    if (input == SORTED)
        qsort(memcpy(numbers, same, count * sizeof *numbers), count, sizeof *numbers, compare_ways);
    else if (input == ZEROS)
        memset(numbers, 0, count * sizeof *numbers);
    else
        fill_random(numbers);
    return numbers;
}

/* What the kernel must find. */
static cl_uint walk_on_host(const cl_uint *numbers) {
    cl_uint x = 1;
    for (size_t i = 0; i < count; i++)
        if (numbers[i] & 1) {
            x = (x ^ x >> 15) * 2246822519u + numbers[i];
            x ^= x >> 13;
        } else {
            x = (x ^ x >> 16) * 3266489917u - numbers[i];
            x ^= x >> 11;
        }
    return x;
}

/* ---- One launch ---- */

/* From START to END. *overhead_us: how much longer the host waited. */
static double time_walk_us(const cl_uint *numbers, cl_uint right, double *overhead_us) {
    const size_t one = 1;
    cl_event event;
    cl_uint found = ~right;
    CHECK_CL(clEnqueueWriteBuffer(cl.queue, data, CL_TRUE, 0, count * sizeof *numbers, numbers, 0,
                                  NULL, NULL));
    CHECK_CL(
        clEnqueueWriteBuffer(cl.queue, result, CL_TRUE, 0, sizeof found, &found, 0, NULL, NULL));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(cl.queue, walk, 1, NULL, &one, &one, 0, NULL, &event));
    CHECK_CL(clFinish(cl.queue));
    const double host_us = (double)(now_ns() - start_ns) / 1e3;
    const double us = take_start_to_end_us(event, host_us);
    *overhead_us = host_us - us;
    CHECK_CL(
        clEnqueueReadBuffer(cl.queue, result, CL_TRUE, 0, sizeof found, &found, 0, NULL, NULL));
    if (found != right)
        fail(EXIT_FAILED, "walk is wrong: it finds %u, not %u", found, right);
    return us;
}

int main(int argc, char **argv) {
    static double first_us[INPUTS][MAX_RUNS], last_us[INPUTS][MAX_RUNS];
    static double overhead_us[INPUTS][MAX_RUNS];
    cl_uint *inputs[INPUTS] = {NULL}, *fresh[LAUNCHES], right[LAUNCHES];
    struct summary first[INPUTS], last[INPUTS];
    options.device = "";
    options.runs = 31;
    options.size = 4096;
    parse_options(argc, argv, "May each launch of a benchmark have the same input?");
    const size_t runs = (size_t)options.runs;
    count = (size_t)options.size;
    open_opencl(CL_QUEUE_PROFILING_ENABLE);
    check_size(options.size, 4, 4);
    const cl_program program = build_program("same_input_opencl.cl", "");
    MAKE_CL(walk = clCreateKernel(program, "walk", &cl_error));
    MAKE_CL(data = clCreateBuffer(cl.context, CL_MEM_READ_ONLY, count * sizeof(cl_uint), NULL,
                                  &cl_error));
    MAKE_CL(result =
                clCreateBuffer(cl.context, CL_MEM_READ_WRITE, sizeof(cl_uint), NULL, &cl_error));
    const cl_ulong numbers = count;
    CHECK_CL(clSetKernelArg(walk, 0, sizeof data, &data));
    CHECK_CL(clSetKernelArg(walk, 1, sizeof result, &result));
    CHECK_CL(clSetKernelArg(walk, 2, sizeof numbers, &numbers));
    for (int i = SAME; i < INPUTS; i++)
        inputs[i] = new_input((enum input)i, inputs[SAME]);
    for (int l = 0; l < LAUNCHES; l++)
        fresh[l] = new_input(NEW, NULL);
    /* The warm-up, with the input that comes before SAME in each later round, too. */
    time_walk_us(inputs[SORTED], walk_on_host(inputs[SORTED]), &overhead_us[SORTED][0]);

    for (size_t run = 0; run < runs; run++)   /* in turns: each meets the same machine */
        for (int i = SAME; i < INPUTS; i++) { /* no work between the launches: it is done before */
            for (int l = 0; l < LAUNCHES; l++) {
                if (i == NEW)
                    fill_random(fresh[l]);
                right[l] = walk_on_host(i == NEW ? fresh[l] : inputs[i]);
            }
            for (int l = 0; l < LAUNCHES; l++) {
                last_us[i][run] =
                    time_walk_us(i == NEW ? fresh[l] : inputs[i], right[l], &overhead_us[i][run]);
                first_us[i][run] = l == 0 ? last_us[i][run] : first_us[i][run];
            }
        }

    begin_table("The same input: a walk through %zu numbers on %s, from START to END\n"
                "Medians of the first and of the last launch in %zu times %d launches\n\n",
                count, cl.name, runs, LAUNCHES);
    for (int i = SAME; i < INPUTS; i++) {
        first[i] = summarize_us(first_us[i], runs);
        last[i] = summarize_us(last_us[i], runs);
        if (!(last[i].median > 0))
            fail(EXIT_FAILED, "impossible: a median of %g us; --size %zu is too short",
                 last[i].median, count);
        label("input", 6, names[i]);
        number("first launch", "us", 2, first[i].median);
        number("last launch", "us", 2, last[i].median);
        cell("last_to_same", "%.2f", last[i].median / last[SAME].median);
        end_row(first[i].disturbed || last[i].disturbed ||
                is_delayed(median(overhead_us[i], runs)));
    }
    end_table();
    say("With new input the last launch takes %.2f times as long as with the same input again.\n"
        "Where that is far from 1, a benchmark that repeats its input promises too much.\n",
        last[NEW].median / last[SAME].median);
    return EXIT_SUCCESS;
}
