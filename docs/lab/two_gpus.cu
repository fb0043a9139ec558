/* SPDX-License-Identifier: MIT
 *
 * What did two GPUs do at the same time?
 *
 * Measures: how far %globaltimer of GPU 1 is from that of GPU 0, by a stamp that goes there and
 *   back, with its bounds, and how the two drift apart: so the stamps of both stand on one time
 *   line. What GPU 1 does 50 us late, as it was told, must come out 50 us late on this line.
 * Does not measure: which of the timers is right. CUDA_VISIBLE_DEVICES chooses two of many GPUs.
 *
 * Build: nvcc -O2 -arch=native -I../../common two_gpus.cu -o two_gpus
 * Run:   ./two_gpus
 * Try:   ./two_gpus --late-us 5                how little is still seen?
 */
#include "blocked.h"

enum { SWEEPS = 20, ROUNDS = 42, TICKS = 500, FLAG_BYTES = 8, SECOND_CLOCKS = 2000000000 };

struct way { /* of a stamp: sent by GPU 0, seen there by GPU 1, back at GPU 0 */
    uint64_t sent_ns, there_ns, back_ns;
};
typedef volatile unsigned long long flag; /* its value is a stamp, which comes with it */

/* ---- The kernels ---- */

/* The least step of %globaltimer: a tick, or more where a reading takes longer. */
static __global__ void note_tick(unsigned long long *noted_ns) {
    unsigned long long least_ns = ~0ull, step_ns;
    for (int i = 0; i < TICKS; i++) {
        const unsigned long long last_ns = globaltimer_ns();
        while ((step_ns = globaltimer_ns() - last_ns) == 0)
            continue;
        least_ns = step_ns < least_ns ? step_ns : least_ns;
    }
    *noted_ns = least_ns;
}

/* Waits until the flag is another than `old`, and returns it; `old` if that takes too long. */
static __device__ unsigned long long next_stamp(const flag *here, unsigned long long old) {
    const long long start_clock = clock64();
    unsigned long long stamp;
    do
        stamp = *here;
    while (stamp == old && clock64() - start_clock < SECOND_CLOCKS);
    return stamp;
}

/* The pause varies, and with it where in a tick a stamp is taken. */
static __global__ void send_stamps(flag *there, const flag *here, struct way *ways, size_t count) {
    unsigned long long there_ns = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned long long sent_ns = globaltimer_ns(), old_ns = there_ns;
        *there = sent_ns;
        there_ns = next_stamp(here, old_ns);
        const unsigned long long back_ns = globaltimer_ns();
        if (there_ns == old_ns)
            return;
        ways[i] = (struct way){sent_ns, there_ns, back_ns};
        while (globaltimer_ns() - back_ns < 2500 + i * 97 % 1000)
            continue;
    }
}

/* Every second answer is `late_ns` late. */
static __global__ void answer_stamps(flag *there, const flag *here, size_t count,
                                     unsigned long long late_ns) {
    unsigned long long sent_ns = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned long long old_ns = sent_ns;
        if ((sent_ns = next_stamp(here, old_ns)) == old_ns)
            return;
        spin_for(i % 2 * late_ns);
        *there = globaltimer_ns();
    }
}

/* ---- The measurements ---- */

struct both {                     /* GPU 0 and GPU 1 */
    unsigned long long *flags[2]; /* that each waits for */
    unsigned long long *noted[2]; /* in its memory: what its kernels note */
    double tick_ns;               /* of %globaltimer, the longer one of both */
    bool is_peer;                 /* each sees the other's memory */
    struct blocked_pair pair;     /* on GPU 0 */
};

/* Sends `count` stamps there and back. */
static void sweep(const struct both *b, struct way *ways, size_t count,
                  unsigned long long late_ns) {
    static const unsigned long long no_stamp = 0;
    for (int g = 0; g < 2; g++) {
        CHECK_CUDA(cudaSetDevice(g));
        CHECK_CUDA(cudaMemcpy(b->flags[g], &no_stamp, FLAG_BYTES, cudaMemcpyDefault));
        CHECK_CUDA(cudaMemset(b->noted[g], 0, count * sizeof *ways));
        CHECK_CUDA(cudaDeviceSynchronize());
    }
    answer_stamps<<<1, 1>>>(b->flags[0], b->flags[1], count, late_ns);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaSetDevice(0));
    send_stamps<<<1, 1>>>(b->flags[1], b->flags[0], (struct way *)b->noted[0], count);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(ways, b->noted[0], count * sizeof *ways, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaSetDevice(1));
    CHECK_CUDA(cudaDeviceSynchronize());
    if (ways[count - 1].sent_ns == 0)
        fail(EXIT_FAILED, "no answer of GPU 1 for a second: is it held up?");
}

/* If they do not see each other's memory, both flags are in the host's, which both see. Exits with
 * 77 if these are not two. */
