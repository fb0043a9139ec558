/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The GPU timing suite's contributors
 *
 * The command line, the processes and the report of compare.c and compare.cu: a file to copy. */
#pragma once

#include "compare.h"

#include <errno.h>
#include <getopt.h>
#include <spawn.h>
#include <sys/wait.h>

/* ---- What all processes say of two candidates ---- */

static inline int cmp_is_cold(const double *of) {
    return of[CMP_COLD] > 0 && of[CMP_COLD] > 1.15 * of[CMP_WARM];
}

/* Where launches get longer in steps, a difference is shown up to a step too large or too small. If
 * both meet the same steps, it is not turned round: the interval gets a step's width to each side,
 * and stays on its side of 0; the words say the condition. Below 0.05 % or a tenth of a step it has
 * no side: two kernels of one text differ as much by where they and their data lie. */
static inline void cmp_widen(double found[3], double step) {
    const double least = 0.05, side = 1e-9, wide = fmax(step, least),
                 low = fmin(found[1], found[0] - wide), high = fmax(found[2], found[0] + wide);
    const int has_side = fabs(found[0]) >= fmax(least, step / 10);
    found[1] = fmax(has_side && found[1] > 0 ? side : -100, low);
    found[2] = has_side && found[2] < 0 ? fmin(-side, high) : high;
}

/* How much more time does candidate i take than j, in percent: the median and its interval, which
 * holds for all comparisons at once. Returns its width before it gets that of a step. */
static inline double cmp_between(int i, int j, double step, double found[3]) {
    static double percent[CMP_PROCESSES];
    const int all = cmp_candidates * (cmp_candidates - 1) / 2 * cmp.among;
    for (int r = 0; r < cmp.rows; r++)
        percent[r] =
            100 * ((100 + cmp.table[r][CMP_MORE + i]) / (100 + cmp.table[r][CMP_MORE + j]) - 1);
    if (cmp.rows > 1)
        cmp_enclose(percent, (size_t)cmp.rows, all, found);
    else
        cmp_enclose_ratio(&cmp.all, i, j, all, found);
    const double width = found[2] - found[1];
    cmp_widen(found, step);
    return width;
}

/* How much more time does candidate i take than the best, whichever that is? Not less than 0; if
 * the interval begins at 0, it cannot be told from the best. */
static inline void cmp_behind(int i, double step, double found[3]) {
    double pair[3];
    found[0] = found[1] = found[2] = 0;
    for (int j = 0; j < cmp_candidates; j++)
        if (j != i) {
            cmp_between(i, j, step, pair);
            for (int k = 0; k < 3; k++)
                found[k] = fmax(found[k], pair[k]);
        }
}

/* The time of the fastest. Who chooses the least of several times by the same times gets too
 * little; so one half of the processes, or of the rounds of a single one, chooses, and the other
 * half gives the time. Both halves do both. */
static inline double cmp_fastest_us(void) {
    static double chosen_by[CMP_PAIRS], us[CMP_PAIRS];
    const size_t n = cmp.rows > 1 ? (size_t)cmp.rows : cmp.all.count;
    double sum_us = 0;
    for (size_t half = 0; half < 2; half++) {
        double least = INFINITY, fastest_us = 0;
        for (int i = 0; i < cmp_candidates; i++) {
            size_t choosing = 0, timing = 0;
            for (size_t k = 0; k < n; k++)
                if (k % 2 == half)
                    chosen_by[choosing++] =
                        cmp.rows > 1 ? cmp.table[k][CMP_MORE + i] : cmp.all.us[i][k];
                else
                    us[timing++] = cmp.rows > 1 ? cmp.table[k][CMP_US + i] : cmp.all.us[i][k];
            const double middle = cmp_median(chosen_by, choosing);
            if (middle < least) {
                least = middle;
                fastest_us = cmp_median(us, timing);
            }
        }
        sum_us += fastest_us;
    }
    return sum_us / 2;
}

/* ---- The report ---- */

/* "B takes 1.02 % more time than A (0.85 to 1.19 %)"; "... between 0.40 % less and 1.10 % more
 * time". */
static inline void cmp_print_difference(const char *b, const char *a, const double p[3]) {
    const double low = fmin(fabs(p[1]), fabs(p[2])), high = fmax(fabs(p[1]), fabs(p[2]));
    if (p[1] <= 0 && p[2] >= 0)
        printf("%s takes between %.2f %% less and %.2f %% more time than %s", b, fabs(p[1]), p[2],
               a);
    else
        printf("%s takes %.2f %% %s time than %s (%.2f to %.2f %%)", b, fabs(p[0]),
               p[2] < 0 ? "less" : "more", a, low, high);
}

