// SPDX-License-Identifier: Apache-2.0
// What a kernel's test calls the values that are no numbers.
#pragma once

#include <limits>

namespace mantissa::test {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace mantissa::test
