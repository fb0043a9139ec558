/* SPDX-License-Identifier: MIT
 *
 * Is this machine fit to measure? Looks at the GPUs and the processor before a command, every 50 ms
 * while it runs, and after it, and says what disturbed it. A file to copy.
 *
 * Build: cc -O2 fit_to_measure.c -o fit_to_measure -ldl
 * Run:   ./fit_to_measure                      watches for a second; prints to stdout
 *        ./fit_to_measure ./warmup --runs 5    watches a command, and ends as it ends; to stderr
 *        ./fit_to_measure --csv=FILE ...       writes what it saw into FILE, too: "# name,value"
 *
 * The GPUs are those that CUDA_VISIBLE_DEVICES leaves, as CUDA_DEVICE_ORDER=PCI_BUS_ID numbers
 * them. Who tells: the driver's library NVML (docs.nvidia.com/deploy/nvml-api), where it is
 * installed, and Linux's files (proc(5); the kernel's documentation of cgroup v2 and cpufreq). Not
 * seen: other virtual machines on the GPU; who draws pictures on it; what is shorter than 50 ms; in
 * a container, who comes to the GPU while the command runs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef ROOT /* the tests have a /proc and a /sys of their own below it, and less time */
#define ROOT ""
#define INTERVAL_MS 50 /* between two looks */
#endif
static const struct timespec interval = {0, INTERVAL_MS * 1000000L}; /* ns */
/* More disturbs. A process that computes takes 100 % of a core, an idle machine's services a few.
 */
enum { IN_USE_PERCENT = 5, STEAL_PERCENT = 1, OTHERS_PERCENT = 50 };
enum { LINE = 1024, MAX_GPUS = 16, MAX_PIDS = 1024, LOOKS_BEFORE = 4, MOST_LOOKS = 40 };
#define NOT_SEEN ((double)NAN) /* in place of a number; a comparison with it is false */

static FILE *words, *record;   /* for people; for programs, or NULL */
static char reasons[8 * LINE]; /* "; WHY; WHY" */
#define DISTURBED(...)                                                                             \
    snprintf(reasons + strlen(reasons), sizeof reasons - strlen(reasons), "; " __VA_ARGS__)
#define FAIL(code, ...) (fprintf(stderr, "fit_to_measure: " __VA_ARGS__), exit(code))

/* A value under its name. "": this machine does not show it. */
static void print_text(const char *name, const char *text) {
    fprintf(words, "%s: %s\n", name, *text ? text : "not to be seen here");
    if (record && *text)
        fprintf(record, "# %s,%s\n", name, text);
}

static void print_number(const char *name, int places, double x) {
    char text[64] = "";
    if (!isnan(x))
        snprintf(text, sizeof text, "%.*f", places, x);
    print_text(name, text);
}

/* ---- The processor ---- */

struct cpu_look {
    double load, running;       /* running: other processes that run now or wait for a core */
    double cores, busy, stolen; /* time of all cores since the start of the machine, in ticks */
    double stopped_us;          /* by the limit of our cgroup, so far */
    double passed_s, worked_s, own_s; /* so far: time; all CPU time on our cores; what we took */
};

/* In `text`: what follows `start` in the first line of a file that begins so; "" if there is none.
 */
static const char *read_line(const char *path, const char *start, char text[LINE]) {
    char whole[3 * LINE], line[LINE];
    const size_t length = strlen(start);
    snprintf(whole, sizeof whole, ROOT "%s", path);
    FILE *file = fopen(whole, "r");
    *text = '\0';
    while (file && !*text && fgets(line, sizeof line, file))
        if (strncmp(line, start, length) == 0)
            snprintf(text, LINE, "%.*s", (int)strcspn(line + length, "\n"), line + length);
    if (file)
        fclose(file);
    return text;
}

/* The same for a file of our cgroup. Only version 2 is looked at, and no group above it. */
static const char *read_cgroup(const char *file, const char *start, char text[LINE]) {
    char group[LINE], path[2 * LINE] = "";
    if (*read_line("/proc/self/cgroup", "0::", group))
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", group, file);
    return read_line(path, start, text);
}

