#!/bin/sh
# SPDX-License-Identifier: MIT
#
# spin.sh CC: without a clock spin.cl counts the rounds of a loop, and a compiler must not leave out its work: with other
# work it gives other machine code.
set -eu
export LC_ALL=C
cc=$1
cd "$(dirname "$0")/../.."
code() { sed "$1" 03_opencl_profiling/spin.cl | "$cc" -O2 -include simulator/opencl_c.h -xc -S -o - -; }
[ "$(code '')" != "$(code s/1664525u/1664527u/)" ]
