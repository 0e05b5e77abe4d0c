// SPDX-License-Identifier: Apache-2.0
// How often which magnitudes come in a tensor, and from that, exactly, what a number format would make of it when it is multiplied by a
// power of two first: a loss scale that was dragged. Pure values and functions; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/dtype/magnitude_cells.h"

namespace mantissa {

/// Finite numbers other than 0, by cell of magnitude_cells.h. Only cells that hold some, ascending.
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

/// From counts of cells, the first of which is `firstCell`.
Histogram histogramOf(std::span<const std::uint32_t> counts, std::size_t firstCell = 0);
/// From the numbers themselves; what is 0, infinite or NaN is left out.
Histogram histogramOfValues(std::span<const float> values);

/// How many lie in [2^exponent, 2^(exponent + 1)): what is drawn as one bar.
struct ExponentBin {
    int exponent = 0;
    std::int64_t count = 0;
    bool operator==(const ExponentBin&) const = default;
};
/// Ascending, without gaps from the first to the last; none of an empty histogram.
std::vector<ExponentBin> binsOf(const Histogram& histogram);

/// What becomes of finite numbers other than 0 when a format stores them, to nearest even. `overflowed`: Inf, or NaN in e4m3; the largest
/// number where stores saturate.
struct StoredCounts {
    std::int64_t flushed = 0, subnormal = 0, normal = 0, overflowed = 0;

    std::int64_t total() const { return flushed + subnormal + normal + overflowed; }
    /// A part of all; 0 of none.
    double share(std::int64_t part) const { return total() == 0 ? 0 : static_cast<double>(part) / static_cast<double>(total()); }
    bool operator==(const StoredCounts&) const = default;
};

/// Formats that a tensor or a product's operand can be in: those that `storedIn` knows.
constexpr bool hasWindow(Dtype dtype) {
    return dtype == Dtype::F32 || dtype == Dtype::TF32 || dtype == Dtype::F16 || dtype == Dtype::BF16 || isFp8(dtype);
}

/// The histogram's numbers times 2^shift, as if that product were exact, rounded to `dtype` once. Throws std::invalid_argument for a format
/// without a window.
StoredCounts storedIn(Dtype dtype, const Histogram& histogram, int shift = 0);

enum class StoredAs : std::uint8_t { Flushed, Subnormal, Normal, Overflowed };
/// The magnitudes of fp32 numbers that StoredCounts counts so: from `from` on, below `below`.
struct MagnitudeRange {
    double from = 0, below = 0;
};
/// Throws as `storedIn`.
MagnitudeRange storedRange(Dtype dtype, StoredAs stored);

/// log2 of the format's largest number over `absMax`: how often it could double. Inf for a maximum of 0.
double headroom(Dtype dtype, double absMax);

}  // namespace mantissa
