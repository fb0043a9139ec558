/* SPDX-License-Identifier: MIT
 *
 * Four OpenCL devices on the virtual clock of machine.c, linked in place of the ICD loader. It knows the calls that the
 * suite makes; the linker names any other. The kernels are the suite's own .cl files, compiled as C. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine.h"

/* ---- The devices ---- */

struct _cl_platform_id {
    const char *name;
};
struct _cl_device_id {
    cl_platform_id platform;
    const char *name, *extensions;
    cl_device_type type;
    cl_uint mhz;
    const struct simulated_device *timing;
    const int64_t *resolution_ns; /* of its stamps, as it claims */
};
static struct _cl_platform_id platforms[] = {{"Portable Computing Language"}, {"NVIDIA CUDA"}, {"Nothing"}, {"Others"}};
static struct _cl_device_id devices[] = {
    {&platforms[0], "Simulated CPU", "cl_khr_fp64", CL_DEVICE_TYPE_CPU, 2500, &simulated_devices[SIMULATED_CPU],
     &simulated_ns.cpu_tick},
    {&platforms[1], "Simulated GPU", "cl_khr_fp64 cl_nv_device_attribute_query", CL_DEVICE_TYPE_GPU, 2000,
     &simulated_devices[SIMULATED_CL_GPU], &simulated_ns.cl_resolution},
    {&platforms[3], "Simulated, with a \"clock\"", "cl_khr_kernel_clock", CL_DEVICE_TYPE_GPU, 1500,
     &simulated_devices[SIMULATED_KHR], &simulated_ns.khr_tick},
    {&platforms[3], "Simulated old CPU", "", CL_DEVICE_TYPE_CPU, 0, &simulated_devices[SIMULATED_OLD],
     &simulated_ns.old_tick}};
enum { PLATFORMS = sizeof platforms / sizeof platforms[0], DEVICES = sizeof devices / sizeof devices[0] };

struct _cl_context {
    cl_device_id device;
};
struct _cl_command_queue {
    cl_context context;
    bool profiled, out_of_order;
    struct simulated_stream stream; /* of each queue but the first: they wait for no other */
    const struct simulated_command *last;
};
struct _cl_program {
    const char *text;
    char prefix[32];
    bool built;
};
struct _cl_kernel {
    struct simulated_command call; /* its arguments so far */
    cl_program program;
    const char *parameters; /* from here on in the program's text */
    unsigned set;           /* bit i: argument i is set */
    bool launched;
};
struct _cl_mem {
    void *data;
    size_t bytes;
    struct _cl_mem *next;
};
struct _cl_event {
    struct simulated_command command;
    bool profiled, open;    /* open: a user event that was set to CL_COMPLETE */
    cl_command_queue queue; /* that it was put in */
    bool held;              /* the program has it */
    char pattern[16];       /* of a fill */
    size_t pattern_bytes;
    bool marker;
    struct _cl_event *next;
};
static cl_mem buffers;
static cl_event events;

/* CODE=-5 in the environment: what the failing call answers. */
static cl_int failing(cl_int code) { return getenv("CODE") ? atoi(getenv("CODE")) : code; }

/* Whether an earlier process's compiled kernel is kept: unless all of these say what warmup_opencl.c has them say. */
static bool cache_is_on(void) {
    static const char *const off[][2] = {{"POCL_KERNEL_CACHE", "0"},
                                         {"CUDA_CACHE_DISABLE", "1"},
                                         {"NEO_CACHE_PERSISTENT", "0"},
                                         {"AMD_COMGR_CACHE", "0"}};
    bool on = false;
    for (int i = 0; i < 4; i++) on |= !getenv(off[i][0]) || strcmp(getenv(off[i][0]), off[i][1]) != 0;
    return on;
}

/* One call that answers with a code: its name and parameters, its time in times.h, the code when FAULT has it fail,
 * and what it does. */
#define API(name, parameters, time, code, ...)                                                                         \
    cl_int name parameters {                                                                                           \
        if (simulated_call(__func__, simulated_ns.time)) return failing(code);                                         \
        __VA_ARGS__;                                                                                                   \
        return CL_SUCCESS;                                                                                             \
    }

/* ---- What platforms and devices say ---- */

