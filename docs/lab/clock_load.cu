/* SPDX-License-Identifier: MIT
 *
 * How long does a kernel take, and how fast do the SMs run, when the whole GPU is busy for 20 seconds?
 *
 * Measures: the time per launch by an event pair, and the rate of one SM's clock in that launch, with
 *   numbers that are all zero and with random ones, in turns; beside them what NVML says: clock, power,
 *   temperature, and for which part of the time a limit of power or heat held the clock back. The
 *   results are of the second half of each turn, when the clock's first fall is over.
 * Does not measure: your kernel. How much power a kernel takes depends on what it does, and on its data.
 *
 * Build: nvcc -O2 -arch=native -I../../common clock_load.cu -o clock_load
 * Run:   ./clock_load
 * Try:   ./clock_load --runs 1200    a minute each; on a laptop, with and without its charger
 */
#include "../copy/gpu_state.h"
#include "clock.h"
#include "cuda_device.h"
#include "load.h"
#include "summary.h"

enum { BLOCKS_PER_SM = 4, LAUNCHES = 8, TURNS = 5, WINDOW = 20 /* samples */ };
static cudaEvent_t start, stop;
static char bus_id[32];

struct look {
    struct gpu_state gpu;
    int64_t ns; /* when, by the host's clock */
};

static struct look look_now(void) {
    struct look l;
    l.ns = now_ns();
    read_gpu_state(bus_id, &l.gpu); /* without NVML all is NOT_SEEN */
    return l;
}

static double seen(unsigned value) {
    return value == NOT_SEEN ? NAN : value;
}

static double percent(double part_ns, int64_t whole_ns) {
    return part_ns >= 0 ? fmin(100, 100 * part_ns / (double)whole_ns) : NAN;
}

/* The second half of each turn with zeros, and of each with random numbers. */
static struct result {
    double launch_ms[MAX_RUNS], clock_mhz[MAX_RUNS], power_w[MAX_RUNS], held_back_ns;
    int64_t passed_ns;
    size_t count;
} results[2];

/* Launches that keep the whole GPU busy, and a look meanwhile. Returns the ms of one of them. */
static double sample(struct look *look, double *clock_mhz) {
    struct rate rate;
    float elapsed_ms;
    CHECK_CUDA(cudaEventRecord(start, 0));
    for (int launch = 0; launch < LAUNCHES; launch++) {
        load<<<blocks, THREADS>>>(numbers, sums, options.work, device_rate);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaEventRecord(stop, 0));
    *look = look_now(); /* while the GPU is busy */
    CHECK_CUDA(cudaEventSynchronize(stop));
    CHECK_CUDA(cudaEventElapsedTime(&elapsed_ms, start, stop));
    CHECK_CUDA(cudaMemcpy(&rate, device_rate, sizeof rate, cudaMemcpyDeviceToHost));
    if (!(elapsed_ms > 0) || rate.clocks <= 0 || rate.ns == 0 ||
        (double)rate.ns > 1e6 * elapsed_ms + 2000)
        fail(EXIT_FAILED, "impossible: %lld clocks, %llu ns in a kernel; %g ms around all",
             rate.clocks, rate.ns, (double)elapsed_ms);
    *clock_mhz = (double)rate.clocks * 1e3 / (double)rate.ns;
    return (double)elapsed_ms / LAUNCHES;
}

/* One turn: the samples from number `from` to before `to` with one kind of numbers. A slower clock
 * makes a launch longer, but not its cycles: where these are more, others had the GPU. */