static struct cpu_look look_at_cpu(void) {
    const double tick_s = 1 / (double)sysconf(_SC_CLK_TCK), none = NOT_SEEN;
    struct cpu_look now = {none, none, 0, none, none, none, none, 0, 0};
    double t[8]; /* user, nice, system, idle, iowait, irq, softirq, steal */
    char text[LINE];
    struct tms own; /* of this process, and of its children that have ended */
    cpu_set_t our_cores;
    CPU_ZERO(&our_cores);
    sched_getaffinity(0, sizeof our_cores, &our_cores);
    FILE *file = fopen(ROOT "/proc/stat", "r"); /* a line for all cores, "cpu"; "cpu0" and so on */
    while (file && fgets(text, sizeof text, file))
        if (sscanf(text, "cpu%*[0-9] %lf %lf %lf", t, t + 1, t + 2) == 3) {
            now.cores++;
            if (CPU_ISSET(strtoul(text + 3, NULL, 10), &our_cores)) /* irq: for whom? */
                now.worked_s += tick_s * (t[0] + t[1] + t[2]);
        } else if (sscanf(text, "cpu  %lf %lf %lf %lf %lf %lf %lf %lf", t, t + 1, t + 2, t + 3,
                          t + 4, t + 5, t + 6, t + 7) == 8) {
            now.busy = t[0] + t[1] + t[2] + t[5] + t[6] + t[7]; /* idle time would hide the steal */
            now.stolen = t[7];
        }
    if (file)
        fclose(file);
    times(&own);
    now.own_s = tick_s * (double)(own.tms_utime + own.tms_stime + own.tms_cutime + own.tms_cstime);
    sscanf(read_line("/proc/loadavg", "", text), "%lf %*f %*f %lf", &now.load, &now.running);
    now.running -= now.running > 0; /* this process */
    sscanf(read_line("/proc/uptime", "", text), "%lf", &now.passed_s);
    sscanf(read_cgroup("cpu.stat", "throttled_usec ", text), "%lf", &now.stopped_us);
    return now;
}

static void print_cpu(const struct cpu_look *from, const struct cpu_look *to) {
    char text[LINE], no_turbo[LINE];
    double quota, period;
    print_number("cores", 0, to->cores > 0 ? to->cores : NOT_SEEN);
    read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "", text);
    print_text("governor", text);
    read_line("/sys/devices/system/cpu/cpufreq/boost", "", text);
    if (*read_line("/sys/devices/system/cpu/intel_pstate/no_turbo", "", no_turbo))
        *text = *no_turbo == '0' ? '1' : '0';
    print_text("turbo", *text == '1' ? "on" : *text ? "off" : "");
    if (sscanf(read_cgroup("cpu.max", "", text), "%lf %lf", &quota, &period) == 2)
        print_number("cgroup_limit_cores", 2, quota / period);
    else
        print_text("cgroup_limit_cores", *text ? "none" : "");
    print_number("load", 2, from->load);
    print_number("others_running", 0, from->running);
    if (to->cores > 0 && from->running >= to->cores)
        DISTURBED("%.0f others ran on the %.0f cores", from->running, to->cores);
    const double steal_percent = 100 * (to->stolen - from->stolen) / (to->busy - from->busy);
    print_number("steal_percent", 2, steal_percent);
    if (steal_percent > STEAL_PERCENT)
        DISTURBED("other virtual machines took %.1f %% of the busy CPU time", steal_percent);
    /* The counters step by 0.01 s, and in some containers they do not count our own work. */
    const double passed_s = to->passed_s - from->passed_s, own_s = to->own_s - from->own_s;
    const double others_s = to->worked_s - from->worked_s - own_s;
    const bool seen = passed_s >= 0.5 && to->worked_s > 0 && others_s >= -0.1 - 0.1 * own_s;
    const double percent = seen ? 100 * (others_s > 0 ? others_s : 0) / passed_s : NOT_SEEN;
    print_number("others_percent", 0, percent);
    if (percent > OTHERS_PERCENT)
        DISTURBED("others took %.0f %% of one core", percent);
    const double stopped_ms = (to->stopped_us - from->stopped_us) / 1e3;
    print_number("cgroup_stopped_ms", 1, stopped_ms);
    if (stopped_ms > 0)
        DISTURBED("the cgroup's limit stopped the command for %.1f ms", stopped_ms);
}

/* ---- The GPUs ---- */