/* What was seen, in the process where there was most of it. Why is another question. */
static inline void cmp_print_disturbed(FILE *to, double processes) {
    const double *late = cmp.table[0], *waited = late, *stolen = late;
    for (int i = 0; i < cmp.rows; i++) {
        const double *row = cmp.table[i];
        late = row[CMP_LATE] * late[CMP_TIMED] > late[CMP_LATE] * row[CMP_TIMED] ? row : late;
        waited = row[CMP_WAITED] > waited[CMP_WAITED] ? row : waited;
        stolen = row[CMP_STOLEN] > stolen[CMP_STOLEN] ? row : stolen;
    }
    if (processes > 0)
        fprintf(to, "Disturbed: %.0f of %d processes.", processes, cmp.rows);
    if (late[CMP_LATE] > late[CMP_TIMED] / 4)
        fprintf(to, " The host waited a millisecond too long in %.0f of %.0f timings.",
                late[CMP_LATE], late[CMP_TIMED]);
    if (waited[CMP_WAITED] > cmp_most_waited)
        fprintf(to,
                " The threads waited for a core for %.0f %% of their time: the processor had other "
                "work.",
                waited[CMP_WAITED]);
    if (stolen[CMP_STOLEN] > cmp_most_stolen)
        fprintf(to, " The host of this virtual machine took %.0f %% of the time.",
                stolen[CMP_STOLEN]);
    if (processes > 0)
        fprintf(to, "\n");
}

/* A launch that is alone finds nothing of an earlier one. Is it much longer than in the row? Or is
 * B/A another one? Half a microsecond: short grids drain differently. */
static inline void cmp_print_alone(const double *of) {
    const double *alone = of + CMP_SINGLE, *in_row = of + CMP_US;
    const double may_differ = 0.1 + (0.5 + of[CMP_ALONE] / 1e3) / alone[0];
    for (int i = 1; i < cmp_candidates && alone[0] > 0; i++)
        if (alone[0] > 2 * in_row[0] + 1 || alone[i] > 2 * in_row[i] + 1 ||
            fabs(alone[i] / alone[0] - in_row[i] / in_row[0]) > may_differ) {
            printf("Alone A takes %.2f us, %c %.2f us; in the row %.2f and %.2f: launches overlap, "
                   "or use what others left (caches, too). To time each alone: cmp_longest_row = "
                   "1.\n",
                   alone[0], 'A' + i, alone[i], in_row[0], in_row[i]);
            return;
        }
}

/* The verdict on two. */
static inline void cmp_print_two(const double *of, const char *verdict, double finds) {
    const double widest = fmax(fabs(of[CMP_LOW]), of[CMP_HIGH]);
    const int one = cmp.rows == 1, undecided = strcmp(verdict, "undecided") == 0;
    const char *us = cmp.clock ? " us" : "";
    if (undecided)
        printf("Not decided: ");
    if (strcmp(verdict, "same") == 0)
        printf("No difference larger than %.2f %% either way", widest);
    else
        cmp_print_difference("B", "A", of);
    if (strstr(verdict, "below_step"))
        printf(", if both meet the same steps: it is less than one.\n");
    else
        printf("%s.\n", !one ? ", 95 % sure" : cmp.clock ? " in this process" : " in these pairs");
    if (undecided && of[CMP_LEAST] > fmin(cmp.percent, 0.45 * finds))
        printf("Such times cannot tell less than %.2f %% of A: put more work into one launch.\n",
               of[CMP_LEAST]);
    else if (undecided && !one)
        printf("To decide on %.2f %% take some %.0f processes.\n", cmp.percent,
               ceil(cmp.rows * pow(widest / cmp.percent, 2) - 1e-9));
    if (of[CMP_EMPTY] > 0) { /* what a launch costs is in this one, for all who pay for it */
        const double part = of[CMP_US] / (of[CMP_US] + of[CMP_EMPTY]);
        const double whole[] = {part * of[0], part * of[1], part * of[2]};
        printf("With the %.2f us that an empty kernel takes, ", of[CMP_EMPTY]);
        cmp_print_difference("B", "A", whole);
        printf(".\n");
    }
    printf("Medians: A %.2f%s, B %.2f%s; %d process%s, %.0f pairs in each.\n", of[CMP_US], us,
           of[CMP_US + 1], us, cmp.rows, one ? "" : "es", of[CMP_COUNT]);
}

