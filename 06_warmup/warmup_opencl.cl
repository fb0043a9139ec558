/* SPDX-License-Identifier: MIT */
__kernel void vector_add(__global const float *a, __global const float *b, __global float *c,
                         ulong n) {
    const size_t i = get_global_id(0);
    if (i < n) /* the last work-group may reach past the end */
        c[i] = a[i] + b[i];
}

/* Something else to warm up with. */
__kernel void other_kernel(__global float *c, ulong n) {
    const size_t i = get_global_id(0);
    if (i < n)
        c[i] = -2;
}