/* NVML's functions return 0 if they know: one number; that of a kind of clock, sensor or limit;
 * that of now and of the next start; bits; when (us) and for how long (ns) a limit was reached. */
enum form { NUMBER, KIND, MODE, BITS, TIME };
#define REASONS                                                                                    \
    "nvmlDeviceGetCurrentClocksThrottleReasons" /* newer drivers have this name, too   \
                                                             */
static const struct {
    const char *name, *unit;
    enum form form;
    unsigned kind; /* or the bits that count */
    double divisor;
    const char *function;
} numbers[] = {{"sm_clock", "_mhz", KIND, 1, 1, "nvmlDeviceGetClockInfo"},
               {"memory_clock", "_mhz", KIND, 2, 1, "nvmlDeviceGetClockInfo"},
               {"power", "_w", NUMBER, 0, 1000, "nvmlDeviceGetPowerUsage"},
               {"temperature", "_c", KIND, 0, 1, "nvmlDeviceGetTemperature"},
               {"in_use", "_percent", NUMBER, 0, 1, "nvmlDeviceGetUtilizationRates"},
               {"other_processes", "", NUMBER, 0, 1, "nvmlDeviceGetComputeRunningProcesses_v2"},
               {"sm_clock_limit", "_mhz", KIND, 1, 1, "nvmlDeviceGetMaxClockInfo"},
               {"power_limit", "_w", NUMBER, 0, 1000, "nvmlDeviceGetEnforcedPowerLimit"},
               {"temperature_limit", "_c", KIND, 1, 1, "nvmlDeviceGetTemperatureThreshold"},
               {"mig", "", MODE, 0, 1, "nvmlDeviceGetMigMode"},
               {"ecc", "", MODE, 0, 1, "nvmlDeviceGetEccMode"},
               {"persistence", "", NUMBER, 0, 1, "nvmlDeviceGetPersistenceMode"},
               {"power_limited", "_ms", TIME, 0, 1e6, "nvmlDeviceGetViolationStatus"},
               {"the power limit", "", BITS, 0x4, 1, REASONS}, /* a limit stands behind its time */
               {"heat_limited", "_ms", TIME, 1, 1e6, "nvmlDeviceGetViolationStatus"},
               {"heat", "", BITS, 0x60, 1, REASONS},
               {"a slowdown by hardware", "", BITS, 0x8, 1, REASONS},
               {"a slower GPU of its group", "", BITS, 0x10, 1, REASONS},
               {"the power brake", "", BITS, 0x80, 1, REASONS}};
enum { IN_USE = 4, OTHERS = 5, CONSTANT = 6 /* and more */, LIMIT = 13, NUMBERS = 19 };

enum part { BEFORE /* the command */, LEAST, GREATEST /* from then on */, PARTS };
static struct gpu_look {
    const char *name;
    void *handle;
    double number[NUMBERS][PARTS];
} gpus[MAX_GPUS];
static int gpu_count;
static void *nvml; /* the library */

static double ask(void *gpu, int n) {
    const unsigned form = numbers[n].form, kind = numbers[n].kind;
    unsigned x[2] = {0}; /* nvmlUtilization_t has two numbers; the first is the GPU's */
    unsigned long long wide[2] = {0};
    void *f = dlsym(nvml, numbers[n].function);
    const int code = !f               ? -1
                     : form == NUMBER ? ((int (*)(void *, unsigned *))f)(gpu, x)
                     : form == KIND   ? ((int (*)(void *, unsigned, unsigned *))f)(gpu, kind, x)
                     : form == MODE   ? ((int (*)(void *, unsigned *, unsigned *))f)(gpu, x, x + 1)
                     : form == BITS
                         ? ((int (*)(void *, unsigned long long *))f)(gpu, wide)
                         : ((int (*)(void *, unsigned, unsigned long long *))f)(gpu, kind, wide);
    if (code != 0)
        return NOT_SEEN;
    return form == BITS ? (wide[0] & kind) != 0
                        : (form == TIME ? (double)wide[1] : x[0]) / numbers[n].divisor;
}

/* Whether a process is not this one, nor the command, nor started by it. In a container NVML may
 * give pids of the machine outside, which /proc does not have: others' before the command. */
