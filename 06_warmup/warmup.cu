/* SPDX-License-Identifier: MIT
 *
 * How far off is the first launch of a kernel, and which warm-up mends it?
 *
 * Measures: the first launches of vector_add, one by one; then five recipes from cold, each in a
 *   process of its own that never ran the kernel, against the steady state of that same process.
 * Does not measure: the cost of the CUDA context, which is there before the first launch.
 *
 * Build: nvcc -O2 -arch=native -I../common warmup.cu -o warmup
 * Run:   ./warmup
 * Try:   ./warmup --series        every launch of one process; ./warmup --size 1024 --runs 9
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_device.h"
#include "host_clock.h"
#include "options.h"
#include "summary.h"
#include "vector_data.h"

enum { SERIES = 100, STEADY = 31, KEY_SERIES = KEY_OWN };
static bool series_only;

/* ---- Kernels: the one under study, and another to warm up with ---- */

static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

static __global__ void other_kernel(float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = -1;
}

/* ---- One launch ---- */

static size_t n;
static float *a, *b, *c;
static cudaEvent_t start, stop;

/* One launch of vector_add between two events. Stores what the host's clock saw in *host_us. */
static double time_vector_add_us(double *host_us) {
    float event_ms;
    const int64_t start_ns = now_ns();
    CHECK_CUDA(cudaEventRecord(start, 0));
    vector_add<<<(unsigned)((n + 255) / 256), 256>>>(a, b, c, n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    *host_us = (double)(now_ns() - start_ns) / 1e3;
    CHECK_CUDA(cudaEventElapsedTime(&event_ms, start, stop));
    if (!(event_ms > 0))
        fail(EXIT_FAILED, "impossible: %g ms between two events", (double)event_ms);
    return (double)event_ms * 1e3;
}

static void launch_other_kernel(void) {
    other_kernel<<<(unsigned)((n + 255) / 256), 256>>>(c, n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
}

/* ---- The recipes: each returns its estimate in us, and leaves the first launch's time ---- */

static double first_us;

static double mean_of_launches(int launches) {
    double host_us, sum_us = 0;
    for (int i = 0; i < launches; i++) {
        const double event_us = time_vector_add_us(&host_us);
        sum_us += event_us;
        first_us = i == 0 ? event_us : first_us;
    }
    return sum_us / launches;
}

/* No warm-up at all. */
static double first_launch(void) {
    return mean_of_launches(1);
}

/* The first launch's extra time, spread over a hundred: less of it, but never gone. */
static double mean_of_100(void) {
    return mean_of_launches(100);
}

/* The device is awake now, but vector_add itself is still to be loaded. */
static double other_kernel_then_one(void) {
    launch_other_kernel();
    return mean_of_launches(1);
}

static double warm_then_mean_of_10(void) {
    launch_other_kernel();
    return mean_of_launches(10);
}

/* Ours: what is to be timed is what warms up; and of the rest the median, not the mean. */
static double warm_then_median(void) {
    double samples_us[31], host_us;
    first_us = time_vector_add_us(&host_us);
    for (int i = 0; i < 31; i++)
        samples_us[i] = time_vector_add_us(&host_us);
    return median(samples_us, 31);
}

static const struct {
    const char *name;
    int launches; /* of vector_add */
    double (*run)(void);
} recipes[] = {{"first_launch", 1, first_launch},
               {"mean_of_100", 100, mean_of_100},
               {"other_kernel_then_one", 1, other_kernel_then_one},
               {"warm_then_mean_of_10", 10, warm_then_mean_of_10},
               {"warm_then_median", 32, warm_then_median}};
enum { RECIPES = sizeof recipes / sizeof recipes[0] };

/* ---- Cold means cold: a process for each ---- */

struct outcome {
    char device[256];
    double first_us, estimate_us, steady_us;
    double event_us[SERIES], host_us[SERIES]; /* of the series */
};

/* What the process does: sets up, runs the recipe (NULL: the series), then finds the steady state
 * and checks the result. */
static void run_cold(const char *wanted, double (*recipe)(void), struct outcome *o) {
    double samples_us[STEADY], host_us;
    const struct cuda_device device = choose_cuda_device(wanted);
    snprintf(o->device, sizeof o->device, "%s", device.name);
    check_cuda_memory((long long)n, 3.0 * (double)n * sizeof(float));
    a = device_floats(n, input_a);
    b = device_floats(n, input_b);
    c = device_floats(n, NULL);
    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop));

    if (recipe)
        o->estimate_us = recipe();
    else
        for (int i = 0; i < SERIES; i++)
            o->event_us[i] = time_vector_add_us(&o->host_us[i]);
    o->first_us = recipe ? first_us : o->event_us[0];

    for (int i = 0; i < STEADY; i++)
        samples_us[i] = time_vector_add_us(&host_us);
    o->steady_us = median(samples_us, STEADY);
    check_vector_add(copy_to_host(c, n), n);
}

