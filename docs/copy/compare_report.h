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

/* A launch that is alone finds nothing of an earlier one. Is it much longer than in the row? Or is
 * B/A another one? Half a microsecond: short grids drain differently. */
static inline void cmp_print_alone(const double *of) {
    const double *alone = of + CMP_SINGLE, *in_row = of + CMP_A;
    const double may_differ = 0.1 + (0.5 + of[CMP_ALONE] / 1e3) / alone[0];
    if (alone[0] > 0 && (alone[0] > 2 * in_row[0] + 1 || alone[1] > 2 * in_row[1] + 1 ||
                         fabs(alone[1] / alone[0] - 1 - of[CMP_DIFFERENCE] / 100) > may_differ))
        printf(
            "Alone A takes %.2f us, B %.2f us; in the row %.2f and %.2f: launches overlap, or use "
            "what others left (caches, too). To time each alone: cmp_longest_row = 1.\n",
            alone[0], alone[1], in_row[0], in_row[1]);
}

/* What was seen, in the process where there was most of it. Why is another question. */
static inline void cmp_print_disturbed(double processes) {
    const double *late = cmp.table[0], *waited = late, *stolen = late;
    for (int i = 0; i < cmp.rows; i++) {
        const double *row = cmp.table[i];
        late = row[CMP_LATE] * late[CMP_TIMED] > late[CMP_LATE] * row[CMP_TIMED] ? row : late;
        waited = row[CMP_WAITED] > waited[CMP_WAITED] ? row : waited;
        stolen = row[CMP_STOLEN] > stolen[CMP_STOLEN] ? row : stolen;
    }
    if (processes > 0)
        printf("Disturbed: %.0f of %d processes.", processes, cmp.rows);
    if (late[CMP_LATE] > late[CMP_TIMED] / 4)
        printf(" The host waited a millisecond too long in %.0f of %.0f timings.", late[CMP_LATE],
               late[CMP_TIMED]);
    if (waited[CMP_WAITED] > cmp_most_waited)
        printf(" The threads waited for a core for %.0f %% of their time: the processor had other "
               "work.",
               waited[CMP_WAITED]);
    if (stolen[CMP_STOLEN] > cmp_most_stolen)
        printf(" The host of this virtual machine took %.0f %% of the time.", stolen[CMP_STOLEN]);
    if (processes > 0)
        printf("\n");
}

