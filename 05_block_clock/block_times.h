/* SPDX-License-Identifier: MIT
 *
 * What block_clock.cu and block_clock_opencl.c both do with the stamps of a launch once they are in
 * host memory: check them, summarize them, print a row. The kernels, and how they read their
 * clocks, are in the programs. */
#ifndef BLOCK_TIMES_H
#define BLOCK_TIMES_H

#include "options.h"
#include "summary.h"

/* What thread 0 of a block writes down. Clocks are its SM's own: within a block their difference
 * means something, between blocks nothing. The nanoseconds are one clock's for the whole device,
 * and 0 where there is none. */
struct block_time {
    unsigned long long start_clock, end_clock, start_ns, end_ns, sm;
};

/* What one launch says, or many in the median (then also whether the launches disagree). SPAN_US and SMS are -1 where the device cannot tell.
 */
enum {
    CLOCKS_MIN,
    CLOCKS_MEAN,
    CLOCKS_MEDIAN,
    CLOCKS_MAX,
    SPAN_US,
    EVENT_US,
    SMS,
    FIELDS,
    DISTURBED = FIELDS,
    CELLS
};

/* Options of the chapter. */
static struct number_list block_counts; /* empty: the source's, and the device's landmarks */
static struct number_list thread_counts = {1, {256}};
static long long work = 1;          /* times that each block does its reduction */
static const char *timeline = NULL; /* file for the last launch, block by block */

/* The most that --blocks and --threads take; a device may take less. */
enum { MAX_BLOCKS = 1 << 22, MAX_THREADS = 1 << 16 };
enum { KEY_BLOCKS = KEY_OWN, KEY_THREADS, KEY_WORK, KEY_TIMELINE };

