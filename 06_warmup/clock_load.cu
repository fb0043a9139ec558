/* SPDX-License-Identifier: MIT
 *
 * How long does a kernel take, and how fast do the SMs run, when the whole GPU is busy for 20 seconds?
 *
 * Measures: the time per launch by an event pair, and the rate of one SM's clock in that launch, with
 *   numbers that are all zero and then with random ones; beside them what NVML says: clock, power,
 *   temperature, and for which part of the time a limit of power or heat held the clock back.
 * Does not measure: your kernel. How much power a kernel takes depends on what it does, and on its data.
 *
 * Build: nvcc -O2 -arch=native -I../common clock_load.cu -o clock_load
 * Run:   ./clock_load
 * Try:   ./clock_load --runs 1200    a minute each; on a laptop, with and without its charger
 */
#include "../01_host_clock/host_clock.h"
#include "../04_cuda_events/spin.h"
#include "cuda_device.h"
#include "gpu_state.h"
#include "summary.h"

enum { NUMBERS = 1024, THREADS = 256, BLOCKS_PER_SM = 4, LAUNCHES = 8, SHOWN = 20 };
static unsigned blocks;
static unsigned *numbers;
static float *sums;
static cudaEvent_t start, stop;
static char bus_id[32];

static struct rate {
    long long clocks;
    unsigned long long ns;
} * device_rate;

/* Multiplies and adds, nothing else: on the tensor cores where there are some (compute capability 8.0
 * and later), which takes the most power. Each unsigned is two numbers of 16 bits. */
static __global__ void load(const unsigned *numbers, float *sums, long long steps,
                            struct rate *rate) {
    const unsigned t = threadIdx.x, *n = numbers + t % (NUMBERS - 8);
    float s[16] = {0};
    const unsigned long long start_ns = globaltimer_ns();
    const long long start_clock = clock64();
    for (long long step = 0; step < steps; step++) {
#if __CUDA_ARCH__ >= 800
        for (int k = 0; k < 16; k += 4)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                         "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                         : "+f"(s[k]), "+f"(s[k + 1]), "+f"(s[k + 2]), "+f"(s[k + 3])
                         : "r"(n[0]), "r"(n[1]), "r"(n[2]), "r"(n[3]), "r"(n[4]), "r"(n[5]));
#else
        for (int k = 0; k < 16; k++)
            s[k] = s[k] * 0.5f + (float)n[k % 8];
#endif
    }
    if (blockIdx.x == 0 && t == 0) {
        rate->clocks = clock64() - start_clock;
        rate->ns = globaltimer_ns() - start_ns;
    }
    for (int k = 1; k < 16; k++)
        s[0] += s[k];
    sums[blockIdx.x * blockDim.x + t] = s[0];
}

