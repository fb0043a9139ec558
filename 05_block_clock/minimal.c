// How long does a work-group run, by a clock that its kernel reads at its start and at its end, and
// how does that change as work-groups are added?
// Build: cc -O2 minimal.c -o minimal -lOpenCL
// Run:   ./minimal
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 64 };  // work-items in each work-group. Try 1, 100 and 256
enum { MOST = 1056 }; // work-groups. Try 5000
static const size_t group_counts[] = {1, 132, MOST}; // Try the number of its units; at most MOST

static const char *source =
    "ulong read_clock(void) {\n"
    "#ifdef __NV_CL_C_VERSION // NVIDIA: clocks of one multiprocessor\n"
    "    ulong clocks;\n"
    "    asm volatile(\"mov.u64 %0, %%clock64;\" : \"=l\"(clocks) : : \"memory\");\n"
    "    return clocks;\n"
    "#elif defined __aarch64__ // of its two counters the one that Linux lets programs read\n"
    "    ulong ticks;\n"
    "    __asm__ volatile(\"mrs %0, cntvct_el0\" : \"=r\"(ticks) : : \"memory\");\n"
    "    return ticks;\n"
    "#else // a CPU, by PoCL or Intel: on x86 ticks of the time stamp counter\n"
    "    return __builtin_readcyclecounter();\n"
    "#endif\n"
    "}\n"
    "// Each work-group finds the minimum of the same 2 x items numbers; out: start, end, minimum\n"
    "__kernel void timedReduction(__global const uint *in, __global ulong *out,\n"
    "                             __local uint *shared) {\n"
    "    const uint item = get_local_id(0), items = get_local_size(0);\n"
    "    __global ulong *mine = out + 3 * get_group_id(0);\n"
    "    if (item == 0) mine[0] = read_clock();\n"
    "    shared[item] = in[item];\n"
    "    shared[item + items] = in[item + items];\n"
    "    for (uint left = 2 * items; left > 1;) { // halve what is left, rounding up\n"
    "        const uint next = (left + 1) / 2;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE); // all are done with the round before\n"
    "        if (item + next < left && shared[item + next] < shared[item])\n"
    "            shared[item] = shared[item + next];\n"
    "        left = next;\n"
    "    }\n"
    "    if (item == 0) mine[2] = shared[0];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); // the group is done when its last work-item is\n"
    "    // The `if` needs a number that is read behind the barrier: so the clock is, too\n"
    "    if (item == 0 && shared[0] > 0) mine[1] = read_clock();\n"
    "}\n";

static void check(cl_int error, const char *call) {
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s failed: error %d\n", call, error);
        exit(1);
    }
}

int main(void) {
    // The first GPU of any platform, or else any device. Try CL_DEVICE_TYPE_CPU
    cl_platform_id platforms[8];
    cl_device_id device;
    cl_uint platform_count = 0;
    cl_int error = CL_DEVICE_NOT_FOUND;
    check(clGetPlatformIDs(8, platforms, &platform_count), "clGetPlatformIDs (no driver?)");
    for (cl_uint i = 0; i < platform_count && i < 8 && error == CL_DEVICE_NOT_FOUND; i++)
        error = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 1, &device, NULL);
    for (cl_uint i = 0; i < platform_count && i < 8 && error == CL_DEVICE_NOT_FOUND; i++)
        error = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    check(error, "clGetDeviceIDs (no device?)");
    char name[256];
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
    printf("%s:\n", name);

    // A queue for its commands, and the kernel, which is compiled for the device.
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "timedReduction", &error);
    check(error, "clCreateKernel");

    // Random numbers, and the minimum, 1, which stands last: there a wrong halving loses it. And
    // what each work-group writes.
    static cl_uint in[2 * ITEMS];
    static cl_ulong out[MOST][3];
    for (int i = 0; i < 2 * ITEMS; i++)
        in[i] = (cl_uint)(2 + rand() % 1000);
    in[2 * ITEMS - 1] = 1;
    cl_mem input = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof in, NULL, &error);
    check(error, "clCreateBuffer");
    cl_mem output = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, &error);
    check(error, "clCreateBuffer");
    error = clEnqueueWriteBuffer(queue, input, CL_TRUE, 0, sizeof in, in, 0, NULL, NULL);
    check(error, "clEnqueueWriteBuffer");
    check(clSetKernelArg(kernel, 0, sizeof input, &input), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof output, &output), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof in, NULL), "clSetKernelArg"); // each group's own memory

    for (size_t i = 0; i < sizeof group_counts / sizeof *group_counts; i++) {
        const size_t count = group_counts[i], items = ITEMS, all = count * items;
        if (count > MOST) {
            fprintf(stderr, "%zu work-groups are above MOST\n", count);
            return 1;
        }
        const cl_ulong none = 0;             // no number of an earlier launch may stay
        for (int run = 1; run <= 2; run++) { // run 1 loads code and memory; run 2 counts
            error = clEnqueueFillBuffer(queue, output, &none, sizeof none, 0, sizeof out, 0, NULL,
                                        NULL);
            check(error, "clEnqueueFillBuffer");
            error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &items, 0, NULL, NULL);
            check(error, "clEnqueueNDRangeKernel");
        }
        error = clEnqueueReadBuffer(queue, output, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
        check(error, "clEnqueueReadBuffer");
        double sum = 0;
        for (size_t group = 0; group < count; group++) {
            const unsigned long long start = out[group][0], end = out[group][1],
                                     least = out[group][2];
            if (least != 1 || end <= start) {
                fprintf(stderr,
                        "wrong: work-group %zu found %llu, not 1, or ran from %llu to %llu\n",
                        group, least, start, end);
                return 1;
            }
            sum += (double)(end - start);
        }
        printf("%5zu work-groups of %d work-items: %.0f ticks on average\n", count, ITEMS,
               sum / (double)count);
    }
    return fflush(stdout) != 0;
}