static cl_int answer(const void *value, size_t bytes, size_t room, void *to, size_t *needed) {
    if (needed) *needed = bytes;
    if (to && room < bytes) return CL_INVALID_VALUE;
    if (to) memcpy(to, value, bytes);
    return CL_SUCCESS;
}
#define TEXT(text) return answer((text), strlen(text) + 1, room, to, needed)
#define VALUE(type, value) return answer(&(type){(value)}, sizeof(type), room, to, needed)
#define ROOM size_t room, void *to, size_t *needed

API(clGetPlatformIDs, (cl_uint room, cl_platform_id *to, cl_uint *count), cl_platforms, CL_OUT_OF_HOST_MEMORY,
    *count = simulated_fault("no_platform", NULL) ? 0 : PLATFORMS;
    for (cl_uint p = 0; p < room && p < *count; p++) to[p] = &platforms[p]; if (!*count) return -1001)
API(clGetPlatformInfo, (cl_platform_id p, cl_platform_info what, ROOM), cl_ask, CL_OUT_OF_HOST_MEMORY,
    if (what != CL_PLATFORM_NAME) simulated_stop("clGetPlatformInfo: %#x", what);
    TEXT(p->name))
API(clGetDeviceIDs, (cl_platform_id p, cl_device_type type, cl_uint room, cl_device_id *to, cl_uint *count), cl_devices,
    CL_OUT_OF_HOST_MEMORY, cl_uint found = 0;
    for (int d = 0; d < DEVICES && !simulated_fault("no_device", NULL);
         d++) if (devices[d].platform == p && devices[d].type & type && found++ < room) to[found - 1] = &devices[d];
    if (count) *count = found; if (!found) return CL_DEVICE_NOT_FOUND)
API(
    clGetDeviceInfo, (cl_device_id d, cl_device_info what, ROOM), cl_ask, CL_OUT_OF_HOST_MEMORY, switch (what) {
case CL_DEVICE_NAME:
    TEXT(simulated_fault("long_name", NULL) ? "A simulated processor with 16 cores and a long name @ 2.50GHz"
         : d->timing == &simulated_devices[SIMULATED_CL_GPU] ? simulated_gpu_name()
                                                             : d->name);
case CL_DRIVER_VERSION: TEXT("1.2.3");
case CL_DEVICE_EXTENSIONS: TEXT(d->extensions);
case CL_DEVICE_TYPE:
    VALUE(cl_device_type, d == devices && simulated_fault("pocl_gpu", NULL) ? CL_DEVICE_TYPE_GPU : d->type);
case CL_DEVICE_GLOBAL_MEM_SIZE: VALUE(cl_ulong, simulated_memory());
case CL_DEVICE_MAX_MEM_ALLOC_SIZE: VALUE(cl_ulong, simulated_memory() / (d == devices ? 4 : 2));
case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: VALUE(cl_ulong, simulated_fault("small_cache", NULL) ? 1u << 12 : 1u << 20);
case CL_DEVICE_LOCAL_MEM_SIZE: VALUE(cl_ulong, 4096);
case CL_DEVICE_MAX_COMPUTE_UNITS: VALUE(cl_uint, (cl_uint)d->timing->units);
case CL_DEVICE_MAX_CLOCK_FREQUENCY: VALUE(cl_uint, simulated_fault("slow_clock", NULL) ? 1 : d->mhz);
case CL_DEVICE_PROFILING_TIMER_RESOLUTION: VALUE(size_t, (size_t)*d->resolution_ns);
case 0x1076: VALUE(cl_bitfield, 2); /* CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR */
default: simulated_stop("clGetDeviceInfo: %#x", what);
    })

/* ---- Context, queue, program, kernel, buffer: created and counted ---- */

