/* SPDX-License-Identifier: MIT
 *
 * How long everything takes in the simulation, in ns. The transcripts argue with these names, in lower case, in us and
 * without _NS: launch is 0.9. What does not end in _NS is no time and keeps its value. Sums that are often needed have
 * names, too. (simulated.sh reads this file: each "NAME = NUMBER", and "#:".)
 *
 * #: mean_noise = (noise + noise_2 + noise_3 + noise_4 + noise_5) / 5 + noise_late / 41
 * #: kernel = launch + unit_0 + block + 8 * warp + drain      blocks of 256 threads, all at once, besides their code
 * #: spin = launch + unit_0 + read + block + warp + drain     a block of 32, besides the time that it waits
 * #: floor = fetch + event                                    the second of two events
 * #: call = launch_call + last_error                          of a CUDA launch
 * #: way = submit + latency + fetch                           and from there to the device
 * #: cl_call = enqueue + submit + flush + cl_latency + fetch  both, in OpenCL
 * #: loading = wake + load_anew + load_first                  what CUDA's first launch takes besides */
#pragma once

enum {
    /* The host: readings of its clocks, and other calls */
    NOW_NS = 25,              /* CLOCK_MONOTONIC, CLOCK_REALTIME */
    RAW_NS = 28,              /* CLOCK_MONOTONIC_RAW */
    BOOTTIME_NS = 31,         /* CLOCK_BOOTTIME */
    CPU_TIME_NS = 450,        /* CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID */
    TIMEOFDAY_NS = 9,         /* gettimeofday(), and NOW_NS */
    CLOCK_NS = 320,           /* clock() */
    TSC_NS = 8,               /* the time stamp counter */
    TSC_LATE_NS = 3000,       /* one reading of 43 */
    TSC_A_US = 2500,          /* its steps */
    RESOLUTION_NS = 100,      /* clock_getres() */
    SLEEP_CALL_NS = 5000,     /* nanosleep() before it sleeps */
    OVERSLEEP_NS = 55000,     /* so late a sleep wakes up */
    INTERRUPTION_NS = 100000, /* with FAULT=interrupted, in each ms */
    THREAD_NS = 9000,         /* pthread_create() */
    THREAD_END_NS = 3000,     /* after the thread's last instruction */
    JOIN_NS = 4000,           /* pthread_join() */
    RAND_CALL_NS = 9,         /* rand() */
    NOISE_NS = 110,           /* of calls, launches, events: the median; five in turn, this one first */
    NOISE_2_NS = 50,
    NOISE_3_NS = 450,
    NOISE_4_NS = 90,
    NOISE_5_NS = 140,
    NOISE_LATE_NS = 3000, /* one of 41 */
    SUBMIT_NS = 600,      /* from a call's end until its command is on its way, without noise */
    WAKE_NS = 3000,       /* from the end of what the host waits for until it goes on */
    NO_WAIT_NS = 300,     /* a wait for what is done already */

    /* Every device */
    FETCH_NS = 250,            /* before a command begins */
    UNIT_0_NS = 40,            /* so much later than the others unit 0 begins */
    READ_NS = 36,              /* a reading of a register: it gives the time before */
    STEP_NS = 2,               /* a round of a loop in a kernel */
    CLOCKS_A_US = 1980,        /* of an awake unit */
    SLOW_CLOCKS_A_US = 1080,   /* for SLOW_NS after a pause of PAUSE_NS */
    FASTER_CLOCKS_A_US = 1900, /* then, for FASTER_NS */
    SLOW_NS = 60000000,
    FASTER_NS = 10000000,
    PAUSE_NS = 1000000000,
    SLICE_NS = 8000000,   /* FAULT=shared:N: of so much another process has the last N ms */
    HELD_UP_NS = 4500000, /* FAULT=held_up: so late an idle device begins */
    UNEVEN_NS = 400000,   /* FAULT=uneven: half of a kind take so much longer */

