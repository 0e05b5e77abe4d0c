// SPDX-License-Identifier: Apache-2.0
// Unscaling and overflow check: one pass over the gradients, in fp32; narrower ones in blocks.
#include <cmath>

#include "kernels/cpu/operations.h"
#include "kernels/cpu/vector_loop.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::cpu {
namespace {

struct SegmentCheck {
    std::uint32_t largestBits = 0;  // of the scaled gradients; those of Inf and NaN are the largest
    double sumOfSquares = 0;        // of the unscaled gradients: finite if all of them are

    bool overflowed(OverflowTest test) const {
        return largestBits >= kFloatInf || (test == OverflowTest::UnscaledElements && !std::isfinite(sumOfSquares));
    }
};

/// Number of lanes of each sum for every vector width, so that all instruction sets add in the same order.
constexpr std::int64_t kLanes = 16;

// gcc 12 vectorises a loop over lanes only if it has not unrolled it.
MANTISSA_LOOP void unscaleLanes(float* gradients, std::int64_t count, float factor, std::uint32_t* largestBits, double* sums) {
    for (std::int64_t i = 0; i < count; i += kLanes) {
#pragma GCC unroll 1
#pragma GCC ivdep
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            const float scaled = gradients[i + lane];
            const std::uint32_t magnitude = floatBits(scaled) & ~kFloatSign;
            largestBits[lane] = magnitude > largestBits[lane] ? magnitude : largestBits[lane];
            const float unscaled = scaled * factor;
            gradients[i + lane] = unscaled;
            sums[lane] += static_cast<double>(unscaled) * static_cast<double>(unscaled);
        }
    }
}

/// Checks the scaled values before it multiplies: NaN from an infinite factor is no overflow of the scaled gradients. A factor of 1
/// changes no bits, except that a signalling NaN may become quiet.
SegmentCheck unscaleSegment(float* gradients, std::int64_t count, float factor) {
    std::uint32_t largestBits[kLanes] = {};
    double sums[kLanes] = {};
    const std::int64_t whole = count / kLanes * kLanes;
    unscaleLanes(gradients, whole, factor, largestBits, sums);
    float rest[kLanes] = {};
    double restSums[kLanes] = {};
    std::copy(gradients + whole, gradients + count, rest);
    if (whole < count) unscaleLanes(rest, kLanes, factor, largestBits, restSums);  // padded with zeros: NaN with an infinite factor
    std::copy(rest, rest + (count - whole), gradients + whole);
    for (std::int64_t lane = 0; lane < count - whole; ++lane) sums[lane] += restSums[lane];
    SegmentCheck check;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        check.largestBits = std::max(check.largestBits, largestBits[lane]);
        check.sumOfSquares += sums[lane];
    }
    return check;
}

/// unscaleSegment for narrower gradients. The norm is that of the stored results.
SegmentCheck unscaleStored(Dtype dtype, void* gradients, std::int64_t first, std::int64_t count, float factor) {
    SegmentCheck check;
    forBlocks(count, [&](std::int64_t from, std::int64_t n) {
        Block block;
        const std::int64_t at = first + from;
        const auto load = [&] { decodeArray(dtype, elementAt(dtype, gradients, at), block.data(), static_cast<std::size_t>(n)); };
        load();
        const SegmentCheck before = unscaleSegment(block.data(), n, factor);
        storeBlock(dtype, gradients, at, n, block);
        load();
        check.largestBits = std::max(check.largestBits, before.largestBits);
        check.sumOfSquares += unscaleSegment(block.data(), n, 1).sumOfSquares;
    });
    return check;
}

MANTISSA_LOOP void addLanes(const float* values, std::int64_t count, bool squared, float* sums) {
    for (std::int64_t i = 0; i < count; i += kLanes) {
#pragma GCC unroll 1
#pragma GCC ivdep
        for (std::int64_t lane = 0; lane < kLanes; ++lane) sums[lane] += squared ? values[i + lane] * values[i + lane] : values[i + lane];
    }
}

