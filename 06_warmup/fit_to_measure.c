/* SPDX-License-Identifier: MIT
 *
 * Is this machine fit to measure? Looks at the GPUs and the processor before a command, every 50 ms
 * while it runs, and after it, and says what disturbed it. To copy, with the five headers that it needs.
 *
 * Build: cc -O2 fit_to_measure.c -o fit_to_measure -ldl
 * Run:   ./fit_to_measure                      the machine now, on stdout
 *        ./fit_to_measure ./warmup --runs 5    the machine around a command, on stderr; ends as it ends
 *
 * The GPUs: those that CUDA_VISIBLE_DEVICES leaves, numbered by PCI bus (CUDA_DEVICE_ORDER=PCI_BUS_ID).
 * Not seen: what other virtual machines do, and who draws pictures on the GPU. */
#define _POSIX_C_SOURCE 200809L
#include "cpu_state.h"
#include "cpu_users.h"
#include "gpu_state.h"
#include "gpu_watch.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;
/* Half a core: the services of an idle machine take some percent, a process that computes takes 100. */
enum { BUSY_PERCENT = 5, STEAL_PERCENT = 1, OTHERS_PERCENT = 50 };
static const struct timespec interval = {0, 50000000}; /* ns */
static FILE *out, *verdict; /* the state of the machine; what disturbed, in memory */
static bool command;        /* there is one */

static const char usage[] =
    "fit_to_measure [COMMAND [ARGUMENTS]]: what disturbs measurements here,\n"
    "now, or before, during and after a command";

#define DISTURBED(...) (fputs(ftell(verdict) ? "; " : "", verdict), fprintf(verdict, __VA_ARGS__))

/* The driver may count for how long the limit held the clock back; else it was seen in a look. */
static void judge_limit(const char *gpu, const char *limit, bool seen, unsigned long long from_ns,
                        unsigned long long to_ns) {
    if (to_ns != NOT_SEEN_LONG && to_ns > from_ns) /* NOT_SEEN_LONG is the largest of all */
        DISTURBED("%s held the clock of gpu %s back for %.1f ms", limit, gpu,
                  (double)(to_ns - from_ns) / 1e6);
    else if (seen)
        DISTURBED("%s held the clock of gpu %s back", limit, gpu);
}

static bool was_in_use(const struct gpu *gpu) {
    const unsigned percent = gpu->state[BEFORE].busy_percent;
    return percent != NOT_SEEN && percent > BUSY_PERCENT;
}

static void judge_gpu(const struct gpu *gpu) {
    const struct gpu_state *from = &gpu->state[BEFORE], *to = &gpu->state[command ? AFTER : BEFORE];
    const unsigned long long seen = gpu->reasons[command ? DURING : BEFORE];
    const unsigned long long limits = seen == NOT_SEEN_LONG ? 0 : seen & REASON_LIMITS;
    const unsigned long long rest = limits & ~(unsigned long long)(REASON_POWER | REASON_HEAT);
    unsigned others = 0;
    for (int when = BEFORE; when <= AFTER; when++) {
        const struct range r = gpu->seen[when][OTHERS];
        others = r.greatest != NOT_SEEN && r.greatest > others ? r.greatest : others;
    }
    if (others > 0)
        DISTURBED("%u other process%s used gpu %s", others, others > 1 ? "es" : "", gpu->name);
    else if (was_in_use(gpu))
        DISTURBED("somebody used gpu %s before (%u %%)", gpu->name, from->busy_percent);
    judge_limit(gpu->name, "the power limit", limits & REASON_POWER, from->power_limited_ns,
                to->power_limited_ns);
    judge_limit(gpu->name, "heat", limits & REASON_HEAT, from->heat_limited_ns,
                to->heat_limited_ns);
    for (unsigned bit = 0; bit < 64; bit++)
        if (rest >> bit & 1)
            judge_limit(gpu->name, gpu_reason(bit), true, 0, 0);
}

static void judge_cpu(const struct cpu_state *from, const struct cpu_state *to, double others) {
    if (from->cores > 0 && from->running >= from->cores)
        DISTURBED("%.0f others ran on the %u cores", from->running, from->cores);
    if (command && to->stolen >= 0 && steal_percent(from, to) > STEAL_PERCENT)
        DISTURBED("other virtual machines took %.1f %% of the busy CPU time",
                  steal_percent(from, to));
    if (others > OTHERS_PERCENT)
        DISTURBED("others took %.0f %% of one core during the command", others);
    if (command && to->throttled_ms > from->throttled_ms)
        DISTURBED("the cgroup's limit stopped the command for %.1f ms",
                  to->throttled_ms - from->throttled_ms);
}

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
static struct cpu_state look_before(void) {
    struct cpu_state cpu;
    double running = INT_MAX;
    bool in_use = true;
    for (int i = 0; i < 40 && (i < 4 || in_use); i++) {
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

int main(int argc, char **argv) {
    char *reasons = NULL;
    size_t size = 0;
    double others = -1;
    int code = 0;
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0) {
            fprintf(stderr, "fit_to_measure: stdin, stdout or stderr is closed\n");
            return 1; /* the next file to be opened would get what we print */
        }
    command = argc > 1;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return puts(usage) < 0 || fflush(stdout) != 0;
    if (command && argv[1][0] == '-') {
        fprintf(stderr, "fit_to_measure: unknown option '%s': there is --help, or a command\n",
                argv[1]);
        return 2;
    }
    out = command ? stderr : stdout;
    if (!command)
        signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error message */
    verdict = open_memstream(&reasons, &size);
    if (!verdict)
        return 1;
    const bool nvml_is_here = open_gpu_state();
    if (nvml_is_here)
        list_gpus();
    const struct cpu_state from = look_before();
    if (command) {
        const struct cpu_time begin = read_cpu_time();
        code = run(argv + 1);
        others = others_percent(begin, read_cpu_time());
        nanosleep(&interval, NULL); /* the driver may close the command's files a little later */
        look(AFTER);
    }
    const struct cpu_state to = command ? read_cpu_state() : from;
    if (gpu_count == 0)
        fprintf(out, "NVML: %s: no clock, power, heat or other user of a GPU was looked at\n",
                nvml_is_here ? "shows no GPU that CUDA_VISIBLE_DEVICES leaves"
                             : "not to be seen here");
    for (const struct gpu *gpu = gpus; gpu < gpus + gpu_count; gpu++) {
        print_gpu(out, gpu, command ? AFTER : BEFORE);
        judge_gpu(gpu);
    }
    print_cpu_state(out, command ? &from : NULL, &to);
    if (command)
        print_others(out, others);
    judge_cpu(&from, &to, others);
    fclose(verdict);
    fprintf(out, size ? "Disturbed: %s.\n" : "Fit to measure.\n", reasons);
    free(reasons);
    if (!command && fflush(stdout) != 0) {
        fprintf(stderr, "fit_to_measure: cannot write to stdout\n");
        return 1;
    }
    return code;
}
