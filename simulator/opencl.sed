# SPDX-License-Identifier: MIT
#
# Makes C of OpenCL C, line by line, for the simulation: NVIDIA's registers, and the time that a round of a loop takes in
# a kernel.
s/asm volatile("mov\.u[0-9]* %0, %%\([a-z0-9]*\);" : "=[lr]"(\([a-z_]*\))[^;]*);/\2 = simulated_\1();/
/for (.*;$/{
  N
  s/\n */ /
}
/for (/s@ /[/*].*$@@
s/\(for (.*; .*; [^;]*[^; ]\)) *\({*\)$/\1, SIMULATED_STEP) \2/
