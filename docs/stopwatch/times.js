// SPDX-License-Identifier: MIT
// Written by test/times.py, from simulator/times.h, times.c and docs/results.
"use strict";

const TIMES = {
  now: 25, timeofday: 9, clock: 320, sleep_call: 5000, oversleep: 55000, submit: 300, wake: 2000, asleep: 78000,
  no_wait: 300, fetch: 250, read: 10, step: 2, pause: 1000000000, idle: 60000000, climb: 10000000, units: 132,
  threads_a_unit: 2048, queue_holds: 1024, blocks_a_unit: 32, l2_kib: 61440, latency: 1500, launch: 600, drain: 375,
  block: 175, warp: 11, row_saves: 60, dispatch_100: 68, memory: 450, memory_1000000: 287, l2_1000000: 200,
  memset_1000000: 221, launch_call: 4350, last_error: 40, record: 800, query: 500, sync_event: 500, sync: 600,
  elapsed: 400, memset_call: 2500, memset: 2000, copy_call: 4000, copy_1000: 50, device_copy: 1000,
  device_copy_1000000: 466, event: 1000, load: 6400, load_first: 20000, load_lazy: 152000, driver: 300000000,
  get_device_properties: 80000, set_device: 90000, ask_device: 100, profiler: 1000, allocate: 50000, allocate_host:
  60000, release: 20000, stream_create: 5000, stream_destroy: 3000, event_create: 1000, event_destroy: 500,
};

// What GPUs took: the device, the day, the kernel (its name, or its steady time in us), median, least, greatest in us.
const MEASURED = {
  host_no_sync: [
    ["NVIDIA H200", "2026-11-24", "spin_10us", 4.411, 3.433, 11.414],
    ["NVIDIA H200", "2026-11-27", "spin_10us", 4.808, 3.292, 9.002],
  ],
  host_sync: [
    ["NVIDIA H200", "2026-11-24", "spin_10us", 19.55, 18.454, 22.634],
    ["NVIDIA H200", "2026-11-27", "spin_10us", 20.204, 19.052, 21.376],
  ],
  event: [
    ["NVIDIA H200", "2026-11-24", "spin_10us", 16.288, 15.392, 24.992],
    ["NVIDIA H200", "2026-11-27", "spin_10us", 16.864, 15.744, 20.032],
  ],
  event_blocked: [
    ["NVIDIA H200", "2026-11-24", "spin_10us", 12.704, 12.672, 12.896],
    ["NVIDIA H200", "2026-11-27", "spin_10us", 13.184, 13.184, 13.248],
  ],
  event_floor: [
    ["NVIDIA H200", "2026-11-24", "spin_10us", 1.248, 1.248, 1.28],
    ["NVIDIA H200", "2026-11-27", "spin_10us", 1.28, 1.248, 1.28],
  ],
  event_net: [
    ["NVIDIA H200", "2026-11-24", "spin_10us", 11.456, 11.424, 11.648],
    ["NVIDIA H200", "2026-11-27", "spin_10us", 11.904, 11.904, 11.968],
  ],
  cpu_clock: [
    ["NVIDIA H200", "2026-11-24", "spin_10us", 20.0, 19.0, 27.0],
    ["NVIDIA H200", "2026-11-27", "spin_10us", 21.0, 20.0, 27.0],
  ],
  first_launch: [
    ["NVIDIA H200", "2026-11-23", 64.448, 248.16, 225.888, 296.864],
    ["NVIDIA H200", "2026-11-27", 79.232, 336.672, 279.968, 355.936],
  ],
  mean_of_100: [
    ["NVIDIA H200", "2026-11-23", 64.416, 66.375, 65.982, 66.907],
    ["NVIDIA H200", "2026-11-27", 79.84, 82.536, 80.646, 82.936],
  ],
  other_kernel_then_one: [
    ["NVIDIA H200", "2026-11-23", 64.416, 75.936, 74.656, 84.288],
    ["NVIDIA H200", "2026-11-27", 79.648, 100.672, 95.968, 110.336],
  ],
  other_kernel_then_mean_of_10: [
    ["NVIDIA H200", "2026-11-23", 64.288, 66.214, 66.214, 67.725],
    ["NVIDIA H200", "2026-11-27", 79.328, 82.17, 80.733, 84.502],
  ],
  warm_then_median: [
    ["NVIDIA H200", "2026-11-23", 64.704, 64.768, 64.448, 65.856],
    ["NVIDIA H200", "2026-11-27", 79.104, 79.52, 78.816, 80.224],
  ],
};