static struct both set_up_both(void) {
    struct both b = {};
    char names[2][32];
    unsigned long long step_ns;
    int count, sees[2]; /* the other one's memory */
    CHECK_CUDA(cudaGetDeviceCount(&count));
    if (count < 2)
        fail(EXIT_NO_DEVICE, "this needs two GPUs, and here is one");
    for (int g = 0; g < 2; g++) {
        CHECK_CUDA(cudaDeviceGetPCIBusId(names[g], sizeof names[g], g));
        CHECK_CUDA(cudaDeviceCanAccessPeer(&sees[g], g, 1 - g));
    }
    /* Kernels that wait for each other would run one after the other there, and wait for ever. */
    if (strcmp(names[0], names[1]) == 0)
        fail(EXIT_NO_DEVICE, "GPUs 0 and 1 are one and the same, %s", names[0]);
    b.is_peer = sees[0] && sees[1];
    for (int g = 1; g >= 0; g--) {
        void **flag = (void **)&b.flags[g];
        CHECK_CUDA(cudaSetDevice(g));
        if (b.is_peer)
            CHECK_CUDA(cudaDeviceEnablePeerAccess(1 - g, 0));
        CHECK_CUDA(b.is_peer ? cudaMalloc(flag, FLAG_BYTES) : cudaMallocHost(flag, FLAG_BYTES));
        b.noted[g] = (unsigned long long *)new_on_device(MAX_RUNS * sizeof(struct way), NULL);
        note_tick<<<1, 1>>>(b.noted[g]);
        CHECK_CUDA(cudaGetLastError());
        CHECK_CUDA(cudaMemcpy(&step_ns, b.noted[g], sizeof step_ns, cudaMemcpyDeviceToHost));
        if (step_ns < 1 || step_ns > 1000000)
            fail(EXIT_FAILED, "impossible: %%globaltimer goes on by %llu ns", step_ns);
        b.tick_ns = fmax(b.tick_ns, (double)step_ns);
    }
    b.pair = new_blocked_pair();
    return b;
}

/* ---- The time line ---- */

struct offset { /* ns: GPU 1's timer minus GPU 0's minus first_ns */
    double at_s, ns, bound_ns;
};
struct line {
    int64_t zero_ns, first_ns; /* the first stamp, by GPU 0, and about the offset then */
    struct offset offsets[SWEEPS];
};

/* By the shortest of a sweep's even ways; the odd ones check it. The stamp was there after it was
 * sent, and before it was back: so the offset is between there - back and there - sent. Each stamp
 * may be up to a tick too early. */
static struct offset get_offset(const struct line *line, const struct way *ways, size_t count,
                                double tick_ns, double *way_ns) {
    struct way best = ways[0];
    for (size_t i = 2; i < count; i += 2)
        best = ways[i].back_ns - ways[i].sent_ns < best.back_ns - best.sent_ns ? ways[i] : best;
    if (best.back_ns < best.sent_ns)
        fail(EXIT_FAILED, "impossible: a stamp was back before it was sent");
    *way_ns = (double)(best.back_ns - best.sent_ns);
    const int64_t most_ns = (int64_t)(best.there_ns - best.sent_ns) - line->first_ns;
    return (struct offset){(double)((int64_t)best.sent_ns - line->zero_ns) / 1e9,
                           (double)most_ns - *way_ns / 2, *way_ns / 2 + tick_ns};
}

/* The offset at that moment, by a straight line from one sweep to another. */
static double between_ns(const struct offset *a, const struct offset *b, double at_s) {
    return a->ns + (b->ns - a->ns) * (at_s - a->at_s) / (b->at_s - a->at_s);
}

/* How far the time line can be off: the widest bound, and between two sweeps a quarter of the bend,
 * if the rate changes evenly. The bend is how far a sweep is from the straight line between its
 * neighbours. *outside: the sweeps whose bend is more than the bounds allow. */
static double find_bound_ns(const struct offset *offsets, int *outside) {
    double widest_ns = fmax(offsets[0].bound_ns, offsets[SWEEPS - 1].bound_ns), most_bent_ns = 0;
    for (const struct offset *o = offsets + 1; o < offsets + SWEEPS - 1; o++) {
        widest_ns = fmax(widest_ns, o->bound_ns);
        const double bend_ns = fabs(o->ns - between_ns(o - 1, o + 1, o->at_s));
        most_bent_ns = fmax(most_bent_ns, bend_ns);
        *outside += bend_ns > o->bound_ns + fmax(o[-1].bound_ns, o[1].bound_ns);
    }
    return widest_ns + most_bent_ns / 4;
}

/* A stamp of GPU 0, or of GPU 1, on the time line of GPU 0: ns since zero_ns. */
static double on_line(const struct line *line, int g, uint64_t stamp_ns) {
    const struct offset *o = line->offsets;
    const double ns = (double)((int64_t)stamp_ns - line->zero_ns - g * line->first_ns);
    while (o < line->offsets + SWEEPS - 2 && o[1].at_s < ns / 1e9)
        o++;
    return g == 0 ? ns : ns - between_ns(o, o + 1, ns / 1e9);
}

