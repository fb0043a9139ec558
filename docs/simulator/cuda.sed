# SPDX-License-Identifier: MIT
#
# Makes C of CUDA C and OpenCL C, line by line, for the simulation: launches, registers, dynamic
# shared memory, and the time that a round of a loop takes in a kernel.
/#include <cuda_profiler_api.h>/d
s/\([A-Za-z_0-9]*\)<<<\(.*\)>>>(/SIMULATED_LAUNCH(\1, (\2), /
s/asm volatile("mov\.u[0-9]* %0, %%\([a-z0-9]*\);" : "=[lr]"(\([a-z_]*\))[^;]*);/\2 = simulated_\1();/
s/asm volatile("griddepcontrol\.\([a-z_]*\);"[^;]*);/simulated_grid_\1();/
/asm volatile("mma\.sync/,/;$/c\            simulated_mma(&s[k], n);
s/extern __shared__ \([a-z]*\) \([a-z]*\)\[\];/\1 *\2 = (\1 *)simulated_shared();/
/for (.*;$/{
  N
  s/\n */ /
}
/for (/s@ /[/*].*$@@
s/\(for (.*; .*; [^;]*[^; ]\)) *\({*\)$/\1, SIMULATED_STEP) \2/