static void *create(const char *call, int64_t ns, size_t bytes, cl_int code, cl_int *to) {
    const bool fails = simulated_call(call, ns);
    if (to) *to = fails ? failing(code) : CL_SUCCESS;
    return fails ? NULL : calloc(1, bytes);
}
#define CREATE(type, time, code)                                                                                       \
    (struct _##type *)create(__func__, simulated_ns.time, sizeof(struct _##type), (code), error)

#define UNUSED __attribute__((unused))
cl_context clCreateContext(const cl_context_properties *properties UNUSED, cl_uint count, const cl_device_id *device,
                           void (*notify)(const char *, const void *, size_t, void *) UNUSED, void *data UNUSED,
                           cl_int *error) {
    if (count != 1) simulated_stop("clCreateContext: %u devices", count);
    cl_context context = CREATE(cl_context, cl_context, CL_DEVICE_NOT_AVAILABLE);
    if (context) context->device = device[0];
    simulated_device = device[0]->timing;
    return context;
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                      cl_int *error) {
    cl_command_queue queue = CREATE(cl_command_queue, cl_queue, CL_INVALID_QUEUE_PROPERTIES);
    static cl_command_queue first_queue;
    if (!first_queue) first_queue = queue;
    if (queue)
        *queue = (struct _cl_command_queue){context,
                                            properties & CL_QUEUE_PROFILING_ENABLE && context->device == device,
                                            simulated_fault("out_of_order", NULL),
                                            {.apart = queue != first_queue},
                                            NULL};
    return queue;
}
API(clGetCommandQueueInfo, (cl_command_queue queue, cl_command_queue_info what, ROOM), cl_ask, CL_INVALID_COMMAND_QUEUE,
    if (what != CL_QUEUE_PROPERTIES) simulated_stop("clGetCommandQueueInfo: %#x", what);
    VALUE(cl_command_queue_properties, (queue->profiled ? CL_QUEUE_PROFILING_ENABLE : 0) |
                                           (queue->out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0)))

cl_program clCreateProgramWithSource(cl_context context UNUSED, cl_uint count UNUSED, const char **text,
                                     const size_t *bytes UNUSED, cl_int *error) {
    if (!strstr(text[0], "__kernel")) simulated_stop("a program without a kernel");
    cl_program program = CREATE(cl_program, cl_program, CL_OUT_OF_RESOURCES);
    if (program) program->text = strdup(text[0]);
    return program;
}

/* With -DCLOCK_PTX the kernels are those that have PTX_ before their names. */
API(clBuildProgram,
    (cl_program program, cl_uint count, const cl_device_id *device UNUSED, const char *options,
     void (*notify)(cl_program, void *) UNUSED, void *data UNUSED),
    build, CL_BUILD_PROGRAM_FAILURE, const char *clock = options ? strstr(options, "-DCLOCK_") : NULL;
    if (count > 1) simulated_stop("clBuildProgram: %u devices, and the context has one", count);
    if (simulated_fault("no_compiler", NULL)) return CL_BUILD_PROGRAM_FAILURE;
    if (clock) snprintf(program->prefix, sizeof program->prefix, "%s_", clock + strlen("-DCLOCK_"));
    program->built = true)
API(clGetProgramBuildInfo, (cl_program program, cl_device_id device UNUSED, cl_program_build_info what, ROOM),
    cl_build_log, CL_INVALID_PROGRAM, if (program && what == CL_PROGRAM_BUILD_LOG) TEXT("the compiler's words"))

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *error) {
    char symbol[96];
    cl_kernel kernel = CREATE(cl_kernel, cl_kernel, CL_INVALID_KERNEL_NAME);
    snprintf(symbol, sizeof symbol, "%s%s", program->prefix, name);
    if (kernel) kernel->program = program;
    if (kernel) kernel->call.name = strdup(name);
    if (kernel) *(void **)&kernel->call.kernel = dlsym(RTLD_DEFAULT, symbol);
    snprintf(symbol, sizeof symbol, "void %s(", name);
    if (kernel) kernel->parameters = strstr(program->text, symbol);
    if (kernel && !(kernel->call.kernel && kernel->parameters && program->built))
        simulated_stop("clCreateKernel: no kernel %s", name);
    return kernel;
}

/* The size that an argument must have: of a pointer, long or int, as the program's text declares the parameter. */
static size_t parameter_bytes(const char *at, cl_uint index) {
    while (index-- > 0) at += strcspn(at, ",)") + 1;
    const size_t length = strcspn(at, ",)");
    const char *is_long = strstr(at, "long");
    return memchr(at, '*', length) || (is_long && is_long < at + length) ? 8 : 4;
}

static size_t most_threads(cl_device_id device) {
    return device->type == CL_DEVICE_TYPE_CPU ? 1024 : (size_t)device->timing->threads_per_unit;
}

API(clGetKernelInfo, (cl_kernel kernel, cl_kernel_info what, ROOM), cl_ask, CL_INVALID_KERNEL,
    if (what != CL_KERNEL_PROGRAM) simulated_stop("clGetKernelInfo: %#x", what);
    VALUE(cl_program, kernel->program))

