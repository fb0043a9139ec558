/* SPDX-License-Identifier: MIT
 * In place of CUDA's own: no profiler watches the simulated GPUs. */
#pragma once

API(cudaProfilerStart, (void), 1000, (void)0)
API(cudaProfilerStop, (void), 1000, (void)0)
