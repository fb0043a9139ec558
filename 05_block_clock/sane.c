/* SPDX-License-Identifier: MIT
 *
 * What must hold for the numbers of chapter 05, CUDA or OpenCL. (That every block's result is right
 * the programs check themselves, in every launch.) */
#define _GNU_SOURCE
#include "chapter_output.h"

static void rules(const struct csv *csv) {
    const double first_clocks = number(csv, 1, "clocks_mean");
    EXPECT(csv->rows >= 5, "%d rows", csv->rows);
    for (int row = 1; row <= csv->rows; row++) {
        const double blocks = number(csv, row, "blocks");
        const double min = number(csv, row, "clocks_min");
        const double mean = number(csv, row, "clocks_mean");
        const double middle = number(csv, row, "clocks_median");
        const double max = number(csv, row, "clocks_max");
        const double event_us = number(csv, row, "event_us");

        /* The rows print whole clocks: allow for the rounding. */
        EXPECT(
            min > 0 && min <= mean + 1 && mean <= max + 1 && min <= middle + 1 && middle <= max + 1,
            "%g blocks: min %g, mean %g, median %g, max %g clocks", blocks, min, mean, middle, max);
        /* Nothing ticks faster than 6 GHz: no block was longer than the event around all of them.
         */
        EXPECT(max / event_us < 6000, "%g blocks: %g clocks in %g us", blocks, max, event_us);
        EXPECT(mean < 20 * first_clocks && mean > 0.05 * first_clocks,
               "%g blocks take %g clocks each, and %g block %g", blocks, mean,
               number(csv, 1, "blocks"), first_clocks);
        if (*cell(csv, row, "span_us") == '\0')
            continue;
        const double span_us = number(csv, row, "span_us");
        const double sms = number(csv, row, "sms");
        EXPECT(span_us >= 0 && span_us <= event_us + 2, "%g blocks: span %g us, event %g us",
               blocks, span_us, event_us);
        EXPECT(max / (span_us + 2) < 6000, "%g blocks: %g clocks in a span of %g us", blocks, max,
               span_us);
        EXPECT(sms >= 1 && sms <= blocks, "%g blocks on %g SMs", blocks, sms);
        if (row == csv->rows) { /* the largest: the span goes on, and the clocks do not */
            const double growth = span_us / number(csv, 1, "span_us");
            EXPECT(growth > 4 * mean / first_clocks, "span x %g, clocks x %g", growth,
                   mean / first_clocks);
        }
    }
    const double event_growth = number(csv, csv->rows, "event_us") / number(csv, 1, "event_us");
    EXPECT(event_growth > 1.5, "the event x %g from the fewest blocks to the most", event_growth);
}

int main(int argc, char **argv) {
    return check_sanity(argc, argv,
                        "device,blocks,threads,runs,clocks_min,clocks_mean,clocks_median,"
                        "clocks_max,span_us,event_us,sms",
                        "blocks", rules);
}