API(clGetKernelWorkGroupInfo, (cl_kernel kernel UNUSED, cl_device_id device, cl_kernel_work_group_info what, ROOM),
    cl_ask, CL_INVALID_KERNEL,
    if (what != CL_KERNEL_WORK_GROUP_SIZE) simulated_stop("clGetKernelWorkGroupInfo: %#x", what);
    VALUE(size_t, most_threads(device)))

API(clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t bytes, const void *value), cl_argument,
    CL_INVALID_ARG_INDEX, if (value && bytes != parameter_bytes(kernel->parameters, index)) return CL_INVALID_ARG_SIZE;
    uintptr_t *argument = &kernel->call.arguments[index]; *argument = 0;
    kernel->call.local_bytes[index] = value ? 0 : bytes; if (value) memcpy(argument, value, bytes);
    for (cl_mem b = buffers; value && bytes == sizeof b && b;
         b = b->next) if ((uintptr_t)b == *argument) *argument = (uintptr_t)b->data;
    kernel->set |= 1u << index)

cl_mem clCreateBuffer(cl_context context UNUSED, cl_mem_flags flags, size_t bytes, void *data, cl_int *error) {
    if (flags & CL_MEM_COPY_HOST_PTR || data) simulated_stop("clCreateBuffer: from host memory");
    cl_mem buffer = CREATE(cl_mem, cl_buffer, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    if (!buffer) return NULL;
    *buffer = (struct _cl_mem){simulated_allocate(bytes), bytes, buffers};
    return buffers = buffer;
}

API(clReleaseMemObject, (cl_mem buffer), cl_release, CL_INVALID_MEM_OBJECT, cl_mem *at = &buffers;
    while (*at && *at != buffer) at = &(*at)->next; if (!*at) simulated_stop("clReleaseMemObject: released twice");
    *at = buffer->next; simulated_free(buffer->data); free(buffer))

/* ---- Commands ---- */

static void run_fill(struct simulated_command *command) {
    const cl_event event = (cl_event)command->owner;
    for (size_t at = 0; at < command->arguments[2]; at += event->pattern_bytes)
        memcpy((char *)command->arguments[0] + at, event->pattern, event->pattern_bytes);
}

/* A new event; those that are done and that nobody has are forgotten. */
static cl_event new_event(cl_event *to) {
    cl_event event = (cl_event)calloc(1, sizeof *event);
    int held = to != NULL, most = 0;
    for (cl_event *at = &events; *at;) {
        cl_event done = *at;
        held += done->held;
        if (done->command.done && !done->held && !(done->queue && done->queue->last == &done->command)) {
            *at = done->next;
            free(done);
        } else {
            at = &done->next;
        }
    }
    if (simulated_fault("few_events", &most) && held > most) simulated_stop("more than %d events are held", most);
    event->next = events;
    events = event;
    event->held = to != NULL;
    if (to) *to = event;
    return event;
}

static void enqueue(cl_command_queue queue, cl_event event, cl_uint waits, const cl_event *wait) {
    event->profiled = queue->profiled;
    event->command.owner = event;
    event->command.gate = waits && !wait[0]->command.owner ? &wait[0]->open : NULL;
    event->command.after = waits && wait[0]->command.owner ? &wait[0]->command : NULL;
    event->command.stream = queue->stream.apart ? &queue->stream : NULL;
    event->queue = queue;
    queue->last = &event->command;
    simulated_enqueue(&event->command);
    event->command.submit_ns += simulated_ns.flush;
}
#define WAITS cl_uint waits, const cl_event *wait, cl_event *to

static cl_int enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                             const size_t *global, const size_t *local, WAITS) {
    static bool launched; /* any kernel */
    size_t local_bytes = 0;
    if (kernel->set & (kernel->set + 1)) return CL_INVALID_KERNEL_ARGS;
    if (dimensions > 2 || offset || !global[0] || (dimensions == 2 && !local)) return CL_INVALID_VALUE;
    const size_t threads = local ? local[0] : 64; /* 64: the driver's choice */
    if (!threads || global[0] % threads) return CL_INVALID_WORK_GROUP_SIZE;
    if (dimensions == 2 && (!local[1] || global[1] % local[1])) return CL_INVALID_WORK_GROUP_SIZE;
    const size_t group = threads * (dimensions == 2 ? local[1] : 1);
    if (group > most_threads(queue->context->device)) return CL_INVALID_WORK_GROUP_SIZE;
    for (int i = 0; i < 8; i++) local_bytes += kernel->call.local_bytes[i];
    if (local_bytes > SIMULATED_SHARED_BYTES) return CL_OUT_OF_RESOURCES;

    cl_event event = new_event(to);
    struct simulated_command *command = &event->command;
    *command = kernel->call;
    command->run = simulated_run_kernel;
    command->row = (struct simulated_row){(unsigned)(global[0] / threads), (unsigned)threads};
    command->groups = (unsigned)(global[0] / threads * (dimensions == 2 ? global[1] / local[1] : 1));
    command->threads = (unsigned)group;
    for (int i = 0; i < 8; i++)
        if (kernel->call.local_bytes[i]) {
            command->shared_bytes = kernel->call.local_bytes[i];
            command->arguments[i] = (uintptr_t)simulated_shared();
        }
    if (!kernel->launched) command->delay_ns = cache_is_on() ? simulated_ns.compile_kept : simulated_ns.compile;
    if (!launched) command->delay_ns += simulated_ns.compile_first;
    kernel->launched = launched = true;
    enqueue(queue, event, waits, wait);
    return CL_SUCCESS;
}
API(clEnqueueNDRangeKernel,
    (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
     const size_t *local, WAITS),
    enqueue, CL_OUT_OF_RESOURCES,
    return enqueue_kernel(queue, kernel, dimensions, offset, global, local, waits, wait, to))

