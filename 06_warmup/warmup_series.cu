/* SPDX-License-Identifier: MIT
 *
 * After how many launches is a kernel warm: its time no longer changes?
 *
 * Measures: each of the first 100 launches of vector_add in a process that has never run it, by an
 *   event pair and by the host's clock.
 * Does not measure: the cost of the CUDA context, which is there before the first launch.
 *
 * Build: nvcc -O2 -arch=native -I../common warmup_series.cu -o warmup_series
 * Run:   ./warmup_series
 * Try:   ./warmup_series --size 1024        a short kernel: the first launch is almost all overhead
 */
#include "clock.h"
#include "cold.h"
#include "device_vectors.h"
#include "stats.h"

enum { LAUNCHES = 100, LAST_LAUNCHES = 50, BEFORE = LAUNCHES - LAST_LAUNCHES };
static const double near_percent = 10; /* so close to the steady state counts as steady */

static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

/* ---- One launch ---- */

struct experiment {
    size_t n;
    float *a, *b, *c; /* on the device, n floats each */
    cudaEvent_t start, stop;
};

/* What the device waits for between the two events is in both times. */
static void time_vector_add_us(const struct experiment *e, double *device_us, double *host_us) {
    const unsigned blocks = (unsigned)((e->n + 255) / 256);
    const int64_t start_ns = now_ns();
    CHECK_CUDA(cudaEventRecord(e->start, 0));
    vector_add<<<blocks, 256>>>(e->a, e->b, e->c, e->n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(e->stop, 0));
    CHECK_CUDA(cudaEventSynchronize(e->stop));
    const int64_t end_ns = now_ns();
    *host_us = (double)(end_ns - start_ns) / 1e3;
    *device_us = elapsed_us(e->start, e->stop);
    if (*device_us == 0)
        fail(EXIT_FAILED, "impossible: 0 us between the events around a kernel");
}

/* ---- The cold process ---- */

/* The input and the results of a cold process. */
struct process {
    const char *wanted; /* the text of --device */
    long long size;
    char device[256], driver[64];
    double device_us[LAUNCHES], host_us[LAUNCHES]; /* of each launch, by either's clock */
};

static void run_cold(void *data) {
    struct process *p = (struct process *)data;
    struct experiment e = {};
    const struct gpu gpu = open_cuda(p->wanted);
    e.n = (size_t)p->size;
    check_free_memory(p->size, 3.0 * (double)e.n * sizeof(float));
    e.a = new_vector(A, e.n);
    e.b = new_vector(B, e.n);
    e.c = new_vector(C, e.n);
    e.start = new_event();
    e.stop = new_event();

    for (int i = 0; i < LAUNCHES; i++)
        time_vector_add_us(&e, &p->device_us[i], &p->host_us[i]);

    check_vector_add(e.c, e.n);
    snprintf(p->device, sizeof p->device, "%s", gpu.properties.name);
    snprintf(p->driver, sizeof p->driver, "%s", gpu.driver);
}

/* ---- The table, and the words below it ---- */

/* All launches are in the record; the table shows some of them. */
static void print_launches(const struct process *p, unsigned marks) {
    struct table table = {};
    for (int i = 0; i < LAUNCHES; i++) {
        number(&table, "launch", 0, i + 1);
        number(&table, "device_us", 2, p->device_us[i]);
        number(&table, "host_us", 2, p->host_us[i]);
        if (i < 10 || i % 10 == 9)
            end_row(&table, marks);
        else
            end_record_row(&table, marks);
    }
    end_table(&table);
}

/* Says which launch is the first that is near the steady state, and whether the others stay there.
 * The host's clock tells how long those before it took together. */
static void print_first_near(const double *us, const double *host_us, double steady_us) {
    const double near_us = steady_us * near_percent / 100;
    double before_it_ms = 0;
    int first_near = 0, far_after = 0;
    while (first_near < LAUNCHES && fabs(us[first_near] - steady_us) > near_us)
        before_it_ms += host_us[first_near++] / 1e3;
    for (int i = first_near + 1; i < LAUNCHES; i++)
        far_after += fabs(us[i] - steady_us) > near_us;
    if (first_near == LAUNCHES) {
        say("No launch is within %.0f %% of the steady state.\n", near_percent);
        return;
    }
    value("first_near_launch", first_near + 1);
    value("before_it_ms", before_it_ms);
    value("far_after_it", far_after);
    say("Launch %d is the first within %.0f %% of it, after %.2f ms; "
        "of the %d launches after it\n%d are farther off.\n",
        first_near + 1, near_percent, before_it_ms, LAUNCHES - 1 - first_near, far_after);
}

int main(int argc, char **argv) {
    static struct process process;
    const char *device = "";
    long long size = 1 << 24;
    double overhead_us[LAST_LAUNCHES]; /* how much longer the host waited */
    const struct arg args[] = {ARG_DEVICE(&device), ARG_SIZE(&size), END_OF_ARGS};
    parse_args(argc, argv, "After how many launches is a kernel's time steady?", args);

    setenv("CUDA_MODULE_LOADING", "LAZY", 1); /* the default of today; lazy_loading.cu has both */
    process.wanted = device;
    process.size = size;
    in_new_process(run_cold, &process, sizeof process);

    const struct summary last_device = summarize_us(process.device_us + BEFORE, LAST_LAUNCHES),
                         last_host = summarize_us(process.host_us + BEFORE, LAST_LAUNCHES);
    for (int i = 0; i < LAST_LAUNCHES; i++)
        overhead_us[i] = process.host_us[BEFORE + i] - process.device_us[BEFORE + i];
    begin_record(args, process.device, process.driver);
    say("The first launches: vector_add of %lld floats on %s,\n"
        "by the device's clock (event pairs) and by the host's\n\n",
        size, process.device);
    print_launches(
        &process, last_device.marks | last_host.marks |
                      mark_delay(median(overhead_us, LAST_LAUNCHES)) |
                      mark_drift(process.device_us + BEFORE, LAST_LAUNCHES, jitter_us, gpu_factor));

    const double steady_us = value("steady_us", last_device.median);
    say("The steady state by event pairs is %.2f us, the median of the last %d launches; "
        "the first\nlaunch took %.1f times as long.\n",
        steady_us, LAST_LAUNCHES, value("first_to_steady", process.device_us[0] / steady_us));
    print_first_near(process.device_us, process.host_us, steady_us);
    return EXIT_SUCCESS;
}
