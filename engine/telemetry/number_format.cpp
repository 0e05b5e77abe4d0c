// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/number_format.h"

#include <charconv>
#include <cmath>

namespace mantissa {
namespace {

template <typename Float>
std::string shortestOf(Float value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

}  // namespace

std::string shortest(double value) {
    return shortestOf(value);
}
std::string shortest(float value) {
    return shortestOf(value);
}

}  // namespace mantissa