/* The verdict on more: who cannot be told from the best, and how far behind are the others? */
static inline void cmp_print_many(const double *of) {
    double behind[CMP_MOST][3];
    const char *comma = "";
    int out = 0;
    printf("Fastest: ");
    for (int i = 0; i < cmp_candidates; i++) {
        cmp_behind(i, of[CMP_LEAST], behind[i]);
        out += behind[i][1] > 0;
        if (behind[i][1] <= 0) {
            printf("%s%c", comma, 'A' + i);
            comma = ", ";
        }
    }
    printf("%s%s, %s.\n", cmp_candidates - out > 1 ? ", which cannot be told apart" : "",
           out > 0 ? "; the others are slower" : "",
           cmp.rows > 1 ? "95 % sure of all comparisons at once" : "in this process");
    printf("    median_us  slower_percent    from      to\n");
    for (int i = 0; i < cmp_candidates; i++)
        printf("%c %11.2f %15.2f %7.2f %7.2f%s\n", 'A' + i, of[CMP_US + i], behind[i][0],
               behind[i][1], behind[i][2],
               behind[i][1] > 0 && behind[i][0] < of[CMP_LEAST]
                   ? "  if all meet the same steps: it is less than one"
                   : "");
    printf("The fastest takes %.2f%s: by rounds that did not choose it. %d process%s, %.0f rounds "
           "in each.\n",
           cmp_fastest_us(), cmp.clock ? " us" : "", cmp.rows, cmp.rows == 1 ? "" : "es",
           of[CMP_COUNT]);
    if (cmp.clock)
        printf("An empty kernel takes %.2f us, which are in none of these times.\n", of[CMP_EMPTY]);
}

/* Which time, and how full were the caches? */
static inline void cmp_print_time(const double *of) {
    const int alone = of[CMP_ROW] <= 1;
    printf("Time: %s%s minus an empty kernel's; %.0f launch%s at a time; the caches ",
           alone ? "that of the code, by " : "the cost in a row", alone ? cmp.clock : "",
           of[CMP_ROW], alone ? "" : "es");
    if (!cmp.cold)
        printf("as %s left them.\n", alone ? "prepare()" : "the launch before");
    else
        printf("%s: memory that was just read takes %.2f us to read, behind other data %.2f us.\n",
               cmp_is_cold(of) ? "cold" : "NOT SHOWN TO BE COLD", of[CMP_WARM], of[CMP_COLD]);
}

/* of: what the record's columns are in all processes together. */
static inline void cmp_print_words(const double *of, const char *verdict, double finds,
                                   double within, double between) {
    const int one = cmp.rows == 1;
    cmp_print_disturbed(stdout, of[CMP_DISTURBED]);
    if (!(of[CMP_HIGH] < INFINITY)) {
        printf("Not decided: too few %s, %.0f.\n", one ? "pairs" : "processes",
               one ? of[CMP_COUNT] : cmp.rows);
        return;
    }
    if (cmp_candidates == 2)
        cmp_print_two(of, verdict, finds);
    else
        cmp_print_many(of);
    cmp_print_alone(of);
    if (cmp.clock)
        cmp_print_time(of);
    if (of[CMP_ALONE] > 0)
        printf("Steps: the clock's tick is %.0f ns. A launch gets longer in steps of %.0f ns if "
               "alone, of %.0f ns in this row.\n",
               of[CMP_TICK], of[CMP_ALONE], of[CMP_STEP]);
    if (!one && within < INFINITY) {
        printf("Spread%s: %.2f %% of a process's median, ", cmp_candidates > 2 ? " of B/A" : "",
               within);
        printf(between < 0.005 ? "no more" : "%.2f %%", between);
        printf(" from process to process (standard deviations).\n");
    }
    if (cmp.clock && of[CMP_CONTROL + 2] < INFINITY) {
        cmp_print_difference("Control, of a quarter of the pairs: A", "A itself", of + CMP_CONTROL);
        printf(".\n");
    }
    printf(one ? "Another process may find something else.\n"
               : "A run with such a spread would find some %.2f %%.\n",
           fmax(finds, 0.05));
}

