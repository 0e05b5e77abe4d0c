// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/vector_math.h"

namespace mantissa::cpu {

MANTISSA_LOOP void addInto(float* sums, const float* values, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) sums[i] += values[i];
}

}  // namespace mantissa::cpu
