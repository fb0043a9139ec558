/* SPDX-License-Identifier: MIT
 *
 * How fast do the SMs run: after a pause, and when the whole GPU is busy for 20 seconds?
 *
 * Measures: the rate of one SM's clock against the GPU's timer: for a millisecond each, after three
 *   seconds of nothing; then in kernels that take much power, in turns: on the tensor cores with
 *   numbers that are all zero and with random ones, and without tensor cores. Beside it the time
 *   per launch by an event pair, and what NVML says: clock, power, temperature, and for which part
 *   of the time a limit of power or heat held the clock back. The results are of the second half of
 *   each turn, when the clock's first fall is over.
 * Does not measure: your kernel. How much power a kernel takes depends on what
 *   it does, and on its data.
 *
 * Build: nvcc -O2 -arch=native -I../../common sm_clock.cu -o sm_clock
 * Run:   ./sm_clock
 * Try:   ./sm_clock --runs 1200    a minute each; on a laptop, with and without its charger
 */
#include "sm_sample.h"
#include "summary.h"

enum { PAUSE_S = 3, NEAR_PERCENT = 1 };
enum { BLOCKS_PER_SM = 4, LAUNCHES = 8, TURNS = 5, WINDOW = 20 /* samples */ };

/* Zeros and random numbers on the tensor cores; random numbers without them. */
enum kind { ZEROS, RANDOM, FMA, KINDS };
static const char *const names[KINDS] = {"zeros", "random", "fma"};

/* The second half of each turn, of each kind. */
static struct result {
    double launch_ms[MAX_RUNS], clock_mhz[MAX_RUNS], power_w[MAX_RUNS], held_back_ns;
    double fewest_cycles; /* of a launch, of all its samples */
    int64_t passed_ns;
    size_t count, powers; /* NVML does not see the power each time */
} results[KINDS];

/* A pause, and then `count` samples of one SM. Returns the number of the first one from which on
 * the clock stays near the last one's. */
static int measure_after_pause(struct sample *samples, int count, int each) {
    int steady = count - 1;
    sample_one_sm(&samples[0]); /* the first launch loads the kernel */
    sleep_for_ns(PAUSE_S * 1000000000LL);
    begin_ns = now_ns();
    for (int i = 0; i < count; i++)
        sample_one_sm(&samples[i]);
    for (int i = 0; i < count; i++)
        print_sample(0, "none", &samples[i], false, i % each == 0);
    while (steady > 0 && fabs(samples[steady - 1].clock_mhz / samples[count - 1].clock_mhz - 1) <
                             NEAR_PERCENT / 100.0)
        steady--;
    return steady;
}

/* Launches that keep the whole GPU busy, and a look meanwhile. */
static void take_sample(struct sample *s, enum kind kind) {
    CHECK_CUDA(cudaEventRecord(start, 0));
    for (int launch = 0; launch < LAUNCHES; launch++) {
        load<<<blocks, THREADS>>>(numbers, sums, options.work, kind != FMA, device_rate);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaEventRecord(stop, 0));
    look(s); /* while the GPU is busy */
    CHECK_CUDA(cudaEventSynchronize(stop));
    const double event_us = elapsed_us();
    s->clock_mhz = noted_mhz(event_us > 0 ? 1e3 * event_us + 2000 : NAN);
    s->launch_ms = event_us / 1e3 / LAUNCHES;
}

/* One turn: the samples from number `from` to before `to` of one kind. A slower clock makes a
 * launch longer, but not its cycles: where these are more, others had the GPU. */
static void measure_load(struct sample *s, enum kind kind, int turn, int from, int to, int each) {
    struct result *r = &results[kind];
    const int count = to - from, half = count / 2;
    struct sample end;
    set_numbers(kind != ZEROS);
    look(&s[0]); /* before the samples */
    for (int i = 1; i <= count; i++) {
        const struct sample *before = &s[i > WINDOW ? i - WINDOW : 0];
        take_sample(&s[i], kind);
        s[i].held_back_percent =
            percent(gpu_held_back_ns(&before->gpu, &s[i].gpu), s[i].ns - before->ns);
        const double cycles = s[i].launch_ms * s[i].clock_mhz;
        r->fewest_cycles = r->fewest_cycles > 0 ? fmin(r->fewest_cycles, cycles) : cycles;
        if (i > half) {
            r->launch_ms[r->count] = s[i].launch_ms;
            r->clock_mhz[r->count] = s[i].clock_mhz;
            r->count++;
            if (s[i].gpu.power_mw != NOT_SEEN)
                r->power_w[r->powers++] = s[i].gpu.power_mw / 1e3;
        }
        const double more_ms = s[i].launch_ms - r->fewest_cycles / s[i].clock_mhz;
        print_sample(turn, names[kind], &s[i],
                     more_ms > fmax(0.2 * s[i].launch_ms, jitter_us / 1e3), (from + i) % each == 0);
    }
    look(&end);
    r->held_back_ns += gpu_held_back_ns(&s[half].gpu, &end.gpu);
    r->passed_ns += end.ns - s[half].ns;
    check_loads(kind != ZEROS);
}

