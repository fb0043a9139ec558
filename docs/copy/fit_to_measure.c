/* SPDX-License-Identifier: MIT
 *
 * Is this machine fit to measure? Looks at the GPUs and the processor before a command,
 * every 50 ms while it runs, and after it, and says what disturbed it. To copy, with the
 * five headers that it needs.
 *
 * Build: cc -O2 fit_to_measure.c -o fit_to_measure -ldl
 * Run:   ./fit_to_measure                      the machine in this second, on stdout
 *        ./fit_to_measure ./warmup --runs 5    around a command, on stderr; ends as it ends
 *        ./fit_to_measure --csv=FILE ...       beside it the record of what it saw: "# name,value"
 *
 * The GPUs: those that CUDA_VISIBLE_DEVICES leaves, numbered by PCI bus
 * (CUDA_DEVICE_ORDER=PCI_BUS_ID).
 * Not seen: what other virtual machines do, and who draws pictures on the GPU. */
#define _POSIX_C_SOURCE 200809L
#include "cpu_state.h"
#include "cpu_users.h"
#include "gpu_state.h"
#include "gpu_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;
#ifndef INTERVAL_MS /* between two looks; the tests take less */
#define INTERVAL_MS 50
#endif
static const struct timespec interval = {0, INTERVAL_MS * 1000000L}; /* ns */
enum { SOME_LOOKS = 4, LOOKS_ALONE = 21 /* a second: others' time is coarse */ };

static const char usage[] =
    "fit_to_measure [--csv=FILE] [COMMAND [ARGUMENTS]]: what disturbs measurements here,\n"
    "now, or before, during and after a command; with --csv its numbers in FILE, by name";

/* Runs the command, with a look every 50 ms; its exit code, or 128 and its signal. */
static int run(char **argv) {
    sigset_t signals, old;
    posix_spawnattr_t attributes;
    pid_t child;
    int status = 0;
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD); /* ends the wait for the next look */
    sigaddset(&signals, SIGINT);  /* from the terminal the command gets these two itself */
    sigaddset(&signals, SIGQUIT);
    sigaddset(&signals, SIGTERM); /* goes on to the command */
    sigprocmask(SIG_BLOCK, &signals, &old);
    /* What the command leaves behind when it ends is still our descendant. */
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &old);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    const int code = posix_spawnp(&child, *argv, NULL, &attributes, argv, environ);
    if (code != 0) {
        fprintf(stderr, "fit_to_measure: cannot start '%s': %s\n", *argv, strerror(code));
        exit(127);
    }
    signal(SIGPIPE, SIG_IGN); /* not the command's: it has started */
    do {
        look(DURING);
        if (sigtimedwait(&signals, NULL, &interval) == SIGTERM)
            kill(child, SIGTERM);
    } while (waitpid(child, &status, WNOHANG) == 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Some looks, for what runs only for a moment is no load. And up to two seconds, for the driver
 * takes the mean of up to one: what ended just now is still in it. */
static struct cpu_state look_before(int looks) {
    struct cpu_state cpu;
    double running = INT_MAX;
    bool in_use = true;
    for (int i = 0; i < 40 && (i < looks || in_use); i++) {
        if (i > 0)
            nanosleep(&interval, NULL);
        in_use = false;
        look(BEFORE);
        for (const struct gpu *gpu = gpus; gpu < gpus + gpu_count; gpu++)
            in_use = in_use || (gpu->seen[BEFORE][OTHERS].least == 0 && was_in_use(gpu));
        cpu = read_cpu_state();
        running = cpu.running < running ? cpu.running : running;
    }
    for (struct gpu *gpu = gpus; gpu < gpus + gpu_count; gpu++)
        list_gpu_processes(gpu->name, &gpu->old);
    cpu.running = running;
    return cpu;
}

/* Options, at the front: --help, --csv=FILE. Returns the command, or what ends it: a NULL. */
static char **parse(int argc, char **argv) {
    const char *path = NULL;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        exit(puts(usage) < 0 || fflush(stdout) != 0);
    for (argv++; *argv && **argv == '-'; argv++) {
        if (strncmp(*argv, "--csv=", 6) != 0) {
            fprintf(stderr, "fit_to_measure: unknown option '%s'; see --help\n", *argv);
            exit(2);
        }
        path = *argv + 6;
    }
    if (path && !(record = fopen(path, "we"))) { /* e: not for the command */
        fprintf(stderr, "fit_to_measure: --csv: cannot write '%s': %s\n", path, strerror(errno));
        exit(2);
    }
    return argv;
}

/* All that was seen, in words and in the record; at the end what disturbed. */
static void report(bool nvml_is_here, bool command, const struct cpu_state *from, double others) {
    const struct cpu_state to = command ? read_cpu_state() : *from;
    const enum moment last = command ? AFTER : BEFORE;
    char *reasons = NULL;
    size_t size = 0;
    out = command ? stderr : stdout;
    if (!(verdict = open_memstream(&reasons, &size)))
        exit(1);
    note("program,fit_to_measure");
    if (gpu_count == 0)
        fprintf(out, "NVML: %s: no clock, power, heat or other user of a GPU was looked at\n",
                nvml_is_here ? "shows no GPU that CUDA_VISIBLE_DEVICES leaves"
                             : "not to be seen here");
    for (const struct gpu *gpu = gpus; gpu < gpus + gpu_count; gpu++) {
        print_gpu(gpu, last);
        judge_gpu(gpu, last);
    }
    print_cpu_state(command ? from : NULL, &to);
    print_others(others, command);
    judge_cpu(from, &to, others, command);
    fclose(verdict);
    if (size)
        fprintf(out, "Disturbed: %s.\n", reasons);
    else
        fprintf(out, "Fit to measure.\n");
    note("disturbed,%s", size ? reasons : "no");
    free(reasons);
}

int main(int argc, char **argv) {
    int code = 0;
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0) {
            fprintf(stderr, "fit_to_measure: stdin, stdout or stderr is closed\n");
            return 1; /* the next file to be opened would get what we print */
        }
    char **command = parse(argc, argv);
    if (!*command)
        signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error message */
    const bool nvml_is_here = open_gpu_state();
    if (nvml_is_here)
        list_gpus();
    struct cpu_time begin = read_cpu_time();
    const struct cpu_state from = look_before(*command ? SOME_LOOKS : LOOKS_ALONE);
    if (*command) {
        begin = read_cpu_time();
        code = run(command);
    }
    const double others = others_percent(begin, read_cpu_time());
    if (*command) {
        nanosleep(&interval, NULL); /* the driver may close the command's files a little later */
        look(AFTER);
    }
    report(nvml_is_here, *command, &from, others);
    bool unwritten = record && ferror(record);
    unwritten = (record && fclose(record) != 0) || unwritten;
    if (unwritten || (!*command && fflush(stdout) != 0)) {
        fprintf(stderr, "fit_to_measure: cannot write %s\n",
                unwritten ? "the record" : "to stdout");
        return code ? code : 1;
    }
    return code;
}