/* How many of the odd stamps arrive before they are sent, on the time line. */
static int count_early(const struct line *line, struct way ways[SWEEPS][MAX_RUNS], size_t count,
                       double tick_ns) {
    int early = 0;
    for (int s = 0; s < SWEEPS; s++)
        for (size_t i = 1; i < count; i += 2) {
            const double there_ns = on_line(line, 1, ways[s][i].there_ns);
            early += there_ns < on_line(line, 0, ways[s][i].sent_ns) - tick_ns ||
                     on_line(line, 0, ways[s][i].back_ns) < there_ns - tick_ns;
        }
    return early;
}

/* ---- The rows ---- */

static void print_row(struct table *table, const char *quantity, double x, double off,
                      unsigned marks, const char *how) {
    text(table, "quantity", 15, quantity);
    number(table, "value", 2, x);
    number(table, "low", 2, x - off);
    number(table, "high", 2, x + off);
    for (int c = table->cell_count - 3; c < table->cell_count; c++)
        table->cell[c].width = 13; /* an offset may be days */
    text(table, "how", 48, how);
    end_row(table, marks);
}

int main(int argc, char **argv) {
    static struct way ways[SWEEPS][MAX_RUNS], late_ways[ROUNDS];
    long long runs = 10000, seconds = 20, late_us = 50;
    const struct arg args[] = {
        ARG_RUNS(&runs), ARG_NUMBER("seconds", &seconds, 3600, "go on for N seconds"),
        ARG_NUMBER("late-us", &late_us, 500000, "make every second answer N us late"), END_OF_ARGS};
    parse_args(argc, argv, "What did two GPUs do at the same time?", args);
    const size_t count = (size_t)runs;
    setenv("CUDA_MODULE_LOADING", "EAGER", 1); /* a first launch could wait for the other GPU's */
    const struct gpu gpu = open_cuda("0");
    const struct both both = set_up_both();
    const int64_t start_ns = now_ns();
    for (int s = 0; s < SWEEPS; s++) {
        while (now_ns() - start_ns < seconds * 1000000000 * s / (SWEEPS - 1))
            continue;
        sweep(&both, ways[s], count, 0);
        if (s == SWEEPS / 2)
            sweep(&both, late_ways, ROUNDS, (unsigned long long)late_us * 1000);
    }
    CHECK_CUDA(cudaSetDevice(0));
    const unsigned shared = probe_sharing(&both.pair);

    double ways_ns[SWEEPS], apart_us[2][ROUNDS / 2];
    int outside = 0;
    struct line line;
    line.zero_ns = (int64_t)ways[0][0].sent_ns;
    line.first_ns = (int64_t)(ways[0][0].there_ns - ways[0][0].sent_ns);
    for (int s = 0; s < SWEEPS; s++)
        line.offsets[s] = get_offset(&line, ways[s], count, both.tick_ns, &ways_ns[s]);
    const double bound_ns = find_bound_ns(line.offsets, &outside), bound_us = bound_ns / 1e3;
    const int early = count_early(&line, ways, count, both.tick_ns);
    for (int i = 0; i < ROUNDS; i++)
        apart_us[i % 2][i / 2] =
            (on_line(&line, 1, late_ways[i].there_ns) - on_line(&line, 0, late_ways[i].sent_ns)) /
            1e3;
    const struct offset *first = line.offsets, *last = line.offsets + SWEEPS - 1;
    const double offset_us = ((double)line.first_ns + first->ns) / 1e3,
                 ns_a_ppm = 1e3 * (last->at_s - first->at_s), us = median(apart_us[0], ROUNDS / 2),
                 then_us = median(apart_us[1], ROUNDS / 2);

    struct table table = {};
    begin_record(args, gpu.properties.name, gpu.driver);
    say("Two GPUs: %s; %d sweeps in %lld s; low, high: bounds\n\n", gpu.properties.name, SWEEPS,
        seconds);
    print_row(&table, "way_ns", median(ways_ns, SWEEPS), 0, shared,
              both.is_peer ? "there and back, by peer access"
                           : "there and back, through host memory");
    print_row(&table, "offset_us", offset_us, bound_us, shared,
              "its timer minus that of GPU 0, at first");
    print_row(&table, "drift_ppm", (last->ns - first->ns) / ns_a_ppm,
              (first->bound_ns + last->bound_ns) / ns_a_ppm, shared,
              "its timer is faster: us in a second");
    print_row(&table, "bound_ns", bound_ns, bound_ns, shared, "the offset is no farther off");
    print_row(&table, "outside", outside, 0, shared | (outside > 0 ? CLOCKS_DIFFER : 0),
              "sweeps too far from the line between two others");
    print_row(&table, "early", early, 0, shared | (early > 0 ? CLOCKS_DIFFER : 0),
              "stamps that arrive before they are sent");
    print_row(&table, "apart_us", us, bound_us, shared, "GPU 1 answers after GPU 0 has sent");
    print_row(&table, "late_apart_us", then_us, bound_us, shared, "... where it was made late");
    print_row(&table, "seen_late_us", then_us - us, bound_us,
              shared | (fabs(then_us - us - (double)late_us) <= bound_us ? 0 : CLOCKS_DIFFER),
              "the difference");
    end_table(&table);
    return EXIT_SUCCESS; /* memory goes with the process */
}
