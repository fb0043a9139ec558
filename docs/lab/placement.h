/* SPDX-License-Identifier: MIT
 *
 * How far apart are the medians of a kernel's launches with the same buffers, with buffers in other
 * places, and in other processes? The same for placement.cu and placement_opencl.c. */
#pragma once

#include "../../06_warmup/cold.h" /* in_new_process() */
#include "clock.h"
#include "options.h"
#include "summary.h"

/* What a program does with its API. */
struct steps {
    void (*set_up)(void);       /* opens the device, makes the first buffers */
    void (*move_buffers)(void); /* new buffers, made while the ones before are still there */
    void (*move_back)(void);    /* the first buffers again */
    double (*time_launch_us)(double *overhead_us); /* also how much longer the host waited */
    void (*check_result)(void);
};

/* ---- Chance ---- */

static uint64_t random_state; /* Knuth's 64-bit generator; its upper bits are the good ones */

static inline size_t random_below(size_t n) {
    random_state = random_state * 6364136223846793005 + 1442695040888963407;
    return (size_t)(random_state >> 24) % n;
}

/* ---- One median ---- */

enum { LAUNCHES = 31 };
static const int64_t warm_up_ns = 100000000; /* until the clock has its rate: sm_clock.cu */

struct place {
    const struct steps *steps;
    double median_us;
    bool disturbed;
};

static inline void measure(struct place *place) {
    double samples_us[LAUNCHES], overheads_us[LAUNCHES];
    for (const int64_t start_ns = now_ns(); now_ns() - start_ns < warm_up_ns;)
        place->steps->time_launch_us(&overheads_us[0]);
    for (int i = 0; i < LAUNCHES; i++)
        samples_us[i] = place->steps->time_launch_us(&overheads_us[i]);
    const struct summary s = summarize_us(samples_us, LAUNCHES);
    if (!(s.median > 0))
        fail(EXIT_FAILED, "impossible: a median of %g us", s.median);
    place->steps->check_result();
    place->median_us = s.median;
    place->disturbed = s.disturbed || is_delayed(median(overheads_us, LAUNCHES));
}

/* ---- The processes. This one never touches the device: see cold.h ---- */

static inline void run_process(void *place) {
    ((struct place *)place)->steps->set_up();
    measure((struct place *)place);
}

/* The process that stays: it has the first buffers and all that are moved. */
static pid_t home;
static int questions[2], answers[2];

static inline bool put(int to, const void *from, size_t bytes) {
    return write(to, from, bytes) == (ssize_t)bytes; /* a pipe takes all of it */
}

static inline bool get(int from, void *to, size_t bytes) {
    size_t got = 0;
    for (ssize_t more; (more = read(from, (char *)to + got, bytes - got)) > 0;)
        got += (size_t)more;
    return got == bytes;
}

static inline void start_home(const struct steps *steps) {
    fflush(stdout);
    if (pipe(questions) != 0 || pipe(answers) != 0 || (home = fork()) < 0)
        fail(EXIT_FAILED, "pipe or fork: %s", strerror(errno));
    close(questions[home == 0]); /* each keeps its ends */
    close(answers[home != 0]);
    if (home != 0)
        return;
    struct place place = {steps, 0, false};
    for (bool move, is_set_up = false; get(questions[0], &move, sizeof move); is_set_up = true) {
        if (!is_set_up)
            steps->set_up();
        if (move)
            steps->move_buffers();
        else
            steps->move_back();
        measure(&place);
        if (!put(answers[1], &machine, sizeof machine) || !put(answers[1], &place, sizeof place))
            break;
    }
    _exit(EXIT_SUCCESS);
}

/* Ends as that process did if it failed; it has said why. */
static inline void ask_home(bool move, struct place *place) {
    int status = 0;
    if (put(questions[1], &move, sizeof move) && get(answers[0], &machine, sizeof machine) &&
        get(answers[0], place, sizeof *place))
        return;
    if (waitpid(home, &status, 0) != home || WIFSIGNALED(status))
        fail(EXIT_FAILED, "the process that stays died of signal %d", WTERMSIG(status));
    exit(WEXITSTATUS(status)); /* after --device list, that is success */
}

/* So that it does not have the device any more when this program ends. */
static inline void end_home(void) {
    close(questions[1]);
    waitpid(home, NULL, 0);
}

/* ---- The comparison ---- */

enum { AGAIN, MOVED, PROCESS, PLACES };
static const char *const place_names[PLACES] = {"again", "moved", "process"};

static inline void compare_places(const struct steps *steps, const char *clock) {
    static double samples_us[PLACES][MAX_RUNS];
    struct place place = {steps, 0, false};
    double spread_percent[PLACES], greatest = 0;
    bool disturbed[PLACES] = {false, false, false};
    int order[PLACES] = {AGAIN, MOVED, PROCESS};
    const size_t runs = (size_t)options.runs;
    const uint64_t seed = random_state = (uint64_t)now_ns();
    start_home(steps);
    for (size_t run = 0; run < runs; run++)
        for (int t = 0; t < PLACES; t++) { /* in turns, in an order drawn anew each time */
            const int other = t + (int)random_below((size_t)(PLACES - t)), w = order[other];
            order[other] = order[t];
            order[t] = w;
            if (w == PROCESS)
                in_new_process(run_process, &place, sizeof place);
            else
                ask_home(w == MOVED, &place);
            samples_us[w][run] = place.median_us;
            disturbed[w] |= place.disturbed;
        }
    end_home();
    begin_table("Placement: vector_add of %lld floats on %s, timed by %s\n"
                "%zu medians of %d launches in each row; their order is drawn with seed %llu\n\n",
                options.size, machine.device, clock, runs, LAUNCHES, (unsigned long long)seed);
    describe("seed", "%llu", (unsigned long long)seed);
    for (int w = AGAIN; w < PLACES; w++) {
        const struct summary s = summarize_us(samples_us[w], runs);
        spread_percent[w] = 100 * (s.max - s.min) / s.min;
        greatest = fmax(greatest, spread_percent[w]);
        label("where", 7, place_names[w]);
        number("min", "us", 2, s.min);
        number("median", "us", 2, s.median);
        number("max", "us", 2, s.max);
        number("spread", "percent", 1, spread_percent[w]);
        end_row(disturbed[w] || s.disturbed);
    }
    end_table();
    say("The same buffers again: %.1f %% apart. Other places: %.1f %%. Other processes: %.1f %%.\n",
        spread_percent[AGAIN], spread_percent[MOVED], spread_percent[PROCESS]);
    if (runs == 1)
        say("One median has no spread: take more --runs.\n");
    else
        say("If two builds differ by less than %.1f %%, the greatest of the three, one process of "
            "each\n"
            "does not show which is faster: run several processes of each, in turns.\n",
            greatest);
}
