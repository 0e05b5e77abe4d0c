// SPDX-License-Identifier: Apache-2.0
// Operations that look at tensors and change none: element classes, counts by magnitude, updates that were lost.
// A part of operations.h; numerics and threads: backend.h.
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

/// Of the elements that a look sees: what an audit finds, and how many of the finite ones other than 0 lie in each cell of
/// magnitude_cells.h.
struct ElementStats {
    ElementClasses classes;
    double smallest = 0;  // magnitude of a finite element other than 0; 0: there is none
    /// Cells of exponents outside [first, end) are empty, and hold whatever they held: a look at a small tensor costs less than all of
    /// them.
    std::int32_t firstExponent = 0, endExponent = 0;
    std::array<std::uint32_t, kCellCount> cells{};

    /// Where the cells that count begin, and how many there are.
    std::size_t firstCell() const { return endExponent > firstExponent ? static_cast<std::size_t>(cellIndex(firstExponent, 0)) : 0; }
    std::size_t cellCount() const { return static_cast<std::size_t>(endExponent - firstExponent) * kPartCount; }
};

/// Elements that a look sees or passes over together: whole cache lines in every format, and two wide loads for each lane of a warp.
inline constexpr std::int64_t kStatsBlock = 512;
/// A partial look sees one block in so many, the next ones at the next step: so many steps in a row see each element once.
inline constexpr std::int64_t kStatsPeriod = 8;

/// Which elements of a tensor a look sees; they are numbered as if they stood side by side.
struct SeenPart {
    std::int64_t count = 0;   // of the tensor
    std::int64_t period = 1;  // one block in so many is seen
    std::int64_t first = 0;   // the first of them

    MANTISSA_HD constexpr std::int64_t size() const {
        const std::int64_t blocks = (count + kStatsBlock - 1) / kStatsBlock;
        const std::int64_t seen = (blocks - first + period - 1) / period;
        const bool seesLast = (blocks - 1) % period == first;  // which may be short
        return seen * kStatsBlock - (seesLast ? blocks * kStatsBlock - count : 0);
    }
    /// Where in the tensor the seen element `i` is.
    MANTISSA_HD constexpr std::int64_t elementAt(std::int64_t i) const {
        return i + (i / kStatsBlock * (period - 1) + first) * kStatsBlock;
    }
};

/// Tensors of fewer than kStatsPeriod blocks are seen whole: there is little to spare, and a step would see nothing of some.
MANTISSA_HD constexpr SeenPart seenPart(std::int64_t count, bool isPartial, std::int64_t step) {
    if (!isPartial || count < kStatsPeriod * kStatsBlock) return {count, 1, 0};
    return {count, kStatsPeriod, step % kStatsPeriod};
}

/// `isPartial`: sees seenPart of StepScalars::step alone, and reads nothing else. Fewer than 2^32 elements.
struct StatsDesc {  // src, StepScalars (null where it is not partial), ElementStats
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;
    bool isPartial = false;
};

/// What an update did to the weights of one tensor.
struct UpdateStats {
    ElementStats moved;      // of after - before, in fp32
    std::int64_t meant = 0;  // elements that the step meant to move
    std::int64_t lost = 0;   // and that are as they were, to the bit: w + dw == w
};

/// A step means to move an element when it was not skipped, its rate is not 0, and the gradient is not 0, or the moment after it, or with
/// `decays` the weight before it.
struct UpdateStatsDesc {  // before, after, gradients, moment (may be null), StepScalars, UpdateStats
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;  // of the first four
    bool decays = false;
    bool isPartial = false;  // as of StatsDesc
};

/// Keeps what partial looks at each segment see: those elements of src in the same places of dst, whose others stay.
struct KeepSeenDesc {                    // src, StepScalars, dst
    std::vector<std::int64_t> segments;  // as of UnscaleDesc
    Dtype dtype = Dtype::F32;
};

}  // namespace mantissa