/* of: what the record's columns are in all processes together. */
static inline void cmp_print_words(const double *of, const char *verdict, double finds,
                                   double within, double between) {
    const double widest = fmax(fabs(of[CMP_LOW]), of[CMP_HIGH]);
    const int one = cmp.rows == 1, undecided = strcmp(verdict, "undecided") == 0;
    const char *us = cmp.clock ? " us" : "";
    cmp_print_disturbed(of[CMP_DISTURBED]);
    if (!(widest < INFINITY)) {
        printf("Not decided: too few %s, %.0f.\n", one ? "pairs" : "processes",
               one ? of[CMP_COUNT] : cmp.rows);
        return;
    }
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
               ceil(cmp.rows * pow(widest / cmp.percent, 2)));
    printf("Medians: A %.2f%s, B %.2f%s; %d process%s, %.0f pairs in each.\n", of[CMP_A], us,
           of[CMP_B], us, cmp.rows, one ? "" : "es", of[CMP_COUNT]);
    cmp_print_alone(of);
    if (cmp.clock)
        printf("Time: %s, %.0f in a row, minus an empty kernel; the caches %s.\n", cmp.clock,
               of[CMP_ROW],
               cmp.cold          ? "full of other data"
               : of[CMP_ROW] > 1 ? "as the launch before left them"
                                 : "as prepare() left them");
    if (of[CMP_ALONE] > 0)
        printf("Steps: the clock's tick is %.0f ns. A launch gets longer in steps of %.0f ns if "
               "alone, of %.0f ns in this row.\n",
               of[CMP_TICK], of[CMP_ALONE], of[CMP_STEP]);
    if (!one && within < INFINITY) {
        printf("Spread: %.2f %% of a process's median, ", within);
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

/* What all rows say together: record and words. Returns what the program ends with. */
static inline int cmp_finish(void) {
    static double column[CMP_PROCESSES];
    double of[CMP_COLUMNS] = {0}, all[3], within = 0, disturbed = 0, mean = 0, squares = 0;
    const size_t n = (size_t)cmp.rows;
    for (int c = CMP_COLUMNS - 1; c >= 0; c--) { /* the intervals come last */
        for (size_t i = 0; i < n; i++)
            column[i] = cmp.table[i][c];
        cmp_enclose(column, n, all);
        of[c] = all[0];
        if (c == CMP_DIFFERENCE)
            within = (of[CMP_HIGH] - of[CMP_LOW]) / 2 / 1.96; /* of an interval of 95 % */
        if (n > 1 && (c == CMP_DIFFERENCE || c == CMP_CONTROL))
            memcpy(of + c, all, sizeof all);
    }
    for (size_t i = 0; i < n; i++) {
        disturbed += cmp.table[i][CMP_DISTURBED];
        mean += cmp.table[i][CMP_DIFFERENCE] / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        squares += pow(cmp.table[i][CMP_DIFFERENCE] - mean, 2);
    of[CMP_DISTURBED] = disturbed;
    const double finds = fmax(of[CMP_HIGH] - of[CMP_LOW], of[CMP_LEAST]);
    const int is_below = fabs(of[CMP_DIFFERENCE]) < of[CMP_LEAST];
    cmp_widen(of + CMP_DIFFERENCE, of[CMP_LEAST]);
    const double between = sqrt(fmax(0, squares / fmax(1, (double)n - 1) - within * within));
    const char *verdict = of[CMP_LOW] > 0    ? is_below ? "longer_below_step" : "longer"
                          : of[CMP_HIGH] < 0 ? is_below ? "shorter_below_step" : "shorter"
                          : fmax(-of[CMP_LOW], of[CMP_HIGH]) <= cmp.percent ? "same"
                                                                            : "undecided";
    if (cmp.record) {
        fprintf(cmp.record,
                "# program,compare\n# device,%s\n# cold,%d\n# seconds,%g\n# percent,%g\n",
                cmp.device_name, cmp.cold, cmp.seconds, cmp.percent);
        fprintf(cmp.record, "# processes,%d\n# repeated,%d\n# verdict,%s\n", cmp.rows, cmp.repeated,
                verdict);
        fprintf(cmp.record, "# within_percent,%.3f\n# between_percent,%.3f\n", within, between);
        for (int c = 0; c < CMP_COLUMNS; c++)
            fprintf(cmp.record, "# %s,%.*f\n", cmp_columns[c],
                    c < CMP_COUNT || c == CMP_LEAST ? 3 : 0, of[c]);
        fprintf(cmp.record, "process");
        for (int c = 0; c < CMP_COLUMNS; c++)
            fprintf(cmp.record, ",%s", cmp_columns[c]);
        for (int i = 0; i < cmp.rows; i++) {
            fprintf(cmp.record, "\n%d", i + 1);
            for (int c = 0; c < CMP_COLUMNS; c++)
                fprintf(cmp.record, ",%.8g", cmp.table[i][c]);
        }
        fprintf(cmp.record, "\n");
    }
    if (cmp.record != stdout && cmp.clock && cmp.processes == 1)
        printf("%s\n", cmp.device_name); /* of many the first one's line has it */
    if (cmp.record != stdout)
        cmp_print_words(of, verdict, finds, within, between);
    if ((!cmp.record || fflush(cmp.record) == 0) && fflush(stdout) == 0)
        return 0;
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
    char seconds[32], line[1024] = "", *end = line, device[300];
    char *first = (char *)(cmp.rows % 2 ? "--first=B" : "--first=A"); /* in the warm-up */
    char *arguments[8] = {self, (char *)"--processes=1", (char *)"--csv", seconds, first};
    const char *program = access("/proc/self/exe", X_OK) == 0 ? "/proc/self/exe" : self;
    int ends[2], status;
    pid_t child;
    posix_spawn_file_actions_t actions;
    FILE *said;
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
        exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    strtod(line, &end);
    for (int c = 0; c < CMP_COLUMNS && *end == ','; c++)
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
            exit(1);
        }
        const int again = row[CMP_DISTURBED] > 0 && cmp.repeated < CMP_REPEATS;
        if (cmp.record != stdout) {
            if (cmp.rows + cmp.repeated == 0)
                printf("%s\n", cmp.device_name);
            printf("process %d: B/A %.5f (%.5f to %.5f)%s\n", cmp.rows + 1,
                   1 + row[CMP_DIFFERENCE] / 100, 1 + row[CMP_LOW] / 100, 1 + row[CMP_HIGH] / 100,
                   again                    ? ", disturbed: once more"
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

static inline void cmp_add_times(double a_us, double b_us) {
    cmp_add(&cmp.ab, a_us, b_us);
    for (int i = 0; i < 2 && cmp.times < CMP_TIMES; i++)
        cmp.times_us[cmp.times++] = i ? b_us : a_us;
}

/* Times in us of standard input, a line for each pair; an empty line ends a process. */
static inline int cmp_read_pairs(double step) {
    char line[256];
    for (int more = 1; more;) {
        more = fgets(line, sizeof line, stdin) != NULL;
        cmp.line++;
        const char *a = more ? strtok(line, " \t,\r\n") : NULL;
        const char *b = a ? strtok(NULL, " \t,\r\n") : NULL;
        if (a && (!b || strtok(NULL, " \t,\r\n")))
            cmp_usage("not two times, of A and of B:", a);
        if (cmp.ab.count == CMP_PAIRS || cmp.rows == CMP_PROCESSES)
            cmp_usage("more than there is room for:", a ? a : "");
        if (a)
            cmp_add_times(cmp_number(a, 1e12, "not a time:"), cmp_number(b, 1e12, "not a time:"));
        else if (cmp.ab.count > 0) { /* a tick shows in the times */
            cmp_add_row(cmp_tick_us(cmp.times_us, cmp.times, 0x1p-23), step);
            cmp.ab.count = cmp.times = 0;
        }
    }
    if (ferror(stdin) || cmp.rows == 0)
        cmp_usage("no times:", "-");
    return cmp_finish();
}

/* Reads the arguments. */
static inline void cmp_begin(int argc, char **argv, const char *clock) {
    static const char help[] =
        "usage: compare [SECONDS [PERCENT]] [OPTION...]\n"
        "       compare - [STEP]\n"
        "Which of two launches is faster, A or B? Times them in pairs, in several processes.\n"
        "  SECONDS        for which each process measures, up to 3600; if not said, 0.5, or 2.5 "
        "on\n"
        "                 a processor\n"
        "  PERCENT        the smallest difference that matters to you, 0.5\n"
        "  --processes N  1, or 6 to 999; 9. With 1 the result holds for that process alone\n"
        "  --cold         each launch finds the caches without its data, and is timed alone\n"
        "  --device D     its number, a part of its name, or list\n"
        "  --csv[=FILE]   writes the numbers by name; without FILE in place of the words\n"
        "  -              reads times in us from standard input, a line 'A B' for each pair and "
        "an\n"
        "                 empty line behind each process; STEP: of their clock, in us\n"
        "Ends with 0; 1: no result, and why; 2: wrong arguments; 77: no such device here.\n";
    static const struct option known[] = {{"processes", required_argument, NULL, 'p'},
                                          {"cold", no_argument, NULL, 'c'},
                                          {"csv", optional_argument, NULL, 'r'},
                                          {"device", required_argument, NULL, 'd'},
                                          {"first", required_argument, NULL, 'f'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    cmp.percent = 0.5;
    cmp.row = cmp.delay = 1;
    cmp.host_us[0] = cmp.host_us[1] = INFINITY;
    cmp.outside_us[0] = cmp.outside_us[1] = cmp.outside_us[2] = INFINITY;
    const char *processes = "9";
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;)
        if (option == 'p')
            processes = optarg;
        else if (option == 'c')
            cmp.cold = 1;
        else if (option == 'd')
            cmp.wanted = optarg;
        else if (option == 'f')
            cmp.b_first = optarg && *optarg == 'B';
        else if (option == 'h')
            exit(fputs(help, stdout) < 0 || fflush(stdout) != 0);
        else if (option != 'r')
            cmp_usage("not an option, or without what it needs (see --help):", argv[optind - 1]);
        else if (!(cmp.record = optarg ? fopen(optarg, "w") : stdout))
            cmp_usage("cannot write the record:", optarg);
    char **rest = argv + optind;
    const double n = cmp_number(processes, CMP_PROCESSES, "--processes is 1, or 6 to 999, not");
    cmp.processes = (int)n;
    if (cmp.processes != n || (n > 1 && n < 6))
        cmp_usage("--processes is 1, or 6 to 999, not", processes);
    if (argc - optind > 2)
        cmp_usage("one argument too many (see --help):", rest[2]);
    if (rest[0] && strcmp(rest[0], "-") == 0)
        exit(cmp_read_pairs(rest[1] ? cmp_number(rest[1], 1e12, "not a step:") : 0));
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
