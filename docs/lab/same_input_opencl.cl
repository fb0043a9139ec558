/* SPDX-License-Identifier: MIT */

/* Walks through `data` and goes one way or the other by each number's last bit. Both ways have as
 * much work, each step needs the one before, and no side is short enough to be done without a
 * branch: so a processor must guess which way it goes. */
__kernel void walk(__global const uint *data, __global uint *result, ulong n) {
    uint x = 1;
    for (ulong i = 0; i < n; i++)
        if (data[i] & 1) {
            x = (x ^ x >> 15) * 2246822519u + data[i];
            x ^= x >> 13;
        } else {
            x = (x ^ x >> 16) * 3266489917u - data[i];
            x ^= x >> 11;
        }
    *result = x;
}