/* A named value of one kind. Returns it. */
static double value_of(enum kind kind, const char *what, const char *unit, double x) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s", names[kind], what);
    return isnan(x) ? x : value(name, unit, x); /* without NVML there is none */
}

/* Returns the time of a launch in milliseconds. */
static double say_result(enum kind kind) {
    static const char *const with[KINDS] = {"With zeros", "With random numbers",
                                            "Without tensor cores"};
    struct result *r = &results[kind];
    const double launch_ms = value_of(kind, "launch", "ms", median(r->launch_ms, r->count));
    const double mhz = value_of(kind, "clock", "mhz", median(r->clock_mhz, r->count));
    const double power_w =
        value_of(kind, "power", "w", r->powers > 0 ? median(r->power_w, r->powers) : NAN);
    const double held_percent =
        value_of(kind, "held_back", "percent", percent(r->held_back_ns, r->passed_ns));
    say("%s a launch takes %.3f ms, at %.0f MHz by the SM's counter", with[kind], launch_ms, mhz);
    if (!isnan(power_w) && !isnan(held_percent))
        say(" and %.0f W;\npower or heat held the clock back for %.0f %% of the time", power_w,
            held_percent);
    say(".\n");
    return launch_ms;
}

int main(int argc, char **argv) {
    static struct sample samples[2 * MAX_RUNS + 1];
    options.device = "";
    options.runs = 200;
    options.work = 65536;
    parse_options(argc, argv, "How fast do the SMs run, after a pause and when all are busy?");
    const struct cudaDeviceProp properties = open_cuda();
    open_nvml();
    set_up_load(BLOCKS_PER_SM * (unsigned)properties.multiProcessorCount);
    create_events();
    const int runs = (int)options.runs, turns = runs < TURNS ? runs : TURNS, each = (runs + 9) / 10;
    begin_table(
        "%s after %d s of nothing: %d samples of one SM (none); then all of it busy:\n"
        "%u blocks, %lld steps; %d samples of %d launches each with zeros and with random\n"
        "numbers on the tensor cores, and with multiply-adds without them (fma), in %d turns;\n"
        "1 sample in %d shown; launch by event pairs, clock by an SM's own counter,\n"
        "%s\n\n",
        machine.device, PAUSE_S, 2 * runs, blocks, options.work, runs, LAUNCHES, turns, each,
        nvml ? "the others by NVML" : "and no NVML for the others");
    const int steady = measure_after_pause(samples, 2 * runs, each);
    const double begin_mhz = samples[0].clock_mhz, end_mhz = samples[2 * runs - 1].clock_mhz,
                 steady_ms = (double)(samples[steady].ns - begin_ns) / 1e6;
    for (int turn = 0; turn < turns; turn++)
        for (int kind = 0; kind < KINDS; kind++)
            measure_load(samples, (enum kind)kind, turn + 1, runs * turn / turns,
                         runs * (turn + 1) / turns, each);
    end_table();
    value("begin", "mhz", begin_mhz);
    value("end", "mhz", end_mhz);
    if (steady < 2 * runs * 7 / 8) {
        value("steady_from", "ms", steady_ms);
        say("After the pause: %.0f MHz, and from %.1f ms on within %d %% of %.0f MHz.\n", begin_mhz,
            steady_ms, NEAR_PERCENT, end_mhz);
    } else
        say("After the pause: %.0f MHz, and not steady after that: see --csv.\n", begin_mhz);
    say("Under load, in the second half of each turn:\n");
    const double zeros_ms = say_result(ZEROS), random_ms = say_result(RANDOM);
    say_result(FMA);
    const double more_percent = value("random_more", "percent", 100 * (random_ms / zeros_ms - 1));
    say("With random numbers the same kernel takes %.1f %% %s time.\n", fabs(more_percent),
        more_percent < 0 ? "less" : "more");
    return EXIT_SUCCESS;
}
