#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/environment.sh [BUILD]: what this machine is. It names no host and no user, and no more
# of the kernel's version than its numbers. BUILD is the build folder, if not build.
export LC_ALL=C
build=${1:-build}
export CUDA_DEVICE_ORDER=PCI_BUS_ID # as nvidia-smi counts them

echo "date: $(date -u +%Y-%m-%d)"
# shellcheck disable=SC1091 # it is there on every machine of today
echo "system: $(. /etc/os-release && echo "$PRETTY_NAME"), $(uname -sm), kernel $(uname -r | sed 's/[^0-9.].*//')"
echo "processor: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
if [ "${CUDA_VISIBLE_DEVICES-all}" ] && command -v nvidia-smi >/dev/null; then
    nvidia-smi ${CUDA_VISIBLE_DEVICES:+-i "$CUDA_VISIBLE_DEVICES"} \
        --query-gpu=name,driver_version,power.limit,clocks.max.sm --format=csv,noheader |
        sed 's/^\(.*\), \(.*\), \(.*\), \(.*\)$/gpu: \1, driver \2, at most \3, \4/'
fi
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
    echo "toolkit: CUDA $("$nvcc" --version | sed -n 's/.*release \([0-9.]*\), V\(.*\)/\2/p')"
fi
echo "compiler: $(cc --version | head -n 1)"
if [ -x "$build/02_clfinish_sync/clfinish_sync" ]; then
    "$build/02_clfinish_sync/clfinish_sync" --device list 2>/dev/null | sed 's/^/opencl device /'
fi
exit 0
