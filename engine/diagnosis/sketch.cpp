// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/sketch.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mantissa {
namespace {

/// SplitMix64 (G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
std::uint64_t hashed(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

}  // namespace

Sketch sketchOf(std::span<const float> values) {
    constexpr auto kSize = static_cast<std::size_t>(kSketchSize);
    std::array<double, kSize> sums{};
    for (std::size_t row = 0; row * kSize < values.size(); ++row) {
        const auto elements = values.subspan(row * kSize, std::min(kSize, values.size() - row * kSize));
        const std::uint64_t signs = hashed(2 * row), turn = hashed(2 * row + 1) % kSize;
        for (std::size_t column = 0; column < elements.size(); ++column) {
            const double element = std::isfinite(elements[column]) ? static_cast<double>(elements[column]) : 0;
            sums[column ^ turn] += (signs >> column & 1) != 0 ? -element : element;
        }
    }
    Sketch sketch(kSize);
    std::transform(sums.begin(), sums.end(), sketch.begin(), [](double sum) { return static_cast<float>(sum); });
    return sketch;
}

}  // namespace mantissa
