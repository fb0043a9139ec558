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
  get_device_properties: 80000, ask_device: 100, profiler: 1000, allocate: 50000, allocate_host: 60000, release:
  20000, stream_create: 5000, stream_destroy: 3000, event_create: 1000, event_destroy: 500,
};

// What GPUs took: the device, the day, the kernel (its name, or its steady time in us), median, least, greatest in us.
const MEASURED = {
  host_no_sync: [["NVIDIA H200", "2026-11-29", "spin_10us", 3.832, 2.82, 16.818]],
  host_sync: [["NVIDIA H200", "2026-11-29", "spin_10us", 18.645, 17.807, 25.529]],
  event: [["NVIDIA H200", "2026-11-29", "spin_10us", 15.84, 14.624, 25.088]],
  event_blocked: [["NVIDIA H200", "2026-11-29", "spin_10us", 12.864, 12.864, 12.96]],
  event_net: [["NVIDIA H200", "2026-11-29", "spin_10us", 11.552, 11.552, 11.648]],
  cpu_clock: [["NVIDIA H200", "2026-11-29", "spin_10us", 20.0, 19.0, 26.0]],
  first_launch: [["NVIDIA H200", "2026-11-29", 63.84, 239.392, 232.448, 248.576]],
  mean_of_100: [["NVIDIA H200", "2026-11-29", 63.872, 65.542, 65.105, 65.794]],
  other_kernel_then_mean_of_10: [["NVIDIA H200", "2026-11-29", 63.52, 65.075, 64.461, 66.893]],
  warm_then_median: [["NVIDIA H200", "2026-11-29", 64.416, 64.0, 63.776, 64.896]],
};