static inline void cmp_print_record(FILE *to, const double *of, const char *verdict, double within,
                                    double between) {
    double behind[3];
    const char *name;
    fprintf(to, "# program,compare\n# device,%s\n# cold,%d\n# seconds,%g\n# percent,%g\n",
            cmp.device_name, cmp.cold, cmp.seconds, cmp.percent);
    fprintf(to, "# candidates,%d\n# processes,%d\n# repeated,%d\n# verdict,%s\n", cmp_candidates,
            cmp.rows, cmp.repeated, verdict);
    fprintf(to, "# within_percent,%.3f\n# between_percent,%.3f\n", within, between);
    for (int i = 0; i < cmp_candidates && cmp_candidates > 2; i++) {
        cmp_behind(i, of[CMP_LEAST], behind);
        fprintf(to, "# slower_%c_percent,%.3f\n# slower_%c_low_percent,%.3f\n", 'a' + i, behind[0],
                'a' + i, behind[1]);
        fprintf(to, "# slower_%c_high_percent,%.3f\n", 'a' + i, behind[2]);
    }
    if (cmp_candidates > 2)
        fprintf(to, "# fastest_us,%.3f\n", cmp_fastest_us());
    for (int c = 0; c < CMP_COLUMNS; c++)
        if ((name = cmp_column(c)))
            fprintf(to, "# %s,%.*f\n", name, c < CMP_COUNT || c == CMP_LEAST ? 3 : 0, of[c]);
    fprintf(to, "process");
    for (int c = 0; c < CMP_COLUMNS; c++)
        if ((name = cmp_column(c)))
            fprintf(to, ",%s", name);
    for (int i = 0; i < cmp.rows; i++) {
        fprintf(to, "\n%d", i + 1);
        for (int c = 0; c < CMP_COLUMNS; c++)
            if (cmp_column(c))
                fprintf(to, ",%.8g", cmp.table[i][c]);
    }
    fprintf(to, "\n");
}

/* ---- The gate: one line, and what the program ends with ---- */

enum { CMP_SLOWER = 3, CMP_UNDECIDED, CMP_NOT_MEASURED };

/* Adds a row to the history, and says the line. worst: of the candidate that is most behind A. */
static inline int cmp_say_gate(int answer, int which, const double *worst, const double *of) {
    static const char *const words[] = {"not slower",  "", "", "slower", "not decided",
                                        "not measured"};
    const int bounds = (cmp_candidates - 1) * cmp.among;
    const size_t rank = cmp_rank((size_t)cmp.rows, cmp_candidates * bounds / 2);
    double chance = pow(0.5, cmp.rows), red = 0;
    char date[32];
    const time_t now = time(NULL);
    FILE *to = cmp.record;
    for (size_t k = 0; k < rank; k++) { /* that the interval lies beyond the true median */
        red += chance;
        chance *= (double)((size_t)cmp.rows - k) / (double)(k + 1);
    }
    red *= 100 * (cmp_candidates - 1);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    if (to && (to == stdout || ftell(to) == 0))
        fprintf(to, "date,device,gate_percent,answer,slowest,difference_percent,low_percent,"
                    "high_percent,median_a_us,processes,among,red_percent\n");
    if (to)
        fprintf(to, "%s,\"%s\",%.3f,%s,%c,%.3f,%.3f,%.3f,%.3f,%d,%d,%.3f\n", date, cmp.device_name,
                cmp.gate_percent, words[answer], which, worst[0], worst[1], worst[2], of[CMP_US],
                cmp.rows, cmp.among, red);
    if (to == stdout)
        return answer;
    printf("gate %.2f %%: %s: ", fmax(0, cmp.gate_percent), words[answer]);
    if (answer == CMP_NOT_MEASURED) {
        if (cmp.rows > 0)
            cmp_print_disturbed(stderr, of[CMP_DISTURBED]);
        printf("%s\n",
               cmp.rows > 0 ? "the machine was disturbed, or a cache not cold" : "see above");
        return answer;
    }
    cmp_print_difference(cmp_name((char)which), "A", worst);
    printf(". A true difference of %.2f %% is called slower in at most %.2g %% of runs.\n",
           cmp.gate_percent, red);
    return answer;
}

