// SPDX-License-Identifier: Apache-2.0
// Operations that measure tensors and change none: element classes, counts by magnitude, lost updates. A part of operations.h; numerics and
// threads: backend.h.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/dtype/dtype.h"
#include "kernels/dtype/element_classes.h"
#include "kernels/dtype/host_device.h"
#include "kernels/dtype/magnitude_cells.h"

namespace mantissa {

struct ClassifyDesc {  // src, ElementClasses
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;
};

/// Statistics of the measured elements: their classes, and the number of finite non-zero ones in each cell of magnitude_cells.h.
struct ElementStats {
    ElementClasses classes;
    double smallest = 0;  // smallest magnitude of a finite non-zero element; 0: there is none
    /// Cells of exponents outside [first, end) are empty; their memory is undefined, so that a small tensor does not pay for all cells.
    std::int32_t firstExponent = 0, endExponent = 0;
    std::array<std::uint32_t, kCellCount> cells{};

    /// The first valid cell, and the number of valid cells.
    std::size_t firstCell() const { return endExponent > firstExponent ? static_cast<std::size_t>(cellIndex(firstExponent, 0)) : 0; }
    std::size_t cellCount() const { return static_cast<std::size_t>(endExponent - firstExponent) * kPartCount; }
};

/// Elements that are measured or left out together: whole cache lines in every format, and two wide loads for each lane of a warp.
inline constexpr std::int64_t kStatsBlock = 512;
/// Partial statistics measure one block in this many, and the next ones at the next step: this many consecutive steps cover each element
/// once.
inline constexpr std::int64_t kStatsPeriod = 8;

/// The part of a tensor's elements that is measured; measured elements are numbered consecutively.
struct SeenPart {
    std::int64_t count = 0;   // of the tensor
    std::int64_t period = 1;  // one block in this many is measured
    std::int64_t first = 0;   // index of the first measured block

    MANTISSA_HD constexpr std::int64_t size() const {
        const std::int64_t blocks = (count + kStatsBlock - 1) / kStatsBlock;
        const std::int64_t seen = (blocks - first + period - 1) / period;
        const bool seesLast = (blocks - 1) % period == first;  // which may be short
        return seen * kStatsBlock - (seesLast ? blocks * kStatsBlock - count : 0);
    }
    /// Index in the tensor of the measured element `i`.
    MANTISSA_HD constexpr std::int64_t elementAt(std::int64_t i) const {
        return i + (i / kStatsBlock * (period - 1) + first) * kStatsBlock;
    }
};

/// The measured part of a tensor at a step. Tensors of fewer than kStatsPeriod blocks are measured whole: little is saved, and some steps
/// would measure nothing.
MANTISSA_HD constexpr SeenPart seenPart(std::int64_t count, bool isPartial, std::int64_t step) {
    if (!isPartial || count < kStatsPeriod * kStatsBlock) return {count, 1, 0};
    return {count, kStatsPeriod, step % kStatsPeriod};
}

/// Statistics of a tensor. `isPartial`: only seenPart of StepScalars::step is read. Fewer than 2^32 elements.
struct StatsDesc {  // src, StepScalars (null unless partial), ElementStats
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;
    bool isPartial = false;
};

/// The effect of an update on one tensor's weights.
struct UpdateStats {
    ElementStats moved;      // of after - before, in fp32
    std::int64_t meant = 0;  // elements with a non-zero intended update
    std::int64_t lost = 0;   // those of them that are unchanged, to the bit: w + dw == w
};

/// Statistics of an update. An element's update is intended if the step is not skipped, the learning rate is not 0, and the gradient is not
/// 0, or the moment after it, or with `decays` the weight before it.
struct UpdateStatsDesc {  // before, after, gradients, moment (may be null), StepScalars, UpdateStats
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;  // of the first three
    bool decays = false;
    bool isPartial = false;         // as in StatsDesc
    std::optional<Dtype> moment{};  // nothing: `dtype`
};

/// Copies the elements that partial statistics measure in each segment from src to the same places of dst; other elements of dst are
/// unchanged.
struct KeepSeenDesc {                    // src, StepScalars, dst
    std::vector<std::int64_t> segments;  // as in UnscaleDesc
    Dtype dtype = Dtype::F32;
};

}  // namespace mantissa