/* Numbers of 16 bits from 1 to 2 or from -2 to -1; 0 if `random` is not set. */
static void set_numbers(bool random) {
    unsigned host[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        host[i] =
            random ? 0x3c003c00u | ((unsigned)rand() & 0x83ff) | ((unsigned)rand() & 0x83ff) << 16
                   : 0;
    CHECK_CUDA(cudaMemcpy(numbers, host, sizeof host, cudaMemcpyHostToDevice));
}

/* Exits with 1 unless the last block found the same as the first, and 0 of zeros alone. */
static void check_sums(bool random) {
    float first[THREADS], last[THREADS];
    CHECK_CUDA(cudaMemcpy(first, sums, sizeof first, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(last, sums + (size_t)(blocks - 1) * THREADS, sizeof last,
                          cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; i++)
        if (!(first[i] == last[i]) || (first[i] == 0) == random)
            fail(EXIT_FAILED, "wrong result: thread %d has %g in the first block, %g in the last",
                 i, (double)first[i], (double)last[i]);
}

static struct gpu_state state(void) {
    struct gpu_state s;
    memset(&s, 0xff, sizeof s); /* NOT_SEEN in each: without NVML it stays so */
    if (nvml)
        read_gpu_state(bus_id, &s);
    return s;
}

static double seen(unsigned value) {
    return value == NOT_SEEN ? NAN : value;
}

/* Percent of `passed_ns` for which power or heat held the clock back. */
static double held_back(struct gpu_state before, struct gpu_state after, int64_t passed_ns) {
    if (before.power_limited_ns == NOT_SEEN_LONG || before.heat_limited_ns == NOT_SEEN_LONG ||
        after.power_limited_ns == NOT_SEEN_LONG || after.heat_limited_ns == NOT_SEEN_LONG)
        return NAN;
    return fmin(100, 100 / (double)passed_ns *
                         (double)(after.power_limited_ns - before.power_limited_ns +
                                  after.heat_limited_ns - before.heat_limited_ns));
}

struct result {
    double launch_ms, clock_mhz, power_w, held_back_percent;
};

/* --runs samples with one kind of numbers. Returns the medians of their second half. */
static struct result measure(bool random, const char *device, int64_t begin_ns) {
    static double launch_ms[MAX_RUNS], clock_mhz[MAX_RUNS], power_w[MAX_RUNS];
    const int runs = (int)options.runs, half = runs / 2;
    const struct gpu_state first = state();
    struct gpu_state before = first;
    const int64_t first_ns = now_ns();
    int64_t before_ns = first_ns;
    set_numbers(random);
    for (int i = 0; i < runs; i++) {
        struct rate rate;
        float elapsed_ms;
        CHECK_CUDA(cudaEventRecord(start, 0));
        for (int launch = 0; launch < LAUNCHES; launch++) {
            load<<<blocks, THREADS>>>(numbers, sums, options.work, device_rate);
            CHECK_CUDA(cudaGetLastError());
        }
        CHECK_CUDA(cudaEventRecord(stop, 0));
        const struct gpu_state now = state(); /* while the GPU is busy */
        CHECK_CUDA(cudaEventSynchronize(stop));
        CHECK_CUDA(cudaEventElapsedTime(&elapsed_ms, start, stop));
        CHECK_CUDA(cudaMemcpy(&rate, device_rate, sizeof rate, cudaMemcpyDeviceToHost));
        const int64_t end_ns = now_ns();
        launch_ms[i] = (double)elapsed_ms / LAUNCHES;
        clock_mhz[i] = (double)rate.clocks * 1e3 / (double)rate.ns;
        power_w[i] = seen(now.power_mw) / 1e3;
        if (!(launch_ms[i] > 0) || rate.clocks <= 0 || rate.ns == 0 ||
            (double)rate.ns > 1e6 * elapsed_ms + 2000)
            fail(EXIT_FAILED, "impossible: %lld clocks, %llu ns in a kernel; %g ms around all",
                 rate.clocks, rate.ns, (double)elapsed_ms);
        if (output == AS_CSV || i % SHOWN == SHOWN - 1) {
            begin_row(device);
            number("since", "s", 9, 2, (double)(end_ns - begin_ns) / 1e9);
            cell("numbers", -7, "%s", random ? "random" : "zeros");
            number("launch", "ms", 11, 3, launch_ms[i]);
            number("clock", "mhz", 11, 0, clock_mhz[i]);
            number("nvml_clock", "mhz", 16, 0, seen(now.sm_mhz));
            number("power", "w", 9, 0, power_w[i]);
            number("temperature", "c", 15, 0, seen(now.temperature_c));
            number("held_back", "percent", 19, 0, held_back(before, now, end_ns - before_ns));
            end_row();
            before = now;
            before_ns = end_ns;
        }
    }
    check_sums(random);
    return (struct result){median(launch_ms + half, (size_t)(runs - half)),
                           median(clock_mhz + half, (size_t)(runs - half)),
                           median(power_w + half, (size_t)(runs - half)),
                           held_back(first, state(), now_ns() - first_ns)};
}

static void say_result(const char *numbers, struct result r) {
    say("With %s a launch takes %.3f ms, at %.0f MHz", numbers, r.launch_ms, r.clock_mhz);
    if (r.power_w == r.power_w && r.held_back_percent == r.held_back_percent)
        say(" and %.0f W; power or heat held the clock back for %.0f %% of the time", r.power_w,
            r.held_back_percent);
    say(".\n");
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
    blocks = BLOCKS_PER_SM * (unsigned)properties.multiProcessorCount;
    CHECK_CUDA(cudaMalloc((void **)&numbers, NUMBERS * sizeof *numbers));
    CHECK_CUDA(cudaMalloc((void **)&sums, (size_t)blocks * THREADS * sizeof *sums));
    CHECK_CUDA(cudaMalloc((void **)&device_rate, sizeof *device_rate));
    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop));

    say("%s, all of it busy: %u blocks, %lld steps; every %dth of %lld samples of %d launches\n"
        "launch by event pairs, clock by an SM's own counter, %s\n\n",
        properties.name, blocks, options.work, SHOWN, options.runs, LAUNCHES,
        nvml ? "the others by NVML" : "and no NVML for the others");
    const int64_t begin_ns = now_ns();
    const struct result zeros = measure(false, properties.name, begin_ns);
    const struct result random = measure(true, properties.name, begin_ns);
    end_table();
    say_result("zeros", zeros);
    say_result("random numbers", random);
    say("Random numbers make the same kernel take %+.1f %% more time, of the second half of "
        "each.\n",
        100 * (random.launch_ms / zeros.launch_ms - 1));
    return EXIT_SUCCESS;
}
