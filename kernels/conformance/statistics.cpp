// SPDX-License-Identifier: Apache-2.0
// Rows of tensor statistics: classes, counts by magnitude, lost updates. All exact.
#include <algorithm>
#include <cmath>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"

namespace mantissa::conformance {
namespace {

/// The fields of a structure of counts as numbers.
Values numbersOf(const ElementClasses& c) {
    const std::int64_t counts[] = {c.negativeInf, c.negative, c.zero, c.positive, c.positiveInf, c.nan, c.firstNonFinite};
    Values values(std::begin(counts), std::end(counts));
    values.push_back(c.absMax);
    return values;
}

/// Whether partial statistics of `count` elements include this one in this step, independent of SeenPart. Step -1: all elements.
bool sees(std::int64_t step, std::size_t count, std::size_t element) {
    return step < 0 || count < 4096 || element / 512 % 8 == at(step % 8);
}

ElementClasses classesOf(const Floats& values, std::int64_t step = -1) {
    ElementClasses classes;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!sees(step, values.size(), i)) continue;
        const auto v = static_cast<double>(values[i]);
        if (!std::isfinite(v) && classes.firstNonFinite < 0) classes.firstNonFinite = static_cast<std::int64_t>(i);
        if (std::isfinite(v)) classes.absMax = std::max(classes.absMax, std::fabs(v));
        ++(std::isnan(v)   ? classes.nan
           : std::isinf(v) ? (v < 0 ? classes.negativeInf : classes.positiveInf)
           : v == 0        ? classes.zero
           : v < 0         ? classes.negative
                           : classes.positive);
    }
    return classes;
}

Values numbersOf(const ElementStats& c) {
    Values values = numbersOf(c.classes);
    values.push_back(c.smallest);
    for (std::size_t i = 0; i < c.cells.size(); ++i)
        values.push_back(i >= c.firstCell() && i < c.firstCell() + c.cellCount() ? static_cast<double>(c.cells[i]) : 0);
    return values;
}

Values numbersOf(const UpdateStats& c) {
    Values values = numbersOf(c.moved);
    values.push_back(static_cast<double>(c.meant));
    values.push_back(static_cast<double>(c.lost));
    return values;
}

/// A structure that an operation fills.
template <typename Counted>
Operand fills(const Counted& expected) {
    Operand operand{.role = Role::Written, .before = Bytes(sizeof(Counted))};
    operand.decode = [](std::span<const std::byte> bytes) { return numbersOf(valueIn<Counted>(bytes)); };
    operand.after = {.values = numbersOf(expected), .limits = {0}, .options = kAnything};  // most cells are empty
    return operand;
}

/// Computed by logarithm and quotient in double: exact for fp32 numbers.
ElementStats statsOf(const Floats& values, std::int64_t step) {
    ElementStats stats{.firstExponent = kLeastExponent, .endExponent = kMostExponent + 1};
    stats.classes = classesOf(values, step);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double magnitude = std::fabs(wide(values[i]));
        if (!sees(step, values.size(), i) || !std::isfinite(magnitude) || magnitude == 0) continue;
        stats.smallest = stats.smallest == 0 ? magnitude : std::min(stats.smallest, magnitude);
        const int exponent = std::ilogb(magnitude);
        const double significand = std::ldexp(magnitude, -exponent);
        int part = 0;
        for (const std::uint32_t start : kPartStarts) part += significand >= 1 + std::ldexp(start, -23) ? 1 : 0;
        ++stats.cells[at(cellIndex(exponent, part))];
    }
    return stats;
}

/// Numbers of every exponent, at the boundaries of the parts and next to them.
Floats aboutCuts(std::size_t count) {
    Floats values;
    for (std::uint32_t i = 0; values.size() < count; i += 37) {
        const std::uint32_t start = i % 10 == 0 ? 0 : kPartStarts[i % 10 - 1];
        const std::uint32_t fraction = (start + i % 3 - 1) & (kFloatImplicitBit - 1);
        values.push_back(floatFromBits((i % 2 == 0 ? kFloatSign : 0) | (i / 10 % 255) << kFloatMantissaBits | fraction));
    }
    return values;
}

Floats planted(Inputs inputs, Dtype dtype, std::int64_t count) {
    Floats values = elements(inputs, dtype, static_cast<std::size_t>(count), 25);
    if (inputs == Inputs::Normal && dtype == Dtype::F32) values = aboutCuts(values.size());
    for (std::size_t i = 0; i < values.size() / 2; ++i) {
        if (!std::isfinite(values[i])) values[i] = 1;  // the first non-finite element is in the second half
    }
    return values;
}

void classifyCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    forElementCases(extent, [&](std::int64_t count, Inputs inputs) {
        const Floats values = planted(inputs, dtype, count);
        sink(arrayCase(ClassifyDesc{count, dtype}, inputs, count, "", {reads(dtype, values), fills(classesOf(values))}));
    });
}

/// The usual lengths, and one that takes several pieces of work.
std::vector<std::int64_t> statsLengths(Extent extent) {
    std::vector<std::int64_t> counts = lengths(extent);
    if (extent == Extent::Full) counts.push_back(70001);
    return counts;
}

/// The layout name of statistics at a step; -1: of all elements.
std::string statisticsName(std::int64_t step) {
    return step < 0 ? "every block" : "one block in 8, step " + std::to_string(step);
}

void statsCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    const auto add = [&](std::int64_t count, Inputs inputs, std::int64_t step) {
        const Floats values = planted(inputs, dtype, count);
        sink(arrayCase(StatsDesc{count, dtype, step >= 0}, inputs, count, statisticsName(step),
                       {reads(dtype, values), step < 0 ? absent() : Operand{.before = bytesOf(StepScalars{.step = step})},
                        fills(statsOf(values, step))}));
    };
    for (const std::int64_t count : statsLengths(extent)) {
        for (const Inputs inputs : kElementInputs) {
            for (const std::int64_t step : {-1, 11}) add(count, inputs, step);
        }
    }
    // A tensor just too short for partial statistics, and tensors whose short last block is included in step 0 or in step 7.
    for (const std::int64_t count : {4095, 4096, 4103, 8185}) {
        for (const std::int64_t step : {0, 7}) add(count, Inputs::Normal, step);
    }
}

/// Every third weight is unchanged; every fourth gradient and every fifth moment is 0.
void updateStatsCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    constexpr std::int64_t kInPart = 4609;
    std::vector<std::int64_t> counts = statsLengths(extent);
    counts.push_back(kInPart);
    for (const std::int64_t count : counts) {
        for (const Inputs inputs : kElementInputs) {
            const Floats before = elements(inputs, dtype, static_cast<std::size_t>(count), 26);
            Floats after = elements(inputs, dtype, before.size(), 27), gradients = elements(inputs, dtype, before.size(), 28),
                   ofDtype = after, ofBf16 = elements(inputs, Dtype::BF16, before.size(), 29);
            for (std::size_t i = 0; i < before.size(); ++i) {
                if (i % 3 == 0) after[i] = before[i];
                if (i % 4 == 0) gradients[i] = 0;
                if (i % 5 == 0) ofDtype[i] = ofBf16[i] = i % 2 == 0 ? 0.0f : -0.0f;
            }
            for (const int variant : {0, 1, 2, 3, 4, 5}) {  // plain; with a moment and decay; skipped; a rate of 0; partial; moment in BF16
                if (variant == 4 ? count < 4096 : count == kInPart) continue;
                const bool hasMoment = variant == 1 || variant == 5;
                const Dtype moment = variant == 5 ? Dtype::BF16 : dtype;
                const Floats& moments = variant == 5 ? ofBf16 : ofDtype;
                const std::int64_t step = variant == 4 ? 11 : -1;
                const StepScalars scalars{.lr = variant == 3 ? 0 : 1e-3, .step = step, .skipped = variant == 2 ? 1 : 0};
                UpdateStats expected;
                Floats moved;
                for (std::size_t i = 0; i < before.size(); ++i) {
                    moved.push_back(after[i] - before[i]);
                    const bool wants = gradients[i] != 0 || (hasMoment && (moments[i] != 0 || before[i] != 0));
                    if (variant == 2 || variant == 3 || !wants || !sees(step, before.size(), i)) continue;
                    ++expected.meant;
                    expected.lost += floatBits(before[i]) == floatBits(after[i]) ? 1 : 0;
                }
                expected.moved = statsOf(moved, step);
                sink(arrayCase(UpdateStatsDesc{count, dtype, hasMoment, step >= 0, moment}, inputs, count,
                               variant == 0   ? "gradients alone"
                               : variant == 1 ? "moment and decay"
                               : variant == 2 ? "skipped"
                               : variant == 3 ? "rate 0"
                               : variant == 5 ? "moment in bf16 and decay"
                                              : statisticsName(step),
                               {reads(dtype, before), reads(dtype, after), reads(dtype, gradients),
                                hasMoment ? reads(moment, moments) : absent(), Operand{.before = bytesOf(scalars)}, fills(expected)}));
            }
        }
    }
}

/// Segments that are empty, small, and long with a short last block. Elements that are not included stay unchanged.
void keepSeenCases(Dtype dtype, Extent, const CaseSink& sink) {
    const Segments segments{0, 5, 5, 40, 40 + 4609, 40 + 4609 + 4095, 40 + 4609 + 4095 + 8192};
    const Floats src = elements(Inputs::Normal, dtype, at(segments.back()), 29), stale(src.size(), 1.0f);
    for (const std::int64_t step : {8, 15}) {
        Floats kept = stale;
        for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
            const std::size_t begin = at(segments[s]), count = at(segments[s + 1]) - begin;
            for (std::size_t i = 0; i < count; ++i) kept[begin + i] = sees(step, count, i) ? src[begin + i] : stale[begin + i];
        }
        sink({.desc = KeepSeenDesc{segments, dtype},
              .inputs = Inputs::Normal,
              .shape = std::to_string(segments.size() - 1) + " segments",
              .layout = statisticsName(step),
              .operands = {reads(dtype, src), Operand{.before = bytesOf(StepScalars{.step = step})},
                           updates(dtype, stale, exactly(dtype, Values(kept.begin(), kept.end()), optionsFor(kept.size())))}});
    }
}

}  // namespace

void addStatistics(std::vector<Check>& checks) {
    for (const Dtype dtype : kStorageDtypes) {
        const std::string format = formatName(dtype);
        checks.push_back({"classify", dtype, format, std::bind_front(classifyCases, dtype)});
        checks.push_back({"tensor statistics", dtype, format, std::bind_front(statsCases, dtype)});
    }
    for (const Dtype dtype : kParameterDtypes) {
        checks.push_back({"update statistics", dtype, formatName(dtype), std::bind_front(updateStatsCases, dtype)});
        checks.push_back({"keep seen", dtype, formatName(dtype), std::bind_front(keepSeenCases, dtype)});
    }
}

}  // namespace mantissa::conformance
