/* SPDX-License-Identifier: MIT
 *
 * A sample: an SM's clock by its own counter, with what NVML sees meanwhile; and its row. For
 * sm_clock.cu. */
#pragma once

#include "../copy/gpu_state.h"
#include "clock.h"
#include "load.h"

static char bus_id[32];
static int64_t begin_ns; /* the samples' zero */

struct sample {
    double launch_ms, clock_mhz, held_back_percent;
    struct gpu_state gpu;
    int64_t ns; /* when, by the host's clock */
};

static void open_nvml(void) {
    int device;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, device));
    if (!open_gpu_state())
        nvml = NULL;
}

static void look(struct sample *s) {
    s->ns = now_ns();
    read_gpu_state(bus_id, &s->gpu); /* without NVML all is NOT_SEEN */
}

static double seen(unsigned value) {
    return value == NOT_SEEN ? NAN : value;
}

static double percent(double part_ns, int64_t whole_ns) {
    return part_ns >= 0 ? fmin(100, 100 * part_ns / (double)whole_ns) : NAN;
}

static void print_sample(int turn, const char *numbers, const struct sample *s, bool disturbed,
                         bool in_table) {
    cell("turn", "%d", turn);
    label("numbers", 0, numbers);
    number("since", "s", 3, (double)(s->ns - begin_ns) / 1e9);
    number("launch", "ms", 3, s->launch_ms);
    number("clock", "MHz", 0, s->clock_mhz);
    number("nvml_clock", "MHz", 0, seen(s->gpu.sm_mhz));
    number("power", "W", 0, seen(s->gpu.power_mw) / 1e3);
    number("temperature", "C", 0, seen(s->gpu.temperature_c));
    number("held_back", "percent", 0, s->held_back_percent);
    if (in_table)
        end_row(disturbed);
    else
        end_record_row(disturbed);
}

/* One millisecond by the timer, and how often the SM's clock ticked meanwhile. */
static __global__ void count_clocks(struct rate *rate) {
    const unsigned long long start_ns = globaltimer_ns();
    const long long start_clock = clock64();
    unsigned long long ns;
    do
        ns = globaltimer_ns() - start_ns;
    while (ns < 1000000);
    rate->clocks = clock64() - start_clock;
    rate->ns = ns;
}

/* The rate that the kernel before has noted, while at most `most_ns` passed. */
static double noted_mhz(double most_ns) {
    struct rate rate;
    CHECK_CUDA(cudaMemcpy(&rate, device_rate, sizeof rate, cudaMemcpyDeviceToHost));
    if (rate.clocks <= 0 || rate.ns == 0 || !((double)rate.ns <= most_ns))
        fail(EXIT_FAILED, "impossible: %lld clocks, %llu ns in a kernel; %g ns around it",
             rate.clocks, rate.ns, most_ns);
    return (double)rate.clocks * 1e3 / (double)rate.ns;
}

/* One SM's clock alone. NVML is not asked: that takes longer than the millisecond. */
static void sample_one_sm(struct sample *s) {
    memset(s, 0xff, sizeof *s); /* NOT_SEEN, and the doubles are NaN */
    s->ns = now_ns();
    count_clocks<<<1, 1>>>(device_rate);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    s->clock_mhz = noted_mhz(1.01 * (double)(now_ns() - s->ns));
}
