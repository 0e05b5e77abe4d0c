// SPDX-License-Identifier: Apache-2.0
// Numbers as files hold them: shortest text that reads back to the same value, no locale; nan, inf, -inf as text.
#pragma once

#include <string>

namespace mantissa {

std::string shortest(double value);
/// The shortest text that reads back to the same fp32.
std::string shortest(float value);

}  // namespace mantissa
