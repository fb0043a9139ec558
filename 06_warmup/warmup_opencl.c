/* SPDX-License-Identifier: MIT
 *
 * How far off is the first launch of a kernel on any OpenCL device, and which warm-up fixes it?
 *
 * Measures: five recipes, each in a new process that has never run the kernel, against the steady
 *   state of the same process; and launch 1 from START to END, which PoCL's compiling is not in.
 * Does not measure: building the program, which is done before the first launch.
 *
 * Build: cc -O2 -I../common warmup_opencl.c -o warmup_opencl -lOpenCL -lm
 * Run:   ./warmup_opencl
 * Try:   ./warmup_opencl --size 1024 --runs 5        a short kernel; how far do processes differ?
 */
#include "cores.h"
#include "opencl.h"
#include "vectors.h"

#include <sys/wait.h> /* and <signal.h> */

struct experiment {
    cl_ulong n;                            /* floats in each vector */
    size_t bytes, global_size, local_size; /* of a vector; work-items in all and in a group */
    struct opencl cl;
    cl_kernel vector_add, other_kernel; /* in warmup_opencl.cl */
    cl_mem c;                           /* of the three vectors */
    struct cores seen[2];               /* who had the processor until this process began */
};

struct launches { /* all those of vector_add in this process */
    size_t count;
    double us[131], start_to_end_us[131];
};

