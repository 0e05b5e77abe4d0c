// SPDX-License-Identifier: Apache-2.0
// Operations that look at tensors and change none: element classes, counts by magnitude, updates that were lost.
// A part of operations.h; numerics and threads: backend.h.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/dtype/dtype.h"
#include "kernels/dtype/element_classes.h"
#include "kernels/dtype/magnitude_cells.h"

namespace mantissa {

struct ClassifyDesc {  // src, ElementClasses
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;
};

/// What an audit sees, and how many of the finite elements other than 0 lie in each cell of magnitude_cells.h.
struct ElementCensus {
    ElementClasses classes;    // of every element
    double smallest = 0;       // magnitude of a finite element other than 0, over all elements; 0: there is none
    std::int64_t counted = 0;  // elements whose magnitudes were counted, whatever their class
    /// Cells of exponents outside [first, end) are empty, and hold whatever they held: a look at a small tensor costs less than all of
    /// them.
    std::int32_t firstExponent = 0, endExponent = 0;
    std::array<std::uint32_t, kCellCount> cells{};

    /// Where the cells that count begin, and how many there are.
    std::size_t firstCell() const { return endExponent > firstExponent ? static_cast<std::size_t>(cellIndex(firstExponent, 0)) : 0; }
    std::size_t cellCount() const { return static_cast<std::size_t>(endExponent - firstExponent) * kPartCount; }
};

/// Elements that are counted or passed over together.
inline constexpr std::int64_t kCensusBlock = 512;

/// Classes cover every element. Magnitudes are counted in the first of each `blockStride` blocks of kCensusBlock elements; 1: in all.
/// Fewer than 2^32 elements.
struct CensusDesc {  // src, ElementCensus
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;
    std::int64_t blockStride = 1;
};

/// What an update did to the weights of one tensor.
struct UpdateCensus {
    ElementCensus moved;         // of after - before, in fp32
    std::int64_t meant = 0;      // elements that the step meant to move
    std::int64_t swallowed = 0;  // and that are as they were, to the bit: w + dw == w
};

/// A step means to move an element when it was not skipped, its rate is not 0, and the gradient is not 0, or the moment after it, or with
/// `decays` the weight before it.
struct UpdateCensusDesc {  // before, after, gradients, moment (may be null), StepScalars, UpdateCensus
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;  // of the first four
    bool decays = false;
    std::int64_t blockStride = 1;
};

}  // namespace mantissa
