// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/number_line.h"

#include <cmath>
#include <optional>

namespace mantissa {
namespace {

/// Returns the next tick. The first one after the maximum is beyond the format, then nothing follows.
std::optional<LineTick> nextTick(const DtypeFacts& f, const LineTick& tick, bool isUp) {
    if (tick.isBeyond) return std::nullopt;
    const auto next = static_cast<double>(neighbour(f, encodeBits(f.dtype, static_cast<float>(tick.value)), isUp));
    if (std::isfinite(next)) return LineTick{next == 0 ? 0 : next};
    if (std::abs(tick.value) < f.maxFinite || (!f.isSigned && !isUp)) return std::nullopt;  // e8m0 ends at its smallest number
    const double beyond = f.maxFinite + ulpAt(f, f.maxFinite);
    return LineTick{isUp ? beyond : -beyond, true};
}

}  // namespace

NumberLine numberLine(Dtype dtype, float given, const RoundingMode& mode, int reach) {
    const DtypeFacts& f = facts(dtype);
    const float value = f.isSigned ? given : std::fabs(given);
    NumberLine line{.value = static_cast<double>(value), .rounded = decodeBits(dtype, encodeBits(dtype, given, mode))};
    if (!std::isfinite(value)) return line;
    const RoundingMode towardZero{.rounding = Rounding::TowardZero};
    LineTick first{static_cast<double>(decodeBits(dtype, encodeBits(dtype, value, towardZero)))};
    if (first.value == 0) first.value = 0;  // no -0 on a line
    // For a value on a tick the second one is farther from 0, except below the minimum of e8m0.
    std::optional<LineTick> second;
    if (first.value != line.value) second = nextTick(f, first, first.value < line.value);
    std::optional<LineTick> lower = first, upper = first;
    if (first.value < line.value) upper = second;
    if (first.value > line.value) lower = second;
    if (lower) line.ticks.push_back(*lower);
    for (int i = 1; i < reach && lower; ++i) {
        lower = nextTick(f, *lower, false);
        if (lower) line.ticks.insert(line.ticks.begin(), *lower);
    }
    const auto place = static_cast<int>(line.ticks.size());
    line.lower = place - 1;
    line.upper = first.value == line.value ? place - 1 : upper ? place : -1;
    if (upper && first.value != line.value) line.ticks.push_back(*upper);
    for (int i = 1; i < reach && upper; ++i) {
        upper = nextTick(f, *upper, true);
        if (upper) line.ticks.push_back(*upper);
    }
    if (line.lower >= 0 && line.upper > line.lower) {
        const LineTick &from = line.ticks[static_cast<std::size_t>(line.lower)], &to = line.ticks[static_cast<std::size_t>(line.upper)];
        line.isTie = 2 * line.value == from.value + to.value;  // exact: neighbours of at most 24 bits
        line.isOffLine = line.value < from.value || line.value > to.value;
    }
    return line;
}

}  // namespace mantissa