/* By the host's clock. What the driver does before START is in this time only. */
static double time_us(const struct experiment *x, struct launches *l) {
    cl_event event;
    CHECK_CL(clFinish(x->cl.queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(x->cl.queue, x->vector_add, 1, NULL, &x->global_size,
                                    &x->local_size, 0, NULL, &event));
    CHECK_CL(clFinish(x->cl.queue));
    const double us = (double)(now_ns() - start_ns) / 1e3;
    l->start_to_end_us[l->count] = start_to_end_us(event, us);
    return l->us[l->count++] = us;
}

static void launch_other_kernel(const struct experiment *x) {
    CHECK_CL(clEnqueueNDRangeKernel(x->cl.queue, x->other_kernel, 1, NULL, &x->global_size,
                                    &x->local_size, 0, NULL, NULL));
    CHECK_CL(clFinish(x->cl.queue));
}

/* ---- The recipes: each returns microseconds ---- */

/* Wrong: the first launch also waits until the kernel is loaded or compiled. */
static double first_launch_us(const struct experiment *x, struct launches *l) {
    return time_us(x, l);
}

/* Wrong: a hundredth of the first launch's extra time stays in the mean. */
static double mean_of_100_us(const struct experiment *x, struct launches *l) {
    double sum_us = 0;
    for (int i = 0; i < 100; i++)
        sum_us += time_us(x, l);
    return sum_us / 100;
}

/* Wrong: the device is awake now, but the kernel itself is still to be compiled. */
static double other_kernel_then_one_us(const struct experiment *x, struct launches *l) {
    launch_other_kernel(x);
    return time_us(x, l);
}

/* Wrong: it warms up with the other kernel, so one launch in ten is still a first one. */
static double other_kernel_then_mean_of_10_us(const struct experiment *x, struct launches *l) {
    double sum_us = 0;
    launch_other_kernel(x);
    for (int i = 0; i < 10; i++)
        sum_us += time_us(x, l);
    return sum_us / 10;
}

/* Right: the kernel that is to be timed is the one that warms up. Of the launches after that the
 * median, not the mean: a few slow ones do not move it. */
static double warm_then_median_us(const struct experiment *x, struct launches *l) {
    double us[31];
    time_us(x, l); /* the warm-up, which does not count */
    for (int i = 0; i < 31; i++)
        us[i] = time_us(x, l);
    return median(us, 31);
}

/* Forks. The new process sets up, and gets true. The old one, which never calls OpenCL, waits and
 * gets false. If the child fails, it says why, and the parent ends as it did. */
static bool is_new_process(struct experiment *x, const char *device) {
    cl_int status, error; /* an int */
    fflush(NULL);         /* else the child prints a second time what is not yet written */
    const pid_t child = fork();
    if (child == 0) {
        x->seen[0] = x->seen[1] = cores_now();
        x->cl = open_opencl(device, CL_QUEUE_PROFILING_ENABLE);
        x->vector_add = build_kernel(&x->cl, "warmup_opencl.cl", "", "vector_add");
        cl_program both; /* kernels are in it */
        CHECK_CL(clGetKernelInfo(x->vector_add, CL_KERNEL_PROGRAM, sizeof both, &both, NULL));
        x->other_kernel = clCreateKernel(both, "other_kernel", &error);
        check_cl(error, "clCreateKernel", __FILE__, __LINE__);
        for (cl_uint v = A; v <= C; v++) {
            x->c = new_buffer(&x->cl, x->bytes); /* which refuses a size too large for the device */
            float *host = host_vector(v, x->n);
            CHECK_CL(
                clEnqueueWriteBuffer(x->cl.queue, x->c, CL_TRUE, 0, x->bytes, host, 0, NULL, NULL));
            CHECK_CL(clSetKernelArg(x->vector_add, v, sizeof x->c, &x->c));
            free(host);
        }
        CHECK_CL(clSetKernelArg(x->vector_add, 3, sizeof x->n, &x->n));
        CHECK_CL(clSetKernelArg(x->other_kernel, 0, sizeof x->c, &x->c));
        CHECK_CL(clSetKernelArg(x->other_kernel, 1, sizeof x->n, &x->n));
        return true;
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        err(EXIT_FAILED, "fork or waitpid");
    if (status != 0)
        exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return false;
}

/* Exits with 1 unless vector_add has left the sums in c, and other_kernel then fills all of it. */
static void check_kernels(const struct experiment *x) {
    float *host = host_vector(C, x->n);
    CHECK_CL(clEnqueueReadBuffer(x->cl.queue, x->c, CL_TRUE, 0, x->bytes, host, 0, NULL, NULL));
    check_sums(host, x->n);
    launch_other_kernel(x);
    CHECK_CL(clEnqueueReadBuffer(x->cl.queue, x->c, CL_TRUE, 0, x->bytes, host, 0, NULL, NULL));
    for (size_t i = 0; i < x->n; i++)
        if (host[i] != -2)
            errx(EXIT_FAILED, "other_kernel is wrong at element %zu: %g, not -2", i, host[i]);
}

/* Measures the steady state, which is the truth here, checks the results, and prints the row. */
static int finish(struct experiment *x, struct launches *l, const char *recipe, size_t run,
                  double estimate_us) {
    const double *us = l->us + l->count, *on_device_us = l->start_to_end_us + l->count;
    for (int i = 0; i < 31; i++)
        time_us(x, l);
    const double steady_us = median(us, 31), late_us = steady_us - median(on_device_us, 31);
    const unsigned doubts = doubt_us(us, 31, x->cl.is_cpu) | doubt_wait(late_us);
    check_kernels(x);
    printf("%-28s %3zu %11.3f %17.3f %11.3f %11.3f %9.3f %13.1f %s\n", recipe, run, l->us[0],
           l->start_to_end_us[0], l->us[1], estimate_us, steady_us,
           100 * (estimate_us - steady_us) / steady_us, first_doubt(doubts | doubt_cores(x->seen)));
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    struct args args = begin_args(argc, argv);
    const size_t runs = number_arg(&args, "--runs", "1", MAX_RUNS, "new processes of each recipe");
    struct launches l = {0};
    const size_t n = number_arg(&args, "--size", "16777216", MAX_SIZE, "floats in each vector");
    const char *device = text_arg(&args, "--device", "", "number, or text in its name; list: all");
    end_args(&args);
    struct experiment x = {n, n * sizeof(float), (n + 255) / 256 * 256, .local_size = 256};
    setenv("CUDA_CACHE_DISABLE", "1", 1); /* NVIDIA keeps no compiled kernels for a later process */
    setenv("POCL_KERNEL_CACHE", "0", 1);  /* PoCL */
    setenv("NEO_CACHE_PERSISTENT", "0", 1); /* Intel's GPUs */
    setenv("AMD_COMGR_CACHE", "0", 1);      /* AMD */
    if (is_new_process(&x, device)) {
        print_head(x.cl.name);
        printf("# runs %zu\n# size %zu\n"
               "# Each row is a new process. steady_us is its median of 31 later launches.\n"
               "recipe                       run launch_1_us start_to_end_1_us launch_2_us "
               "estimate_us steady_us error_percent disturbed\n",
               runs, n);
        return EXIT_SUCCESS;
    }
    if (strcmp(device, "list") == 0) /* the child has printed it */
        return EXIT_SUCCESS;
    for (size_t run = 1; run <= runs; run++) { /* in turns: each meets the same machine */
        if (is_new_process(&x, device))
            return finish(&x, &l, "first_launch", run, first_launch_us(&x, &l));
        if (is_new_process(&x, device))
            return finish(&x, &l, "mean_of_100", run, mean_of_100_us(&x, &l));
        if (is_new_process(&x, device))
            return finish(&x, &l, "other_kernel_then_one", run, other_kernel_then_one_us(&x, &l));
        if (is_new_process(&x, device))
            return finish(&x, &l, "other_kernel_then_mean_of_10", run,
                          other_kernel_then_mean_of_10_us(&x, &l));
        if (is_new_process(&x, device))
            return finish(&x, &l, "warm_then_median", run, warm_then_median_us(&x, &l));
    }
    return EXIT_SUCCESS;
}