static cl_event copy(cl_command_queue queue, const char *name, const void *from, void *into, size_t bytes, int64_t ns,
                     WAITS) {
    const cl_event event = new_event(to);
    event->command = (struct simulated_command){.run = simulated_run_copy,
                                                .name = name,
                                                .ns = simulated_ns.transfer + ns,
                                                .arguments = {(uintptr_t)into, (uintptr_t)from, bytes}};
    enqueue(queue, event, waits, wait);
    return event;
}

API(clEnqueueWriteBuffer,
    (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes, const void *from, WAITS),
    transfer_call, CL_OUT_OF_RESOURCES, if (offset + bytes > buffer->bytes || !blocking) return CL_INVALID_VALUE;
    const cl_event event = copy(queue, "write", from, (char *)buffer->data + offset, bytes,
                                simulated_copy_ns(bytes, simulated_ns.copy_1000), waits, wait, to);
    simulated_wait(&event->command, false); simulated_fill_l2(buffer->data, bytes, true))
API(clEnqueueReadBuffer,
    (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes, void *into, WAITS),
    transfer_call, CL_OUT_OF_RESOURCES, if (offset + bytes > buffer->bytes) return CL_INVALID_VALUE;
    const cl_event event = copy(queue, "read", (char *)buffer->data + offset, into, bytes,
                                simulated_copy_ns(bytes, simulated_ns.copy_1000), waits, wait, to);
    event->command.arguments[3] = true; if (blocking) simulated_wait(&event->command, false))
API(clEnqueueCopyBuffer,
    (cl_command_queue queue, cl_mem from, cl_mem into, size_t from_offset, size_t offset, size_t bytes, WAITS),
    transfer_call, CL_OUT_OF_RESOURCES,
    if (from_offset + bytes > from->bytes || offset + bytes > into->bytes) return CL_INVALID_VALUE;
    copy(queue, "copy", (char *)from->data + from_offset, (char *)into->data + offset, bytes,
         simulated_device_ns(bytes, simulated_ns.device_copy_1000000), waits, wait, to))
API(clEnqueueFillBuffer,
    (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_bytes, size_t offset, size_t bytes,
     WAITS),
    transfer_call, CL_OUT_OF_RESOURCES,
    if (offset + bytes > buffer->bytes || pattern_bytes > sizeof((cl_event)NULL)->pattern ||
        bytes % pattern_bytes) return CL_INVALID_VALUE;
    const cl_event event = new_event(to); memcpy(event->pattern, pattern, pattern_bytes);
    event->pattern_bytes = pattern_bytes; event->command.run = run_fill;
    event->command.arguments[0] = (uintptr_t)buffer->data + offset; event->command.arguments[2] = bytes;
    event->command.ns = simulated_ns.fill + simulated_device_ns(bytes, simulated_ns.memset_1000000);
    enqueue(queue, event, waits, wait))