static bool is_of_others(unsigned pid, bool before) {
    char path[64], text[LINE];
    for (; pid != (unsigned)getpid(); pid = (unsigned)strtoul(text, NULL, 10)) {
        if (pid == 0)
            return true;
        snprintf(path, sizeof path, "/proc/%u/status", pid);
        if (!*read_line(path, "PPid:\t", text))
            return before;
    }
    return false;
}

/* How many processes of others compute on a GPU. */
static double count_others(void *gpu, bool before) {
    int (*get)(void *, unsigned *, void *) = dlsym(nvml, numbers[OTHERS].function);
    struct { /* nvmlProcessInfo_v2_t */
        unsigned pid;
        unsigned long long bytes;
        unsigned gpu_instance, compute_instance;
    } list[MAX_PIDS];
    unsigned count = MAX_PIDS, others = 0;
    if (!get || get(gpu, &count, list) != 0)
        return NOT_SEEN;
    for (unsigned i = 0; i < count; i++)
        others += is_of_others(list[i].pid, before);
    return others;
}

/* Those that CUDA_VISIBLE_DEVICES leaves. CUDA, too, stops at the first that is not there. */
static void open_gpus(void) {
    static char names[4 * LINE];
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    if (!(nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW)))
        return;
    int (*begin)(void) = dlsym(nvml, "nvmlInit_v2");
    int (*by_number)(unsigned, void **) = dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2");
    int (*by_uuid)(const char *, void **) = dlsym(nvml, "nvmlDeviceGetHandleByUUID");
    if (!begin || !by_number || !by_uuid || begin() != 0)
        return;
    snprintf(names, sizeof names, "%s", list ? list : "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15");
    for (char *name = strtok(names, ","); name && gpu_count < MAX_GPUS; name = strtok(NULL, ",")) {
        void **gpu = &gpus[gpu_count].handle;
        const bool number = name[strspn(name, "0123456789")] == '\0';
        if ((number ? by_number((unsigned)atoi(name), gpu) : by_uuid(name, gpu)) != 0)
            return;
        gpus[gpu_count++].name = name;
    }
}

/* Returns whether one was in use before the command. */
static bool look_at_gpus(bool before) {
    bool in_use = false;
    for (struct gpu_look *gpu = gpus; gpu < gpus + gpu_count; gpu++) {
        for (int n = 0; n < NUMBERS; n++) {
            double *part = gpu->number[n];
            const double x = n == OTHERS ? count_others(gpu->handle, before) : ask(gpu->handle, n);
            if (before)
                part[BEFORE] = part[LEAST] = part[GREATEST] = x;
            part[LEAST] = isnan(part[LEAST]) || x < part[LEAST] ? x : part[LEAST];
            part[GREATEST] = isnan(part[GREATEST]) || x > part[GREATEST] ? x : part[GREATEST];
        }
        in_use = in_use || gpu->number[IN_USE][BEFORE] > IN_USE_PERCENT;
    }
    return in_use;
}

static void print_gpu(const struct gpu_look *gpu, int place) {
    static const char *const parts[PARTS] = {"", "_least", "_greatest"};
    char name[64], text[LINE] = "";
    double ms = 0;
    snprintf(name, sizeof name, "gpu_%d", place);
    print_text(name, gpu->name);
    for (int n = 0; n < NUMBERS; n++) {
        const bool limit = numbers[n].form == BITS, time = numbers[n].form == TIME;
        const double *x = gpu->number[n];
        const char *what = numbers[n].name;
        if (limit && ms > 0)
            DISTURBED("%s held the clock of gpu %s back for %.1f ms", what, gpu->name, ms);
        else if (limit && x[GREATEST] > 0)
            DISTURBED("%s held the clock of gpu %s back", what, gpu->name);
        if (limit && x[GREATEST] > 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), " and %s", what);
        ms = time ? x[GREATEST] - x[BEFORE] : 0;
        for (int p = 0; !limit && p < (n < CONSTANT ? PARTS : LEAST); p++) {
            snprintf(name, sizeof name, "gpu_%d_%s%s%s", place, what, parts[p], numbers[n].unit);
            print_number(name, time ? 1 : 0, time ? ms : x[p]);
        }
    }
    snprintf(name, sizeof name, "gpu_%d_held_back_by_during", place);
    print_text(name, *text ? text + 5 : isnan(gpu->number[LIMIT][GREATEST]) ? "" : "nothing");
    if (gpu->number[OTHERS][GREATEST] > 0)
        DISTURBED("others used gpu %s (processes: %.0f)", gpu->name, gpu->number[OTHERS][GREATEST]);
    else if (gpu->number[IN_USE][BEFORE] > IN_USE_PERCENT)
        DISTURBED("somebody used gpu %s before (%.0f %%)", gpu->name, gpu->number[IN_USE][BEFORE]);
}