/// The fp32 sum of a parameter's gradients, or of their squares.
float sumOf(Dtype dtype, const void* gradients, std::int64_t first, std::int64_t count, bool squared) {
    float sums[kLanes] = {};
    forBlocks(count, [&](std::int64_t from, std::int64_t n) {
        Block block;
        const float* values = loadBlock(dtype, gradients, first + from, n, block);
        const std::int64_t whole = n / kLanes * kLanes;
        addLanes(values, whole, squared, sums);
        float rest[kLanes] = {};
        std::copy(values + whole, values + n, rest);
        addLanes(rest, kLanes, squared, sums);
    });
    float sum = 0;
    for (const float lane : sums) sum += lane;
    return sum;
}

/// Whether the test needs a separate pass over the scaled gradients.
bool testsScaledFirst(OverflowTest test) {
    return test == OverflowTest::Sums || test == OverflowTest::Norm;
}

bool scaledOverflow(const Segments& segments, Dtype dtype, const void* gradients, OverflowTest test, float* foundInf) {
    bool overflowed = false;
    float squares = 0;
    for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
        const float sum = sumOf(dtype, gradients, segments[i], segments[i + 1] - segments[i], test == OverflowTest::Norm);
        squares += sum;
        foundInf[i] = std::isfinite(sum) ? 0.0f : 1.0f;
        overflowed = overflowed || !std::isfinite(sum);
    }
    return overflowed || (test == OverflowTest::Norm && !std::isfinite(squares));
}

}  // namespace

std::unique_ptr<Operation> makeUnscale(const UnscaleDesc& desc) {
    return makeFunction([segments = desc.segments, dtype = desc.dtype](Operands operands) {
        void* const gradients = operands[0];
        auto* foundInf = static_cast<float*>(operands[1]);
        auto& scalars = *static_cast<StepScalars*>(operands[2]);
        const OverflowTest test = scalars.overflowTest;
        bool overflowed = testsScaledFirst(test) && scaledOverflow(segments, dtype, gradients, test, foundInf);
        const auto pass = [&](float factor) {
            SegmentCheck whole;
            for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
                const std::int64_t first = segments[i], count = segments[i + 1] - first;
                const SegmentCheck check = dtype == Dtype::F32 ? unscaleSegment(static_cast<float*>(gradients) + first, count, factor)
                                                               : unscaleStored(dtype, gradients, first, count, factor);
                if (!testsScaledFirst(test)) foundInf[i] = check.overflowed(test) ? 1.0f : 0.0f;
                whole.largestBits = std::max(whole.largestBits, check.largestBits);
                whole.sumOfSquares += check.sumOfSquares;
            }
            return whole;
        };
        const auto coefficientOf = [&](float norm) {
            const float coefficient = scalars.maxGradNorm / (norm + 1e-6f);
            return coefficient > 1 ? 1 : coefficient;  // NaN stays NaN
        };
        const bool clips = scalars.maxGradNorm > 0, clipsScaled = clips && scalars.clipsScaled != 0;
        double scaledNorm = 0;
        if (clipsScaled) {
            scaledNorm = std::sqrt(pass(1).sumOfSquares);
            pass(coefficientOf(static_cast<float>(scaledNorm)));
        }
        const SegmentCheck check = pass(scalars.inverseScale);
        if (!testsScaledFirst(test)) overflowed = check.overflowed(test);
        scalars.foundInf = overflowed ? 1.0f : 0.0f;
        scalars.gradAbsMax = floatFromBits(check.largestBits) * scalars.inverseScale;
        const double norm = clipsScaled ? scaledNorm * static_cast<double>(scalars.inverseScale) : std::sqrt(check.sumOfSquares);
        scalars.gradNorm = static_cast<float>(norm);
        scalars.clipCoefficient = clips && !clipsScaled ? coefficientOf(scalars.gradNorm) : 1;
        scalars.skipped = scalars.foundInf != 0 && scalars.skipOnFoundInf != 0 ? 1 : 0;
    });
}

}  // namespace mantissa::cpu