static inline error_t parse_own_option(int key, char *value, struct argp_state *state) {
    (void)state;
    switch (key) {
    case KEY_BLOCKS:
        parse_list("--blocks", value, 1, MAX_BLOCKS, &block_counts);
        return 0;
    case KEY_THREADS:
        parse_list("--threads", value, 1, MAX_THREADS, &thread_counts);
        return 0;
    case KEY_WORK:
        work = parse_number("--work", value, 1, 1000000);
        return 0;
    case KEY_TIMELINE:
        timeline = value;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Parses the command line of either program. */
static inline struct options parse_block_options(int argc, char **argv, const char *about) {
    static const struct argp_option own_options[] = {
        {"blocks", KEY_BLOCKS, "LIST", 0, "Launch so many blocks, each in turn", 0},
        {"threads", KEY_THREADS, "LIST", 0, "Give a block so many threads", 0},
        {"work", KEY_WORK, "N", 0, "Have each block do its reduction N times (default 1)", 0},
        {"timeline", KEY_TIMELINE, "FILE", 0, "Write the last launch, block by block, as CSV", 0},
        {NULL, 0, NULL, 0, NULL, 0}};
    static const struct argp own = {own_options, parse_own_option, NULL, NULL, NULL, NULL, NULL};
    struct options options = default_options(about);
    options.has_device = true;
    options.runs = 31;
    options.own = &own;
    parse_options(argc, argv, &options);
    return options;
}

static inline int compare_numbers(const void *left, const void *right) {
    const long long a = *(const long long *)left;
    const long long b = *(const long long *)right;
    return (a > b) - (a < b);
}

/* Puts `list` in rising order, each number once. */
static inline void sort_list(struct number_list *list) {
    size_t kept = 0;
    qsort(list->values, list->count, sizeof list->values[0], compare_numbers);
    for (size_t i = 0; i < list->count; i++)
        if (i == 0 || list->values[i] != list->values[kept - 1])
            list->values[kept++] = list->values[i];
    list->count = kept;
}

/* Fills `input` with `count` random floats, an even number, and puts the minimum, which it returns,
 * in a random slot: of the upper half and of the lower half in turns. */
static inline float random_input(float *input, size_t count) {
    static size_t half = 0;
    const float minimum = -(float)(1 + rand() % 1000);
    for (size_t i = 0; i < count; i++)
        input[i] = (float)(rand() % 1000);
    half = half > 0 ? 0 : count / 2;
    input[half + (size_t)rand() % (count / 2)] = minimum; /* NOLINT: count is not 0 */
    return minimum;
}

/* Checks every block's result and stamps, and stores what the launch says in `row`. `clocks` has
 * room for `blocks` numbers. Exits with 1 on a wrong result or an impossible stamp. */
static inline void summarize_blocks(const struct block_time *times, const float *results,
                                    double *clocks, size_t blocks, float minimum, double event_us,
                                    double row[FIELDS]) {
    unsigned long long first_ns = times[0].start_ns, last_ns = times[0].end_ns;
    unsigned char seen[4096] = {0}; /* SM numbers */
    int sms = 0;
    for (size_t b = 0; b < blocks; b++) {
        const struct block_time *t = &times[b];
        if (results[b] != minimum)
            fail(EXIT_FAILED, "block %zu of %zu found %g, not the minimum %g", b, blocks,
                 (double)results[b], (double)minimum);
        if (t->end_clock <= t->start_clock || t->end_ns < t->start_ns)
            fail(EXIT_FAILED, "impossible: block %zu runs from clock %llu to %llu, %llu to %llu ns",
                 b, t->start_clock, t->end_clock, t->start_ns, t->end_ns);
        clocks[b] = (double)(t->end_clock - t->start_clock);
        first_ns = t->start_ns < first_ns ? t->start_ns : first_ns;
        last_ns = t->end_ns > last_ns ? t->end_ns : last_ns;
        sms += !seen[t->sm % sizeof seen];
        seen[t->sm % sizeof seen] = 1;
    }
    const struct summary s = summarize(clocks, blocks);
    const bool has_ns = last_ns > 0;
    row[CLOCKS_MIN] = s.min;
    row[CLOCKS_MEAN] = s.mean;
    row[CLOCKS_MEDIAN] = s.median;
    row[CLOCKS_MAX] = s.max;
    row[SPAN_US] = has_ns ? (double)(last_ns - first_ns) / 1e3 : -1;
    row[EVENT_US] = event_us;
    row[SMS] = has_ns ? sms : -1;
    /* %globaltimer steps by 1 us on some devices: allow two such steps; and for a time stamp
     * counter the error of its rate. */
    if (!(event_us > 0) || row[SPAN_US] > 1.001 * event_us + 2)
        fail(EXIT_FAILED, "impossible: a span of %.2f us in an event of %.2f us", row[SPAN_US],
             event_us);
}

/* `units` is what the last column counts: "SMs", or what the device calls a unit. */
static inline void print_block_header(const struct options *options, const char *units) {
    if (options->csv)
        printf("device,blocks,threads,runs,clocks_min,clocks_mean,clocks_median,clocks_max,"
               "span_us,event_us,sms,disturbed\n");
    else
        printf("%17s one block, in clocks %10s %9s\n%8s %7s %6s %6s %6s %6s %9s %9s %5s\n", "",
               "device", "event", "blocks", "threads", "min", "mean", "median", "max", "span us",
               "us", units);
}

/* Stores the medians of `runs` launches in `row`, and whether they disagree. */
static inline void summarize_launches(double samples[FIELDS][MAX_RUNS], long long runs,
                                      double row[CELLS]) {
    row[DISTURBED] = 0;
    for (int f = 0; f < FIELDS; f++) {
        const struct summary s = summarize(samples[f], (size_t)runs);
        row[f] = s.median;
        if (f == CLOCKS_MEAN || f == EVENT_US)
            row[DISTURBED] += s.disturbed;
    }
    if (row[SPAN_US] >= 0)
        row[DISTURBED] += overhead_is_disturbed(row[EVENT_US] - row[SPAN_US]);
}

/* Prints one row. In the table a bar shows the mean clocks, ten marks long in the first row of each
 * number of threads, and `mark` what the number of blocks stands for. */
static inline void print_blocks(const struct options *options, const char *device, size_t blocks,
                                size_t threads, const double row[CELLS], const char *mark) {
    static size_t first_threads = 0;
    static double first_clocks;
    char span[32] = "", sms[32] = ""; /* empty where the device cannot tell */
    if (threads != first_threads) {
        first_threads = threads;
        first_clocks = row[CLOCKS_MEAN];
    }
    if (row[SMS] >= 0) {
        snprintf(span, sizeof span, options->csv ? "%.3f" : "%.2f", row[SPAN_US]);
        snprintf(sms, sizeof sms, "%.0f", row[SMS]);
    }
    if (options->csv)
        printf("%s,%zu,%zu,%lld,%.0f,%.1f,%.1f,%.0f,%s,%.3f,%s,%d\n", device, blocks, threads,
               options->runs, row[CLOCKS_MIN], row[CLOCKS_MEAN], row[CLOCKS_MEDIAN],
               row[CLOCKS_MAX], span, row[EVENT_US], sms, row[DISTURBED] > 0);
    else
        printf("%8zu %7zu %6.0f %6.0f %6.0f %6.0f %9s %9.2f %5s %.*s %s%s\n", blocks, threads,
               row[CLOCKS_MIN], row[CLOCKS_MEAN], row[CLOCKS_MEDIAN], row[CLOCKS_MAX], span,
               row[EVENT_US], sms, (int)(row[CLOCKS_MEAN] / first_clocks * 10 + 0.5),
               "########################################", mark,
               disturbed_word(row[DISTURBED] > 0));
    flush_stdout();
}

/* Opens the file of --timeline before anything is measured; NULL if none is asked for. Exits with 1
 * if it cannot be written. */
static inline FILE *open_timeline(void) {
    FILE *file = timeline ? fopen(timeline, "w") : NULL;
    if (timeline && !file)
        fail(EXIT_FAILED, "--timeline: cannot write '%s': %s", timeline, strerror(errno));
    return file;
}

static inline void write_timeline(FILE *file, const struct block_time *times, size_t blocks) {
    fprintf(file, "block,sm,start_ns,end_ns,clocks\n");
    for (size_t b = 0; b < blocks; b++)
        fprintf(file, "%zu,%llu,%llu,%llu,%llu\n", b, times[b].sm, times[b].start_ns,
                times[b].end_ns, times[b].end_clock - times[b].start_clock);
    const bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad)
        fail(EXIT_FAILED, "--timeline: cannot write '%s': %s", timeline, strerror(errno));
}

#endif
