// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <random>

#include "engine/bench/bench.h"
#include "kernels/cpu/round_array.h"
#include "kernels/dtype/dtype.h"

namespace mantissa {
namespace {

/// The textbook method: splits significand and exponent, rounds, and combines them.
void textbookRound(const DtypeFacts& f, const float* src, float* dst, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto x = static_cast<double>(src[i]);
        if (!std::isfinite(x) || x == 0) {
            dst[i] = src[i];
            continue;
        }
        int exponent = 0;
        std::frexp(x, &exponent);
        const int lowest = std::max(exponent - 1, 1 - f.bias) - f.mantissaBits;  // the weight of the last bit
        const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -lowest)), lowest);
        dst[i] = static_cast<float>(std::fabs(rounded) > f.maxFinite ? std::copysign(INFINITY, rounded) : rounded);
    }
}

/// Random bit patterns, new for each repetition: all exponents, ties, subnormals, Inf and NaN.
void fillWithBits(std::vector<float>& values, std::mt19937_64& random) {
    for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
        const std::uint64_t bits = random();
        std::memcpy(&values[i], &bits, sizeof bits);
    }
}

}  // namespace

std::vector<BenchResult> benchRounding() {
    constexpr double kGiga = 1e-9;
    std::mt19937_64 random(5);
    std::vector<BenchResult> results;
    for (const std::size_t mebibytes : {4u, 64u}) {
        const std::size_t count = mebibytes * (1 << 20) / sizeof(float);
        const int passes = mebibytes > 16 ? 4 : 40;
        std::vector<float> src(count), dst(count), copied(count);
        const auto onNewBits = [&](int times, const std::function<void()>& pass) -> TimedBlock {
            return [&src, &random, times, pass] {
                fillWithBits(src, random);
                return timeUnits(times, pass);
            };
        };
        const auto add = [&](const std::string& name, const PairedTimes& times, const std::string& rival, double ratio, double limit) {
            const double elements = static_cast<double>(count) * kGiga;
            results.push_back({.name = name,
                               .what = name + ": float32 to float32, one thread, random bit patterns",
                               .rival = rival,
                               .unit = "G elements/s",
                               .ours = elements / times.oursMedian,
                               .oursP99 = elements / times.oursP99,
                               .theirs = elements / times.rivalMedian,
                               .theirsP99 = elements / times.rivalP99,
                               .ratio = ratio,
                               .ratioName = "our speed / rival's",
                               .limit = limit,
                               .isAtLeast = true});
        };
        const std::string size = std::to_string(mebibytes) + "MiB";
        for (const Dtype dtype : {Dtype::F16, Dtype::BF16, Dtype::TF32, Dtype::E4M3, Dtype::E5M2}) {
            const PairedTimes times = runPaired(onNewBits(passes, [&] { roundArray(dtype, src.data(), dst.data(), count); }),
                                                onNewBits(passes, [&] { std::memcpy(copied.data(), src.data(), count * sizeof(float)); }));
            const double limit = facts(dtype).storageBits == 8 ? 0.75 : 0.9;
            add("round-" + std::string(facts(dtype).name) + "-" + size, times, "memcpy", 1 / times.ratio, limit);
        }
        if (mebibytes > 16) continue;
        for (const Dtype dtype : {Dtype::F16, Dtype::E4M3, Dtype::E5M2}) {
            const PairedTimes times = runPaired(onNewBits(10, [&] { roundArray(dtype, src.data(), dst.data(), count); }),
                                                onNewBits(1, [&] { textbookRound(facts(dtype), src.data(), copied.data(), count); }), 5);
            add("round-" + std::string(facts(dtype).name) + "-textbook", times, "frexp, nearbyint, ldexp", 1 / times.ratio, 30);
        }
    }
    return results;
}

}  // namespace mantissa
