// SPDX-License-Identifier: Apache-2.0
// Names of non-finite values in tests of kernels.
#pragma once

#include <limits>

namespace mantissa::test {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace mantissa::test