/* ---- The command ---- */

/* Runs it, with a look every 50 ms; returns its exit code, or 128 and its signal. */
static int run(char **command) {
    sigset_t signals, old;
    int status = 0;
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD); /* ends the wait for the next look */
    sigaddset(&signals, SIGINT);  /* from the terminal the command gets these two itself */
    sigaddset(&signals, SIGQUIT);
    sigaddset(&signals, SIGTERM); /* goes on to the command */
    sigprocmask(SIG_BLOCK, &signals, &old);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* what it leaves behind stays our descendant */
    const pid_t child = fork();
    if (child == 0 && sigprocmask(SIG_SETMASK, &old, NULL) == 0)
        execvp(*command, command);
    if (child <= 0) {
        fprintf(stderr, "fit_to_measure: cannot start '%s': %s\n", *command, strerror(errno));
        _exit(127);
    }
    do {
        look_at_gpus(false);
        if (sigtimedwait(&signals, NULL, &interval) == SIGTERM)
            kill(child, SIGTERM);
    } while (waitpid(child, &status, WNOHANG) == 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Some looks, for what runs only for a moment is no load. And up to two seconds, while a GPU is in
 * use: the driver takes the mean of up to one, so what ended just now is still in it. */
static struct cpu_look look_before(void) {
    struct cpu_look cpu;
    double running = INFINITY;
    for (int i = 0; (look_at_gpus(true) && i < MOST_LOOKS) || i < LOOKS_BEFORE; i++) {
        nanosleep(&interval, NULL);
        cpu = look_at_cpu();
        running = running < cpu.running ? running : cpu.running;
    }
    cpu.running = running;
    return cpu;
}

int main(int argc, char **argv) {
    char *alone[] = {"sleep", "1", NULL}, **command = argv + 1;
    if (fcntl(0, F_GETFD) < 0 || fcntl(1, F_GETFD) < 0 || fcntl(2, F_GETFD) < 0)
        FAIL(1, "stdin, stdout or stderr is closed\n"); /* the record would take its place */
    for (; *command && **command == '-'; command++)
        if (strcmp(*command, "--help") == 0)
            exit(puts("fit_to_measure [--csv=FILE] [COMMAND...]: what disturbs measurements?") < 0);
        else if (strncmp(*command, "--csv=", 6) != 0)
            FAIL(2, "unknown option '%s'; see --help\n", *command);
        else if (!(record = fopen(*command + 6, "we"))) /* e: not for the command */
            FAIL(2, "--csv: cannot write '%s': %s\n", *command + 6, strerror(errno));
    words = command < argv + argc ? stderr : stdout;
    open_gpus();
    const struct cpu_look from = look_before();
    int code = run(command < argv + argc ? command : alone);
    const struct cpu_look to = look_at_cpu();
    nanosleep(&interval, NULL); /* the driver may close the command's files a little later */
    look_at_gpus(false);

    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error message */
    print_text("program", "fit_to_measure");
    for (int g = 0; g < gpu_count; g++)
        print_gpu(&gpus[g], g);
    print_cpu(&from, &to);
    const char *why = *reasons ? reasons + strlen("; ") : "no";
    if (*reasons)
        fprintf(words, "Disturbed: %s.\n", why);
    else
        fprintf(words, "Fit to measure%s.\n",
                gpu_count > 0 ? "" : " (the processor; no GPU was looked at)");
    if (record)
        fprintf(record, "# disturbed,%s\n", why);
    const bool no_record = record && (ferror(record) | (fclose(record) != 0));
    if (no_record || fflush(words) != 0 || ferror(words))
        FAIL(code ? code : 1, "cannot write %s\n", no_record ? "the record" : "to stdout");
    return code;
}