/* No candidate may take so much more time than A. */
static inline int cmp_gate_answer(const double *of) {
    double pair[3], worst[3] = {-100, -100, -100}, high = -100;
    int which = 'B';
    if (cmp.gate_percent < 0) /* auto: by A against A, of this run */
        cmp.gate_percent =
            2 * fmax(0.1, fmax(of[CMP_LEAST], fmax(-of[CMP_CONTROL + 1], of[CMP_CONTROL + 2])));
    for (int i = 1; i < cmp_candidates; i++) {
        cmp_between(i, 0, of[CMP_LEAST], pair);
        high = fmax(high, pair[2]);
        if (i == 1 || pair[1] > worst[1]) {
            memcpy(worst, pair, sizeof pair);
            which = 'A' + i;
        }
    }
    int answer = worst[1] > cmp.gate_percent ? CMP_SLOWER : CMP_UNDECIDED;
    if (high < cmp.gate_percent)
        answer = 0;
    if (of[CMP_DISTURBED] > 0 || (cmp.cold && !cmp_is_cold(of)))
        answer = CMP_NOT_MEASURED;
    return cmp_say_gate(answer, which, worst, of);
}

/* A process failed, and has said why. A gate has an answer for that, too. */
__attribute__((noreturn)) static inline void cmp_give_up(int code) {
    static const double none[CMP_COLUMNS] = {0};
    cmp.rows = 0;
    if (cmp.gate_percent != 0)
        code = cmp_say_gate(CMP_NOT_MEASURED, '-', none, none);
    if (fflush(stdout) != 0)
        code = 1;
    exit(code);
}