/* Runs `recipe` in a new process, with the environment's `loading` of modules: LAZY or EAGER. Ends
 * as the process did if that failed; it has said why. (This process must not touch CUDA before: a
 * child cannot use its parent's context.) */
static struct outcome in_new_process(const char *wanted, double (*recipe)(void),
                                     const char *loading) {
    struct outcome o;
    int ends[2], status = 0;
    fflush(stdout);
    if (pipe(ends) != 0)
        fail(EXIT_FAILED, "pipe: %s", strerror(errno));
    const pid_t child = fork();
    if (child < 0)
        fail(EXIT_FAILED, "fork: %s", strerror(errno));
    if (child == 0) {
        memset(&o, 0, sizeof o);
        setenv("CUDA_CACHE_DISABLE", "1", 1); /* no compiled kernel from an earlier run */
        setenv("CUDA_MODULE_LOADING", loading, 1);
        run_cold(wanted, recipe, &o);
        _exit(write(ends[1], &o, sizeof o) == (ssize_t)sizeof o ? EXIT_SUCCESS : EXIT_FAILED);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t more;
         got < sizeof o && (more = read(ends[0], (char *)&o + got, sizeof o - got)) > 0;)
        got += (size_t)more;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        fail(EXIT_FAILED, "the cold process died of signal %d", WTERMSIG(status));
    if (got < sizeof o)
        exit(WEXITSTATUS(status)); /* after --device list, that is success */
    return o;
}

/* ---- Reporting ---- */

static error_t parse_own_option(int key, char *value, struct argp_state *state) {
    (void)value, (void)state;
    if (key != KEY_SERIES)
        return ARGP_ERR_UNKNOWN;
    series_only = true;
    return 0;
}

int main(int argc, char **argv) {
    static const struct argp_option own_options[] = {
        {"series", KEY_SERIES, NULL, 0, "Print the first 100 launches of one process instead", 0},
        {NULL, 0, NULL, 0, NULL, 0}};
    static const struct argp own = {own_options, parse_own_option, NULL, NULL, NULL, NULL, NULL};
    static double samples[4][MAX_RUNS]; /* first, estimate, steady, error */
    struct options options =
        default_options("How far off is the first launch, and which warm-up mends it?");
    options.has_device = true;
    options.runs = 3;
    options.size = 1 << 24;
    options.own = &own;
    parse_options(argc, argv, &options);
    const size_t runs = (size_t)options.runs;
    n = (size_t)options.size;

    const struct outcome series = in_new_process(options.device, NULL, "LAZY");
    if (series_only) {
        printf(options.csv ? "launch,event_us,host_us\n" : "%8s %12s %12s\n", "launch", "event us",
               "host us");
        for (int i = 0; i < SERIES; i++)
            printf(options.csv ? "%d,%.3f,%.3f\n" : "%8d %12.2f %12.2f\n", i + 1,
                   series.event_us[i], series.host_us[i]);
        flush_stdout();
        return EXIT_SUCCESS;
    }

    if (options.csv)
        printf("device,recipe,launches,first_us,estimate_us,steady_us,error_percent\n");
    else
        printf("Warm-up: vector_add of %zu floats on %s; by event pairs\n"
               "One cold process, launch by launch, us: %.2f %.2f %.2f %.2f ... %.2f\n\n"
               "Five recipes from cold; medians of %zu processes each\n\n"
               "%-24s %9s %12s %12s %12s %9s\n",
               n, series.device, series.event_us[0], series.event_us[1], series.event_us[2],
               series.event_us[3], series.event_us[SERIES - 1], runs, "recipe", "launches",
               "first us", "estimate us", "steady us", "error %");
    for (int r = 0; r < RECIPES; r++) {
        for (size_t run = 0; run < runs; run++) {
            const struct outcome o = in_new_process(options.device, recipes[r].run, "LAZY");
            samples[0][run] = o.first_us;
            samples[1][run] = o.estimate_us;
            samples[2][run] = o.steady_us;
            samples[3][run] = 100 * (o.estimate_us - o.steady_us) / o.steady_us;
        }
        const double first = median(samples[0], runs), estimate = median(samples[1], runs);
        const double steady = median(samples[2], runs), error = median(samples[3], runs);
        if (options.csv)
            printf("%s,%s,%d,%.3f,%.3f,%.3f,%.3f\n", series.device, recipes[r].name,
                   recipes[r].launches, first, estimate, steady, error);
        else
            printf("%-24s %9d %12.2f %12.2f %12.2f %9.1f\n", recipes[r].name, recipes[r].launches,
                   first, estimate, steady, error);
        flush_stdout();
    }
    if (!options.csv) {
        const struct outcome lazy = in_new_process(options.device, first_launch, "LAZY");
        const struct outcome eager = in_new_process(options.device, first_launch, "EAGER");
        printf("\nFirst launch with CUDA_MODULE_LOADING=LAZY %.2f us, EAGER %.2f us; one process "
               "each.\n",
               lazy.first_us, eager.first_us);
        flush_stdout();
    }
    return EXIT_SUCCESS;
}