    /* Devices: from SUBMIT to the device; before a kernel's first instruction, and behind its last; each block, and
     * each 32 of its threads; a barrier, for each block on the unit; the tick of globaltimer, of events and stamps.
     * First the GPU, of CUDA and OpenCL, which has a latency of its own, and three units. */
    /* clang-format off */
    LATENCY_NS = 2000, LAUNCH_NS = 900, DRAIN_NS = 1100, BLOCK_NS = 200,
    WARP_NS = 40, BARRIER_NS = 20, TICK_NS = 32,
    CL_LATENCY_NS = 4100, GPU_UNITS = 3,
    /* CUDA's second GPU; OpenCL's CPU (PoCL), its GPU with cl_khr_kernel_clock, its old CPU */
    SMALL_LATENCY_NS = 2500, SMALL_LAUNCH_NS = 800, SMALL_DRAIN_NS = 900, SMALL_BLOCK_NS = 240,
    SMALL_WARP_NS = 30, SMALL_BARRIER_NS = 16, SMALL_TICK_NS = 1024,
    CPU_LATENCY_NS = 9000, CPU_LAUNCH_NS = 1500, CPU_DRAIN_NS = 500, CPU_BLOCK_NS = 400,
    CPU_WARP_NS = 300, CPU_BARRIER_NS = 50, CPU_TICK_NS = 1,
    KHR_LATENCY_NS = 5000, KHR_LAUNCH_NS = 1200, KHR_DRAIN_NS = 700, KHR_BLOCK_NS = 260,
    KHR_WARP_NS = 30, KHR_BARRIER_NS = 24, KHR_TICK_NS = 80,
    OLD_LATENCY_NS = 3000, OLD_LAUNCH_NS = 1000, OLD_DRAIN_NS = 600, OLD_BLOCK_NS = 300,
    OLD_WARP_NS = 50, OLD_BARRIER_NS = 30, OLD_TICK_NS = 10,
    /* clang-format on */

    /* CUDA's calls: all that a chapter is about; the others have their time where they stand */
    LAUNCH_CALL_NS = 2700, /* kernel<<<>>>() */
    LAST_ERROR_NS = 40,    /* cudaGetLastError() */
    RECORD_NS = 800,       /* cudaEventRecord() */
    RECORD_NODE_NS = 900,  /* cudaEventRecordWithFlags() */
    QUERY_NS = 500,        /* cudaEventQuery() */
    SYNC_EVENT_NS = 500,   /* cudaEventSynchronize() */
    SYNC_NS = 600,         /* cudaDeviceSynchronize() */
    ELAPSED_NS = 400,      /* cudaEventElapsedTime() */
    MEMSET_CALL_NS = 2500, /* cudaMemset() */
    MEMSET_NS = 2000,      /* on the device */
    COPY_CALL_NS = 4000,   /* cudaMemcpy(), besides the copy itself */
    COPY_RATE = 20,        /* bytes a ns, to or from the host */
    GRAPH_CALL_NS = 6000,  /* cudaGraphLaunch() */
    EVENT_NS = 1000,       /* an event on the device; the stamp is its end */
    EVENT_NODE_NS = 600,   /* in a graph */
    NODE_SAVES_NS = 300,   /* of a kernel's launch in a graph */
    LOAD_NS = 100000,      /* a kernel's first launch, if an earlier process's code was kept */
    LOAD_ANEW_NS = 140000, /* if not */
    LOAD_EAGER_NS = 30000, /* with CUDA_MODULE_LOADING=EAGER */
    LOAD_FIRST_NS = 90000, /* the first launch of all, besides */

    /* OpenCL's calls */
    ENQUEUE_NS = 4000,         /* clEnqueueNDRangeKernel() */
    FINISH_NS = 1000,          /* clFinish() */
    FLUSH_NS = 2300,           /* besides SUBMIT_NS */
    TRANSFER_CALL_NS = 3000,   /* clEnqueueReadBuffer() and its like */
    TRANSFER_NS = 3000,        /* on the device, and COPY_RATE bytes a ns to or from the host */
    DEVICE_RATE = 40,          /* of a copy on the device */
    FILL_NS = 2000,            /* clEnqueueFillBuffer() on the device */
    PROFILING_NS = 400,        /* clGetEventProfilingInfo() */
    COMPLETE_NS = 640,         /* COMPLETE after END */
    BUILD_NS = 2000000,        /* clBuildProgram() */
    COMPILE_NS = 150000,       /* a kernel's first launch */
    COMPILE_KEPT_NS = 90000,   /* if an earlier process's code was kept */
    COMPILE_FIRST_NS = 200000, /* the first launch of all, besides */
};