static void measure(bool random, int turn, int from, int to, int each, int64_t begin_ns) {
    static struct look looks[MAX_RUNS + 1]; /* the first one before the samples */
    static double fewest_cycles = INFINITY;
    struct result *r = &results[random];
    const int count = to - from, half = count / 2;
    set_numbers(random);
    looks[0] = look_now();
    for (int i = 1; i <= count; i++) {
        const struct look *now = &looks[i], *before = &looks[i > WINDOW ? i - WINDOW : 0];
        double clock_mhz;
        const double launch_ms = sample(&looks[i], &clock_mhz),
                     power_w = seen(now->gpu.power_mw) / 1e3;
        fewest_cycles = fmin(fewest_cycles, launch_ms * clock_mhz);
        if (i > half) {
            r->launch_ms[r->count] = launch_ms;
            r->clock_mhz[r->count] = clock_mhz;
            r->power_w[r->count++] = power_w;
        }
        cell("turn", 4, "%d", turn);
        cell("numbers", -7, "%s", random ? "random" : "zeros");
        number("since", "s", 9, 2, (double)(now_ns() - begin_ns) / 1e9);
        number("launch", "ms", 11, 3, launch_ms);
        number("clock", "MHz", 11, 0, clock_mhz);
        number("nvml_clock", "MHz", 16, 0, seen(now->gpu.sm_mhz));
        number("power", "W", 9, 0, power_w);
        number("temperature", "C", 15, 0, seen(now->gpu.temperature_c));
        number("held_back", "percent", 19, 0,
               percent(gpu_held_back_ns(&before->gpu, &now->gpu), now->ns - before->ns));
        const double more_ms = launch_ms - fewest_cycles / clock_mhz;
        const bool disturbed = more_ms > 0.2 * launch_ms && more_ms > 16 * step_us / 1e3;
        ((from + i) % each == 0 ? end_row : end_record_row)(disturbed);
    }
    const struct look end = look_now();
    r->held_back_ns += gpu_held_back_ns(&looks[half].gpu, &end.gpu);
    r->passed_ns += end.ns - looks[half].ns;
    check_loads(random);
}

/* A named value of one kind of numbers. Returns it. */
static double value_of(bool random, const char *what, const char *unit, double x) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s", random ? "random" : "zeros", what);
    return x == x ? value(name, unit, x) : x; /* without NVML there is none */
}

/* Returns the time of a launch in milliseconds. */
static double say_result(bool random) {
    struct result *r = &results[random];
    const double launch_ms = value_of(random, "launch", "ms", median(r->launch_ms, r->count));
    const double mhz = value_of(random, "clock", "mhz", median(r->clock_mhz, r->count));
    const double power_w = value_of(random, "power", "w", median(r->power_w, r->count));
    const double held_percent =
        value_of(random, "held_back", "percent", percent(r->held_back_ns, r->passed_ns));
    say("With %s a launch takes %.3f ms, at %.0f MHz by the SM's counter",
        random ? "random numbers" : "zeros", launch_ms, mhz);
    if (power_w == power_w && held_percent == held_percent)
        say(" and %.0f W;\npower or heat held the clock back for %.0f %% of the time", power_w,
            held_percent);
    say(".\n");
    return launch_ms;
}

int main(int argc, char **argv) {
    int device;
    options.device = "";
    options.runs = 200;
    options.work = 65536;
    parse_options(argc, argv, "How fast is a GPU that is busy for 20 seconds?");
    const struct cudaDeviceProp properties = open_cuda();
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, device));
    nvml = open_gpu_state() ? nvml : NULL;
    set_up_load(BLOCKS_PER_SM * (unsigned)properties.multiProcessorCount);
    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop));

    const int runs = (int)options.runs, turns = runs < TURNS ? runs : TURNS, each = (runs + 9) / 10;
    begin_table("%s, all of it busy: %u blocks, %lld steps; %d samples of %d launches with zeros\n"
                "and as many with random numbers, in %d turns of each, 1 sample in %d shown;\n"
                "launch by event pairs, clock by an SM's own counter, %s\n\n",
                machine.device, blocks, options.work, runs, LAUNCHES, turns, each,
                nvml ? "the others by NVML" : "and no NVML for the others");
    const int64_t begin_ns = now_ns();
    for (int turn = 0; turn < turns; turn++)
        for (int random = 0; random < 2; random++)
            measure(random, turn + 1, runs * turn / turns, runs * (turn + 1) / turns, each,
                    begin_ns);
    end_table();
    say("Medians of the second half of each turn:\n");
    const double zeros_ms = say_result(false), random_ms = say_result(true);
    const double more_percent = value("random_more", "percent", 100 * (random_ms / zeros_ms - 1));
    say("With random numbers the same kernel takes %.1f %% %s time.\n", fabs(more_percent),
        more_percent < 0 ? "less" : "more");
    return EXIT_SUCCESS;
}
