// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/inputs.h"

#include <cmath>
#include <random>

#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {
namespace {

constexpr float kSpecials[] = {kNan, kInf, -kInf, -0.0f, 0.0f};

int between(std::mt19937& random, int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}
float signOf(std::mt19937& random) {
    return random() % 2 == 0 ? 1.0f : -1.0f;
}

/// Positive numbers, by their distance in codes from a format's smallest or largest finite magnitude.
float fromSmallest(Dtype dtype, std::uint32_t codes) {
    return decodeBits(dtype, codes);
}
float fromLargest(Dtype dtype, std::uint32_t codes) {
    return decodeBits(dtype, encodeBits(dtype, static_cast<float>(facts(dtype).maxFinite)) - codes);
}

}  // namespace

Floats normals(std::size_t count, unsigned seed, float deviation) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, deviation);
    Floats values(count);
    for (float& v : values) v = normal(random);
    return values;
}

Floats wholes(std::size_t count, unsigned seed, int most) {
    std::mt19937 random(seed);
    Floats values(count);
    for (float& v : values) v = static_cast<float>(between(random, -most, most));
    return values;
}

double largestUnit(Dtype dtype) {
    return std::exp2(std::floor(std::log2(facts(dtype).maxFinite / 7)));
}

Floats elements(Inputs inputs, Dtype dtype, std::size_t count, unsigned seed) {
    if (inputs == Inputs::Whole) return wholes(count, seed);
    std::mt19937 random(seed + 1);
    const std::uint32_t binade = 1u << facts(dtype).mantissaBits;
    Floats values = normals(count, seed, 2);
    for (std::size_t i = 0; i < count; ++i) {
        float& v = values[i];
        if (inputs == Inputs::Subnormal) {
            v = signOf(random) * fromSmallest(dtype, 1 + static_cast<std::uint32_t>(random()) % (2 * binade));
        } else if (inputs == Inputs::Overflow) {
            v = signOf(random) * fromLargest(dtype, static_cast<std::uint32_t>(random()) % (2 * binade));
        } else if (inputs == Inputs::NonFinite && i % 3 == 0) {
            v = kSpecials[i / 3 % std::size(kSpecials)];
        } else if (i % 7 == 1) {
            v *= std::exp2(-static_cast<float>(i % 30));
        }
        v = roundTo(dtype, v);
    }
    return values;
}

Floats aroundBoundaries(Inputs inputs, Dtype dtype, std::size_t count, unsigned seed) {
    Floats values = elements(inputs, dtype, count, seed);
    std::mt19937 random(seed + 2);
    for (float& v : values) {
        if (!std::isfinite(v) || v == 0) continue;
        // A number of the format plus up to one ulp: the tie, its two fp32 neighbours, or any value.
        const double magnitude = std::fabs(static_cast<double>(v));
        const double ulp = std::exp2(std::max(std::floor(std::log2(magnitude)), std::log2(facts(dtype).minNormal))) * facts(dtype).epsilon;
        const auto tie = static_cast<float>(magnitude + ulp / 2);
        const float choices[] = {tie, std::nextafter(tie, 0.0f), std::nextafter(tie, kInf),
                                 static_cast<float>(magnitude + ulp * static_cast<double>(random() % 1024) / 1024)};
        v = std::copysign(choices[random() % std::size(choices)], v);
    }
    return values;
}

}  // namespace mantissa::conformance
