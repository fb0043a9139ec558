/* SPDX-License-Identifier: MIT
 *
 * See faults.h. */
#define _GNU_SOURCE
#include "faults.h"

#include <ctype.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"

void simulated_stop(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "simulation: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    fflush(NULL);
    _exit(3);
}

/* ---- Who waits at a terminal ---- */

static long *waits_since; /* in steps of 10 ms, shared with the processes that this one starts; 0: it has been said */

static long real_time(void) { return syscall(SYS_times, NULL); } /* the other clocks are the machine's */

__attribute__((constructor)) static void begin_to_wait(void) {
    if (!isatty(STDERR_FILENO)) return;
    void *shared = mmap(NULL, sizeof *waits_since, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return;
    waits_since = (long *)shared;
    *waits_since = real_time();
}

void simulated_say_if_slow(void) {
    enum { PATIENCE = 200 };
    if (!waits_since || *waits_since == 0 || real_time() - *waits_since < PATIENCE) return;
    *waits_since = 0;
    fprintf(stderr, "simulation: this GPU is a model in software: the processor computes each of its threads. Smaller "
                    "arrays and grids take less time: --size, --blocks and --runs, if the program has them.\n");
}

/* ---- FAULT=name, name:number, name:victim, name:victim:number, each with ",argument" behind a number ---- */

static struct {
    const char *name, *victim; /* the victim ends with the text, or with ":" */
    size_t length, victim_length;
    int number, argument;
    pid_t process;
    bool *asked; /* whether anything asked for it, in this process or in one that it started */
} fault;
char simulated_fault_begins[5];

static bool known(const char *name) { return !strncmp(fault.name, name, fault.length) && !name[fault.length]; }

/* A misspelt fault, or one of something that the program no longer does, must not look like a fault that does no
 * harm. */
static void find_dead_fault(void) {
    if (getpid() == fault.process && !*fault.asked) simulated_stop("nothing asked for FAULT=%s", fault.name);
}

/* With the processes that this one forks, and those that it starts anew. */
static void share_asked(void) {
    const char *inherited = getenv("FAULT_ASKED");
    const int file = inherited ? atoi(inherited) : memfd_create("asked", 0);
    char text[16];
    snprintf(text, sizeof text, "%d", file);
    setenv("FAULT_ASKED", text, 1);
    if (ftruncate(file, sizeof(bool)) != 0) simulated_stop("no file of what was asked for");
    fault.asked = (bool *)mmap(NULL, sizeof(bool), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    fault.process = inherited ? 0 : getpid();
    atexit(find_dead_fault);
}

static unsigned processes;
static bool for_the_sweep, without_device; /* a child cannot use the context of its parent */

unsigned simulated_processes(void) { return processes; }
static void count_process(void) { processes++; }
static void leave_device(void) { without_device = simulated_calls > 0 && !for_the_sweep; }

void simulated_refuse_in_child(const char *name) {
    if (without_device) simulated_stop("%s in a child of a process that has used the device", name);
}

__attribute__((constructor)) static void read_fault(void) {
    const char *text = getenv("FAULT");
    fault.name = text ? text : "";
    fault.length = strcspn(fault.name, ":");
    const char *rest = fault.name + fault.length + (fault.name[fault.length] == ':');
    fault.victim = rest;
    if (*rest && !isdigit((unsigned char)*rest) && *rest != '-') {
        fault.victim_length = strcspn(rest, ":");
        rest += fault.victim_length + (rest[fault.victim_length] == ':');
    }
    fault.number = *rest ? atoi(rest) : 1;
    fault.argument = strchr(rest, ',') ? atoi(strchr(rest, ',') + 1) : 0;
    for (size_t i = 0; i < sizeof simulated_fault_begins && i < fault.length; i++)
        simulated_fault_begins[i] = fault.name[i];
    if (fault.length > 0) share_asked();
    if (known("gate_stuck")) simulated_ns.read *= 100; /* it waits a second, reading by reading */
    pthread_atfork(count_process, NULL, leave_device);
}

bool simulated_is_fault(const char *name, int *number) {
    if (!known(name)) return false;
    *fault.asked = true;
    if (number) *number = fault.number;
    return true;
}

bool simulated_fault_of(const char *name, const char *victim, int *number) {
    return victim && strlen(victim) == fault.victim_length && !memcmp(victim, fault.victim, fault.victim_length) &&
           simulated_fault(name, number);
}

int simulated_fault_argument(void) { return fault.argument; }

void simulated_hit(void) {
    const char *name = getenv("HIT");
    unsigned launches = 0;
    const char *kernel = simulated_last_kernel(&launches);
    FILE *file = name && kernel && fault.name[fault.length] ? fopen(name, "a") : NULL;
    if (!file) return;
    fprintf(file, "%s %u\n", kernel, launches);
    fclose(file);
}

/* ---- FAULT=sweep ----
 *
 * At each call (of one function at the first 40) a child goes on in which that call fails. It must end with 1, or with
 * 77 while a device is looked for, and say why in one line that names the call, with nothing more on stdout. (A launch
 * is blamed on cudaGetLastError, which is asked about it.) */

enum { SWEPT = 40 };
static struct sweep { long calls, bad, skipped; } * sweep;
static pid_t sweeper;

static void print_sweep(void) {
    if (getpid() != sweeper) return; /* a child */
    fprintf(stderr, "sweep: %s calls failed in turn: %ld not well, %ld ended with 77\n",
            sweep->calls > 0 ? "all" : "no", sweep->bad, sweep->skipped);
    if (sweep->bad > 0) _exit(3);
}

__attribute__((constructor)) static void prepare_sweep(void) {
    if (strcmp(getenv("FAULT") ? getenv("FAULT") : "", "sweep") != 0) return;
    sweep = (struct sweep *)mmap(NULL, sizeof *sweep, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sweeper = getpid();
    atexit(print_sweep);
}

static bool try_failing(const char *name, unsigned n) {
    static char said[2][4096];
    int status, files[2];
    if (n > SWEPT) return false;
    fflush(stdout);
    for (int i = 0; i < 2; i++) files[i] = memfd_create("said", 0);
    for_the_sweep = true;
    const pid_t child = fork();
    for_the_sweep = false;
    if (child == 0) {
        for (int i = 0; i < 2; i++) dup2(files[i], i + 1);
        simulated_fault_begins[0] = '\0';
        alarm(20);
        return true;
    }
    waitpid(child, &status, 0);
    for (int i = 0; i < 2; i++) {
        const ssize_t length = pread(files[i], said[i], sizeof said[i] - 1, 0);
        said[i][length > 0 ? length : 0] = '\0';
        close(files[i]);
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const char *end = strchr(said[1], '\n');
    const bool host_call = strncmp(name, "cuda", 4) != 0 && (name[0] != 'c' || name[2] >= 'a');
    const bool named = (strstr(said[1], name) && (host_call || strstr(said[1], "error "))) ||
                       strcmp(name, "cudaLaunchKernel") == 0 || strcmp(name, "clBuildProgram") == 0;
    const bool one_line = (end && !end[1]) || strcmp(name, "clBuildProgram") == 0; /* it has a log */
    sweep->calls++;
    sweep->skipped += code == 77;
    if ((code != 1 && code != 77) || said[0][0] || !one_line || (code == 1 && !named)) {
        sweep->bad++;
        fprintf(stderr, "sweep: %s fails (its call %u): exit %d, stdout '%s', stderr '%s'\n",
                strcmp(name, "cudaLaunchKernel") == 0 ? "the launch" : name, n, code, said[0], said[1]);
    }
    return false;
}

/* ---- Calls that fail, and data that is not what it was ---- */

bool simulated_call_fails(const char *name, unsigned n) {
    static bool lost;
    int number = 0;
    simulated_say_if_slow();
    if (simulated_fault("sweep", NULL)) return try_failing(name, n);
    if (simulated_fault_of("crash", name, NULL)) raise(SIGKILL);
    if (simulated_fault(name, &number) && (int)n == number) { /* the call of that number, and no other */
        simulated_hit();
        return true;
    }
    lost = lost || (simulated_fault_of("lost", name, &number) && (int)n >= number);
    return lost;
}

void simulated_spoil(void *data, size_t bytes, bool reading) {
    static const char *const where[] = {"wrong_first", "wrong_middle", "wrong_last"};
    static int readings;
    const size_t floats = bytes / sizeof(float);
    float *values = (float *)data;
    int number = 0;
    readings += reading;
    for (size_t i = 0; i < 3 && reading && floats > 0; i++)
        if (simulated_fault(where[i], &number) && number == readings) {
            values[(floats - 1) * i / 2] += 1;
            simulated_hit();
        }
    if (reading && simulated_fault("wrong_zero", &number) && number == readings) {
        memset(values, 0, bytes);
        simulated_hit();
    }
    if (reading && floats > 0 && simulated_fault("wrong_nan", NULL)) memset(values + floats - 1, 0xff, sizeof *values);
    for (size_t i = 0; i < floats && !reading; i++)
        if (simulated_fault(i < floats / 2 ? "lost_lower" : "lost_upper", NULL)) values[i] = 1e9f;
}
