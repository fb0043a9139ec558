// How long does each work-group run, by a clock that its kernel reads at its start and its end?
// Build: cc -O2 minimal.c -o minimal -lOpenCL
// Run:   ./minimal
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { GROUPS = 8 }; // work-groups. Try 1 and 5000
enum { ITEMS = 64 }; // work-items in each. Try 1 and 256

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
    "__kernel void timed(__global ulong *out) { // of each group: start, end, and its values\n"
    "    __global ulong *mine = out + get_group_id(0) * (2 + get_local_size(0));\n"
    "    __global ulong *value = mine + 2 + get_local_id(0);\n"
    "    *value = 1000;\n"
    "    if (get_local_id(0) == 0) mine[0] = read_clock();\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE); // no work-item begins its work before that stamp\n"
    "    for (int round = 0; round < 1000; round++)\n"
    "        *value = *value / 2 + 1;\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE); // all work-items are here: only then the end\n"
    "    // Keep this `if`: without it an H200 reads the clock too early\n"
    "    if (get_local_id(0) == 0) mine[1] = read_clock();\n"
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
    printf("%s runs %d work-groups of %d work-items\n", name, GROUPS, ITEMS);

    // A queue for its commands, and the kernel, which is compiled for the device.
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "timed", &error);
    check(error, "clCreateKernel");

    // What it writes for each work-group: start, end, and the value of each work-item.
    static cl_ulong out[GROUPS][2 + ITEMS];
    const size_t items = ITEMS, all = GROUPS * items;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, &error);
    check(error, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    for (int run = 1; run <= 2; run++) { // run 1 loads code and memory; run 2 counts
        const cl_ulong none = 0;         // no stamp of run 1 may stay
        error =
            clEnqueueFillBuffer(queue, buffer, &none, sizeof none, 0, sizeof out, 0, NULL, NULL);
        check(error, "clEnqueueFillBuffer");
        error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &items, 0, NULL, NULL);
        check(error, "clEnqueueNDRangeKernel");
    }
    error = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    check(error, "clEnqueueReadBuffer");
    double sum = 0;
    for (int group = 0; group < GROUPS; group++) {
        if (out[group][0] == 0 || out[group][1] <= out[group][0]) {
            fprintf(stderr, "impossible: work-group %d has no start, or no end after it\n", group);
            return 1;
        }
        const unsigned long long ticks = out[group][1] - out[group][0];
        if (group < 8)
            printf("work-group %d: %llu ticks\n", group, ticks);
        sum += (double)ticks;
    }
    printf("%d work-groups: %.0f ticks on average\n", GROUPS, sum / GROUPS);
    const int right = out[GROUPS - 1][1 + ITEMS] == 2;
    if (!right)
        fprintf(stderr, "the last value is wrong: believe none of these ticks\n");
    return !right || fflush(stdout) != 0;
}
