// SPDX-License-Identifier: Apache-2.0
// Functions that host and device code share are marked MANTISSA_HD.
#pragma once

#if defined(__CUDACC__)
#define MANTISSA_HD __host__ __device__
#else
#define MANTISSA_HD
#endif
