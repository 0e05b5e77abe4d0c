// SPDX-License-Identifier: Apache-2.0
// Histograms of the magnitudes in a tensor. They give exactly how many elements a format would flush or overflow if the tensor is first
// multiplied by a power of two, such as another loss scale. Pure values and functions; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/dtype/block_format.h"
#include "kernels/dtype/magnitude_cells.h"

namespace mantissa {

/// Counts of nonzero finite numbers in the cells of magnitude_cells.h: only cells with a count, ascending.
struct Histogram {
    struct Cell {
        std::int32_t index = 0;  // cellIndex(exponent, part)
        std::uint32_t count = 0;
        int exponent() const { return index / kPartCount + kLeastExponent; }
        int part() const { return index % kPartCount; }
        bool operator==(const Cell&) const = default;
    };
    std::vector<Cell> cells;

    std::int64_t total() const;
    bool operator==(const Histogram&) const = default;
};

/// Returns the histogram of cell counts; the first count is that of `firstCell`.
Histogram histogramOf(std::span<const std::uint32_t> counts, std::size_t firstCell = 0);

/// The count of magnitudes in [2^exponent, 2^(exponent + 1)): one bar of a chart.
struct ExponentBin {
    int exponent = 0;
    std::int64_t count = 0;
    bool operator==(const ExponentBin&) const = default;
};
/// Returns the bins in ascending order, without gaps; empty for an empty histogram.
std::vector<ExponentBin> binsOf(const Histogram& histogram);

/// Counts of nonzero finite numbers by their class after storage in a format, rounded to nearest even. `overflowed`: Inf, NaN in e4m3, or
/// the largest number where stores saturate.
struct StoredCounts {
    std::int64_t flushed = 0, subnormal = 0, normal = 0, overflowed = 0;

    std::int64_t total() const { return flushed + subnormal + normal + overflowed; }
    /// `part` over the total; 0 if the total is 0.
    double share(std::int64_t part) const { return total() == 0 ? 0 : static_cast<double>(part) / static_cast<double>(total()); }
    bool operator==(const StoredCounts&) const = default;
};

/// Whether `storedIn` supports the format: formats of tensors and of operands of products.
constexpr bool hasWindow(Dtype dtype) {
    return dtype == Dtype::F32 || dtype == Dtype::TF32 || dtype == Dtype::F16 || dtype == Dtype::BF16 || isFp8(dtype);
}

/// Counts the histogram's numbers, times 2^shift (exactly), after one rounding to `dtype`. Throws std::invalid_argument for a format
/// without a window.
StoredCounts storedIn(Dtype dtype, const Histogram& histogram, int shift = 0);

enum class StoredAs : std::uint8_t { Flushed, Subnormal, Normal, Overflowed };
/// The interval [from, below) of fp32 magnitudes that StoredCounts counts in one class.
struct MagnitudeRange {
    double from = 0, below = 0;
};
/// Returns the magnitudes that are stored as `stored`. Throws std::invalid_argument like `storedIn`.
MagnitudeRange storedRange(Dtype dtype, StoredAs stored);

/// The range of the block that has a tensor's largest magnitude, in a block format: up to `flushBelow` numbers become 0, below `normalFrom`
/// they are subnormal elements, and `largest` is its largest number. Other blocks have smaller scales, so their ranges lie lower.
struct BlockWindow {
    double flushBelow = 0, normalFrom = 0, largest = 0;
};
/// Returns the range for `absMax`, which is above 0. Scales that are powers of two are rounded up; the rounding of others is left out.
BlockWindow blockWindow(const BlockFormat& format, double absMax);
/// The most numbers that blocks with this range or a lower one may make 0. It is exact up to the width of a cell.
std::int64_t atMostFlushed(const BlockWindow& window, const Histogram& histogram);

/// log2 of the format's largest number over `absMax`; infinite for 0.
double headroom(Dtype dtype, double absMax);
/// log2 of the largest power of two that keeps `absMax`, which is above 0, below the format's overflow threshold.
int largestShift(Dtype dtype, double absMax);

}  // namespace mantissa
