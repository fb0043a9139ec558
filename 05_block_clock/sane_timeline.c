/* SPDX-License-Identifier: MIT
 *
 * What must hold for the timeline of a launch: every block is in it once, and no SM ever runs more
 * blocks at a time than it has room for. The room is taken from the default sweep, whose last row
 * is 64 times a full device. */
#define _GNU_SOURCE
#include "chapter_output.h"

enum { MAX_BLOCKS = 100000, MAX_SMS = 1024 };

struct edge { /* a block's start or end */
    unsigned long long ns;
    int sm, step;
};

/* By time; where a block ends and the next one starts in the same step of the timer, ends first. */
static int compare_edges(const void *left, const void *right) {
    const struct edge *a = (const struct edge *)left;
    const struct edge *b = (const struct edge *)right;
    return a->ns != b->ns ? (a->ns > b->ns) - (a->ns < b->ns) : a->step - b->step;
}

int main(int argc, char **argv) {
    static struct csv sweep;
    static struct edge edges[2 * MAX_BLOCKS];
    static char text[MAX_TEXT], seen[MAX_BLOCKS];
    char options[200], path[] = "/tmp/timeline-XXXXXX";
    const int file = mkstemp(path);
    if (file < 0)
        fail(EXIT_FAILED, "cannot create %s: %s", path, strerror(errno));
    close(file);

    int code = run_program(argc, argv, "--csv --runs 1", sweep.text);
    if (code == EXIT_SUCCESS) {
        read_csv(&sweep, "device,blocks,threads,runs,clocks_min,clocks_mean,clocks_median,"
                         "clocks_max,span_us,event_us,sms");
        const int full = (int)number(&sweep, sweep.rows, "blocks") / 64;
        const int sms = (int)number(&sweep, sweep.rows, "sms");
        const int room = full / sms;
        const int blocks = 2 * full + 5;
        int running[MAX_SMS] = {0}, most = 0, block, sm;
        size_t count = 0;
        unsigned long long start_ns, end_ns, clocks;

        snprintf(options, sizeof options, "--csv --runs 3 --blocks %d --work 20 --timeline %s",
                 blocks, path);
        code = run_program(argc, argv, options, text);
        EXPECT(code == EXIT_SUCCESS, "exit code %d with %s", code, options);
        EXPECT(full % sms == 0 && room >= 1 && blocks <= MAX_BLOCKS, "%d blocks on %d SMs", full,
               sms);

        FILE *stream = fopen(path, "r");
        EXPECT(stream && fscanf(stream, "block,sm,start_ns,end_ns,clock%1[s]", text) == 1,
               "the first line of %s", path);
        while (stream && count < MAX_BLOCKS &&
               fscanf(stream, "%d,%d,%llu,%llu,%llu", &block, &sm, &start_ns, &end_ns, &clocks) ==
                   5) {
            EXPECT(block >= 0 && block < blocks && !seen[block], "block %d", block);
            EXPECT(sm >= 0 && sm < MAX_SMS && start_ns < end_ns && clocks > 0, "block %d", block);
            if (broken_rules > 0)
                break;
            seen[block] = 1;
            edges[2 * count] = (struct edge){start_ns, sm, 1};
            edges[2 * count + 1] = (struct edge){end_ns, sm, -1};
            count++;
        }
        EXPECT((int)count == blocks, "%zu of %d blocks", count, blocks);
        qsort(edges, 2 * count, sizeof edges[0], compare_edges);
        for (size_t e = 0; e < 2 * count; e++) {
            running[edges[e].sm] += edges[e].step;
            most = running[edges[e].sm] > most ? running[edges[e].sm] : most;
        }
        EXPECT(most <= room, "%d blocks at once on an SM with room for %d", most, room);
        EXPECT(most > room / 2, "%d blocks at once on an SM with room for %d", most, room);
        if (stream)
            fclose(stream);
        code = broken_rules > 0 ? EXIT_FAILED : EXIT_SUCCESS;
    }
    unlink(path);
    return code;
}
