// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/histogram.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace mantissa {
namespace {

/// Returns the index of the first cell with numbers of at least this magnitude, which lies between two cells. Magnitudes out of fp32's
/// range give indices out of the range of cells.
int firstCellFrom(double magnitude) {
    const int exponent = std::ilogb(magnitude);
    const double fraction = std::ldexp(std::ldexp(magnitude, -exponent) - 1, kFloatMantissaBits);
    // fp32 has no number between its maximum and its overflow threshold, so no part of the top exponent reaches the threshold
    if (fraction > static_cast<double>(kFloatImplicitBit - 1)) return cellIndex(exponent + 1, 0);
    return cellIndex(exponent, partOf(static_cast<std::uint32_t>(fraction)));
}

}  // namespace

std::int64_t Histogram::total() const {
    return std::accumulate(cells.begin(), cells.end(), std::int64_t{0},
                           [](std::int64_t sum, const Cell& cell) { return sum + cell.count; });
}

Histogram histogramOf(std::span<const std::uint32_t> counts, std::size_t firstCell) {
    Histogram histogram;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) histogram.cells.push_back({static_cast<std::int32_t>(firstCell + i), counts[i]});
    }
    return histogram;
}

std::vector<ExponentBin> binsOf(const Histogram& histogram) {
    std::vector<ExponentBin> bins;
    for (const Histogram::Cell& cell : histogram.cells) {
        if (bins.empty()) bins.push_back({cell.exponent(), 0});
        while (bins.back().exponent < cell.exponent()) bins.push_back({bins.back().exponent + 1, 0});
        bins.back().count += cell.count;
    }
    return bins;
}

StoredCounts storedIn(Dtype dtype, const Histogram& histogram, int shift) {
    const DtypeFacts& f = facts(dtype);
    if (!hasWindow(dtype)) throw std::invalid_argument(std::string(f.name) + " is no format of tensors");
    const int shifted = shift * kPartCount;
    const int kept = cellIndex(std::ilogb(f.flushBelow), 1) - shifted;  // above `flushBelow`, since the tie rounds to 0
    const int normal = firstCellFrom(f.minNormal - f.minSubnormal / 2) - shifted, overflow = firstCellFrom(f.overflowFrom) - shifted;
    auto cell = histogram.cells.begin();
    const auto countBelow = [&](int index) {
        std::int64_t count = 0;
        for (; cell != histogram.cells.end() && cell->index < index; ++cell) count += cell->count;
        return count;
    };
    StoredCounts counts;
    counts.flushed = countBelow(kept);
    counts.subnormal = countBelow(normal);
    counts.normal = countBelow(overflow);
    counts.overflowed = countBelow(std::numeric_limits<int>::max());
    return counts;
}

MagnitudeRange storedRange(Dtype dtype, StoredAs stored) {
    const DtypeFacts& f = facts(dtype);
    if (!hasWindow(dtype)) throw std::invalid_argument(std::string(f.name) + " is no format of tensors");
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    const double bounds[] = {0, std::nextafter(f.flushBelow, kInfinite), f.minNormal - f.minSubnormal / 2, f.overflowFrom, kInfinite};
    const auto index = static_cast<std::size_t>(stored);
    return {bounds[index], bounds[index + 1]};
}

BlockWindow blockWindow(const BlockFormat& format, double absMax) {
    const DtypeFacts& element = facts(format.element);
    const double ratio = absMax / element.maxFinite, scale = format.isMx() ? std::exp2(std::ceil(std::log2(ratio))) : ratio;
    return {element.flushBelow * scale, element.minNormal * scale, element.maxFinite * scale};
}

std::int64_t atMostFlushed(const BlockWindow& window, const Histogram& histogram) {
    std::int64_t flushed = 0;
    for (const Histogram::Cell& cell : histogram.cells) {
        const double fraction =
            cell.part() == 0 ? 0 : static_cast<double>(kPartStarts[static_cast<std::size_t>(cell.part() - 1)]) * 0x1p-23;
        if (std::ldexp(1 + fraction, cell.exponent()) <= window.flushBelow) flushed += cell.count;
    }
    return flushed;
}

double headroom(Dtype dtype, double absMax) {
    return absMax == 0 ? std::numeric_limits<double>::infinity() : std::log2(facts(dtype).maxFinite / absMax);
}

int largestShift(Dtype dtype, double absMax) {
    const double bound = facts(dtype).overflowFrom;
    const int shift = std::ilogb(bound) - std::ilogb(absMax);
    return std::ldexp(absMax, shift) < bound ? shift : shift - 1;
}

}  // namespace mantissa