API(clEnqueueBarrierWithWaitList, (cl_command_queue queue, WAITS), transfer_call, CL_OUT_OF_RESOURCES,
    enqueue(queue, new_event(to), waits, wait))
API(clEnqueueMarkerWithWaitList, (cl_command_queue queue, WAITS), transfer_call, CL_OUT_OF_RESOURCES,
    const cl_event event = new_event(to);
    event->marker = true; enqueue(queue, event, waits, wait))
API(clFlush, (cl_command_queue queue), cl_flush_call, CL_OUT_OF_RESOURCES, (void)queue)
API(clFinish, (cl_command_queue queue), finish, CL_OUT_OF_RESOURCES,
    static const struct simulated_command nothing = {.done = true};
    simulated_wait(queue->last ? queue->last : &nothing, false))
API(clWaitForEvents, (cl_uint count, const cl_event *list), finish, CL_INVALID_EVENT,
    for (cl_uint i = 0; i < count; i++) simulated_wait(&list[i]->command, false))

/* ---- Events ---- */

cl_event clCreateUserEvent(cl_context context UNUSED, cl_int *error) {
    cl_event event = simulated_call(__func__, simulated_ns.cl_user_event) ? NULL : new_event(&event);
    *error = event ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    return event;
}
API(clSetUserEventStatus, (cl_event event, cl_int status), cl_user_event, CL_INVALID_EVENT,
    event->open = status == CL_COMPLETE && !simulated_fault("gate_stuck", NULL))
API(clReleaseEvent, (cl_event event), cl_release_event, CL_INVALID_EVENT,
    if (!event->held) simulated_stop("clReleaseEvent: released twice");
    event->held = false)

/* FAULT=stamp_...: what drivers may answer with CL_SUCCESS. NVIDIA's also answers so, with 0, while a command has not
 * finished. */
API(clGetEventProfilingInfo, (cl_event event, cl_profiling_info what, ROOM), profiling, CL_OUT_OF_RESOURCES,
    if (!event->held) return CL_INVALID_EVENT;
    struct simulated_command stamped = event->command, *const c = &stamped;
    const bool finished = c->done && c->end_ns <= simulated_host_ns();
    if (event->marker && simulated_fault("marker_early", NULL))
        c->start_ns = c->end_ns = c->submit_ns + simulated_device->latency_ns;
    if (event->profiled && !finished && simulated_device == devices[1].timing) VALUE(cl_ulong, 0);
    if (!event->profiled || !finished) return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (what == CL_PROFILING_COMMAND_COMPLETE &&
        simulated_device == devices[3].timing) return CL_INVALID_VALUE; /* an OpenCL 1.2 driver does not know it */
    if (simulated_fault("stamp_unwritten", NULL)) return CL_SUCCESS;
    const bool no_submit = what == CL_PROFILING_COMMAND_SUBMIT && simulated_fault("stamp_no_submit", NULL);
    if (simulated_fault("stamp_zero", NULL) || no_submit) VALUE(cl_ulong, 0);
    if (simulated_fault("stamp_steps", NULL)) VALUE(cl_ulong, what - CL_PROFILING_COMMAND_QUEUED);
    const bool reversed = simulated_fault("stamp_reversed", NULL);
    const int64_t start_ns = (reversed ? c->end_ns : c->start_ns) +
                             (simulated_fault("stamp_late", NULL) ? 1000000000000 : 0) -
                             (simulated_fault("stamp_early", NULL) ? 1000000 : 0);
    const int64_t end_ns = reversed || simulated_fault("stamp_equal", NULL) ? c->start_ns : c->end_ns;
    const bool early = simulated_device == devices[2].timing; /* a driver that translates the host's clock, badly */
    VALUE(cl_ulong,
          (cl_ulong)simulated_stamp_ns(what == CL_PROFILING_COMMAND_QUEUED ? c->queued_ns
                                       : what == CL_PROFILING_COMMAND_SUBMIT
                                           ? (early ? c->submit_ns - simulated_ns.khr_early : c->submit_ns)
                                       : what == CL_PROFILING_COMMAND_START        ? start_ns
                                       : what == CL_PROFILING_COMMAND_END          ? end_ns
                                       : simulated_fault("stamp_incomplete", NULL) ? start_ns
                                                                                   : end_ns + simulated_ns.complete)))