/* What all rows say together: record and words. Returns what the program ends with. */
static inline int cmp_finish(void) {
    static double column[CMP_PROCESSES];
    double of[CMP_COLUMNS] = {0}, all[3], disturbed = 0, mean = 0, squares = 0;
    const size_t n = (size_t)cmp.rows;
    for (int c = 0; c < CMP_COLUMNS; c++) {
        for (size_t i = 0; i < n; i++)
            column[i] = cmp.table[i][c];
        cmp_enclose(column, n, 1, all);
        of[c] = all[0];
        if (n > 1 && c == CMP_CONTROL + 2) { /* by now its median is in its place */
            for (size_t i = 0; i < n; i++)
                column[i] = cmp.table[i][CMP_CONTROL];
            cmp_enclose(column, n, 1, of + CMP_CONTROL);
        }
    }
    for (size_t i = 0; i < n; i++) {
        disturbed += cmp.table[i][CMP_DISTURBED];
        mean += cmp.table[i][CMP_DIFFERENCE] / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        squares += pow(cmp.table[i][CMP_DIFFERENCE] - mean, 2);
    of[CMP_DISTURBED] = disturbed;
    const double within = (of[CMP_HIGH] - of[CMP_LOW]) / 2 / 1.96; /* of an interval of 95 % */
    const double between = sqrt(fmax(0, squares / fmax(1, (double)n - 1) - within * within));
    const double finds = fmax(cmp_between(1, 0, of[CMP_LEAST], of), of[CMP_LEAST]);
    const int is_below = fabs(of[CMP_DIFFERENCE]) < of[CMP_LEAST];
    const char *verdict = of[CMP_LOW] > 0    ? is_below ? "longer_below_step" : "longer"
                          : of[CMP_HIGH] < 0 ? is_below ? "shorter_below_step" : "shorter"
                          : fmax(-of[CMP_LOW], of[CMP_HIGH]) <= cmp.percent ? "same"
                                                                            : "undecided";
    int answer = 0;
    if (cmp.gate_percent != 0)
        answer = cmp_gate_answer(of);
    else if (cmp.record)
        cmp_print_record(cmp.record, of, verdict, within, between);
    if (cmp.record != stdout && cmp.clock && cmp.processes == 1)
        printf("%s\n", cmp.device_name); /* of many the first one's line has it */
    if (cmp.record != stdout && cmp.gate_percent == 0)
        cmp_print_words(of, verdict, finds, within, between);
    if ((!cmp.record || fflush(cmp.record) == 0) && fflush(stdout) == 0)
        return answer;
    perror("cannot write the result");
    return 1;
}

/* ---- The command line ---- */

/* Ends with 2 and one line. */
__attribute__((noreturn)) static inline void cmp_usage(const char *what, const char *text) {
    if (cmp.line > 0)
        fprintf(stderr, "line %d of the input: ", cmp.line);
    fprintf(stderr, "%s '%s'\n", what, text);
    exit(2);
}

/* The positive number at `text`, up to `most`, and nothing behind it. */
static inline double cmp_number(const char *text, double most, const char *what) {
    char *end;
    const double x = strtod(text, &end);
    if (end == text || *end || !(x > 0 && x <= most) ||
        strspn(text, "0123456789.eE+-") != strlen(text))
        cmp_usage(what, text);
    return x;
}

extern char **environ;

/* Starts this program again, for one process. Returns whether it has a row, which comes last. */
static inline int cmp_run_process(char *self, double *row) {
    char seconds[32], line[2048] = "", *end = line, device[300];
    char first[] = "--first=A"; /* in the warm-up */
    char *arguments[8] = {self, (char *)"--processes=1", (char *)"--csv", seconds, first};
    const char *program = access("/proc/self/exe", X_OK) == 0 ? "/proc/self/exe" : self;
    int ends[2], status;
    pid_t child;
    posix_spawn_file_actions_t actions;
    FILE *said;
    first[8] = (char)('A' + cmp.rows % cmp_candidates);
    snprintf(seconds, sizeof seconds, "%g", cmp.seconds);
    snprintf(device, sizeof device, "--device=%s", cmp.wanted ? cmp.wanted : "");
    int more = 5;
    if (cmp.cold)
        arguments[more++] = (char *)"--cold";
    if (cmp.wanted)
        arguments[more] = device;
    setenv("CMP_PROCESS", "1", 1); /* see cmp_begin() */
    signal(SIGCHLD, SIG_DFL);      /* if it is ignored, nobody can wait */
    if (pipe(ends) != 0 || !(said = fdopen(ends[0], "r")) ||
        (errno = posix_spawn_file_actions_init(&actions)) != 0 ||
        (errno = posix_spawn_file_actions_adddup2(&actions, ends[1], 1)) != 0 ||
        (errno = posix_spawn_file_actions_addclose(&actions, ends[0])) != 0 ||
        (errno = posix_spawn(&child, program, &actions, NULL, arguments, environ)) != 0) {
        perror("cannot start a process");
        exit(1);
    }
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    cmp.child = child;
    cmp_limit((unsigned)(20 * cmp.seconds) + 600, 'P', "has no end");
    while (fgets(line, sizeof line, said))
        sscanf(line, "# device,%255[^\n]", cmp.device_name);
    fclose(said);
    if (waitpid(child, &status, 0) != child) {
        perror("cannot wait for a process");
        exit(1);
    }
    alarm(0);
    cmp.child = 0;
    if (WIFSIGNALED(status))
        fprintf(stderr, "process %d: signal %d, %s\n", cmp.rows + 1, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    if (status != 0) /* else it has said why */
        cmp_give_up(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    strtod(line, &end);
    for (int c = 0; c < CMP_COLUMNS; c++)
        if (cmp_column(c) && *end == ',')
            row[c] = strtod(end + 1, &end);
    return *end == '\n';
}

/* For several processes: runs them, reports and ends the program. One process returns at once. */
static inline void cmp_run_processes(char *self) {
    const int is_terminal = isatty(STDERR_FILENO);
    if (cmp.seconds <= 0) /* not said */
        cmp.seconds = cmp.is_cpu ? 2.5 : 0.5;
    if (cmp.processes == 1)
        return;
    if (cmp.processes * cmp.seconds >= 3)
        fprintf(stderr, "%d processes of %g s and their set-up: some %.0f s\n", cmp.processes,
                cmp.seconds, cmp.processes * (cmp.seconds + 0.5));
    while (cmp.rows < cmp.processes) {
        double *row = cmp.table[cmp.rows];
        if (is_terminal)
            fprintf(stderr, "\rprocess %d of %d\r", cmp.rows + 1, cmp.processes);
        if (!cmp_run_process(self, row) || !(row[CMP_HIGH] < INFINITY)) {
            fprintf(stderr, "process %d has too few pairs: give it more SECONDS\n", cmp.rows + 1);
            cmp_give_up(1);
        }
        const int again = row[CMP_DISTURBED] > 0 && cmp.repeated < CMP_REPEATS;
        if (cmp.record != stdout && cmp.gate_percent == 0) {
            if (cmp.rows + cmp.repeated == 0)
                printf("%s\n", cmp.device_name);
            printf("process %d: B/A %.5f (%.5f to %.5f)", cmp.rows + 1,
                   1 + row[CMP_DIFFERENCE] / 100, 1 + row[CMP_LOW] / 100, 1 + row[CMP_HIGH] / 100);
            for (int i = 2; i < cmp_candidates; i++)
                printf(", %c/A %.5f", 'A' + i, (100 + row[CMP_MORE + i]) / (100 + row[CMP_MORE]));
            printf("%s\n", again                    ? ", disturbed: once more"
                           : row[CMP_DISTURBED] > 0 ? ", disturbed"
                                                    : "");
            fflush(stdout);
        }
        cmp.repeated += again;
        cmp.rows += !again;
    }
    exit(cmp_finish());
}

/* For each device: is it the one that --device names, by its number or a part of its name? Prints
 * it, if a list is wanted. */
static inline int cmp_is_wanted(int number, const char *name) {
    char digits[16];
    snprintf(digits, sizeof digits, "%d", number);
    if (cmp.wanted && strcmp(cmp.wanted, "list") == 0)
        printf("%d: %s\n", number, name);
    return !cmp.wanted || strcmp(cmp.wanted, digits) == 0 ||
           (strspn(cmp.wanted, "0123456789") < strlen(cmp.wanted) && strstr(name, cmp.wanted));
}

/* Behind all devices: ends the program, unless one was found. */
static inline void cmp_end_list(int found, const char *none) {
    if (cmp.wanted && strcmp(cmp.wanted, "list") == 0)
        exit(fflush(stdout) != 0);
    if (found)
        return;
    if (cmp.wanted)
        fprintf(stderr, "--device: none is '%s'; --device=list shows them\n", cmp.wanted);
    else
        fprintf(stderr, "%s\n", none);
    exit(cmp.wanted ? 2 : 77); /* 77: what test runners count as skipped */
}

/* Times in us of standard input, a line for each round; an empty line ends a process. */
static inline int cmp_read_rounds(double step) {
    char line[256];
    int count = 0; /* of times in a line: as many as in the first one */
    for (int more = 1, fresh = 1; more;) {
        double us[CMP_MOST] = {0};
        int n = 0;
        more = fgets(line, sizeof line, stdin) != NULL;
        cmp.line++;
        const char *first = more ? strtok(line, " \t,\r\n") : NULL;
        for (const char *word = first; word; word = strtok(NULL, " \t,\r\n")) {
            if (n == CMP_MOST)
                cmp_usage("more than eight times:", word);
            us[n++] = cmp_number(word, 1e12, "not a time:");
        }
        count = count > 0 ? count : n;
        if (n > 0 && (n < 2 || n != count))
            cmp_usage("not a time of each candidate, A B ...:", first);
        if (n > 0 && fresh)
            cmp.all.count = cmp.times = 0;
        if (cmp.all.count == CMP_PAIRS || cmp.rows == CMP_PROCESSES)
            cmp_usage("more than there is room for:", first ? first : "");
        if (n > 0) {
            fresh = 0;
            cmp_candidates = n;
            cmp_add(&cmp.all, us, n);
            for (int i = 0; i < n && cmp.times < CMP_TIMES; i++)
                cmp.times_us[cmp.times++] = us[i];
        } else if (!fresh) { /* a tick shows in the times */
            fresh = 1;
            cmp_add_row(cmp_tick_us(cmp.times_us, cmp.times, 0x1p-23), step);
        }
    }
    if (ferror(stdin) || cmp.rows == 0)
        cmp_usage("no times:", "-");
    return cmp_finish();
}

/* Reads the arguments. candidates: how many there are. */
static inline void cmp_begin(int argc, char **argv, int candidates, const char *clock) {
    static const char help[] =
        "usage: compare [SECONDS [PERCENT]] [OPTION...]\n"
        "       compare - [STEP]\n"
        "Which launch is faster, A or B (or C, ...)? Times them in rounds, in several processes.\n"
        "  SECONDS        for which each process measures, up to 3600; if not said, 0.5, or 2.5 "
        "on\n"
        "                 a processor\n"
        "  PERCENT        the smallest difference that matters to you, 0.5\n"
        "  --processes N  1, or 6 to 999; 9 for two candidates, more for more. With 1 the result\n"
        "                 holds for that process alone\n"
        "  --cold         each launch finds the caches without its data, and is timed alone\n"
        "  --device D     its number, a part of its name, or list\n"
        "  --csv[=FILE]   writes the numbers by name; without FILE in place of the words\n"
        "  --gate PERCENT one line: is B (or another) slower than A by so much? auto: by twice "
        "what\n"
        "                 A differs from A. Here --csv=FILE adds a row to FILE\n"
        "  --among M      the gate is one of M, which hold together\n"
        "  -              reads times in us from standard input, a line 'A B' for each round and "
        "an\n"
        "                 empty line behind each process; STEP: of their clock, in us\n"
        "Ends with 0; 1: no result, and why; 2: wrong arguments; 77: no such device here. With\n"
        "--gate 0: not slower; 3: slower; 4: not decided; 5: disturbed, or not measured.\n";
    static const struct option known[] = {{"processes", required_argument, NULL, 'p'},
                                          {"cold", no_argument, NULL, 'c'},
                                          {"csv", optional_argument, NULL, 'r'},
                                          {"device", required_argument, NULL, 'd'},
                                          {"first", required_argument, NULL, 'f'},
                                          {"gate", required_argument, NULL, 'g'},
                                          {"among", required_argument, NULL, 'm'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    const char *processes = NULL, *record = NULL;
    cmp_candidates = candidates;
    cmp.percent = 0.5;
    cmp.row = cmp.delay = cmp.among = 1;
    for (int i = 0; i <= CMP_MOST; i++)
        cmp.host_us[i] = cmp.outside_us[i] = INFINITY;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;)
        if (option == 'p')
            processes = optarg;
        else if (option == 'c')
            cmp.cold = 1;
        else if (option == 'd')
            cmp.wanted = optarg;
        else if (option == 'f')
            cmp.first = optarg && *optarg >= 'A' && *optarg < 'A' + candidates ? *optarg - 'A' : 0;
        else if (option == 'g')
            cmp.gate_percent = strcmp(optarg, "auto") == 0
                                   ? -1
                                   : cmp_number(optarg, 100, "--gate is up to 100, or auto, not");
        else if (option == 'm')
            cmp.among = (int)cmp_number(optarg, 1000, "--among is up to 1000, not");
        else if (option == 'h')
            exit(fputs(help, stdout) < 0 || fflush(stdout) != 0);
        else if (option != 'r')
            cmp_usage("not an option, or without what it needs (see --help):", argv[optind - 1]);
        else
            record = optarg ? optarg : "";
    char **rest = argv + optind;
    const int pairs = candidates * (candidates - 1) / 2 * cmp.among;
    for (cmp.processes = 9; cmp_rank((size_t)cmp.processes, pairs) < 2; cmp.processes++) {
    }
    if (processes) {
        const double n = cmp_number(processes, CMP_PROCESSES, "--processes is 1, or 6 to 999, not");
        cmp.processes = (int)n;
        if (cmp.processes != n || (n > 1 && n < 6))
            cmp_usage("--processes is 1, or 6 to 999, not", processes);
        if (n > 1 && cmp_rank((size_t)n, pairs) < 1)
            cmp_usage("so many comparisons at once take more --processes than", processes);
    }
    if (cmp.gate_percent != 0 && cmp.processes == 1)
        cmp_usage("--gate takes several --processes, not", "1");
    if (argc - optind > 2)
        cmp_usage("one argument too many (see --help):", rest[2]);
    if (record)
        cmp.record = *record ? fopen(record, cmp.gate_percent != 0 ? "a" : "w") : stdout;
    if (record && !cmp.record)
        cmp_usage("cannot write the record:", record);
    if (record && *record)
        fseek(cmp.record, 0, SEEK_END); /* is it a new one? see cmp_say_gate() */
    if (rest[0] && strcmp(rest[0], "-") == 0 && cmp.gate_percent < 0)
        cmp_usage("--gate auto takes A against A, which is not in", "-");
    if (rest[0] && strcmp(rest[0], "-") == 0)
        exit(cmp_read_rounds(rest[1] ? cmp_number(rest[1], 1e12, "not a step:") : 0));
    cmp.clock = clock;
    if (rest[0])
        cmp.seconds = cmp_number(rest[0], 3600, "SECONDS is up to 3600, not");
    if (rest[0] && rest[1])
        cmp.percent = cmp_number(rest[1], 100, "PERCENT is up to 100, not");
    if (cmp.processes > 1 && getenv("CMP_PROCESS")) { /* it would start itself without end */
        fprintf(stderr, "a process of compare starts processes: its arguments do not reach it\n");
        exit(1);
    }
}
