// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/thin_records.h"

#include <bit>
#include <cmath>
#include <optional>

namespace mantissa {

std::vector<bool> rowsToKeep(const RunRows& rows, std::int64_t blocks) {
    std::vector<bool> kept(rows.count, false);
    if (rows.count == 0) return kept;
    const std::int64_t steps = rows.step(rows.count - 1) + 1 - rows.step(0);
    const auto length = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>((steps + blocks - 1) / blocks)));
    for (std::size_t begin = 0, end = 0; begin < rows.count; begin = end) {
        const std::int64_t stretch = rows.step(begin) / length;
        while (end < rows.count && rows.step(end) / length == stretch) ++end;
        kept[begin] = true;
        for (const Metric metric : kKeptMetrics) {
            std::optional<std::size_t> least, greatest, nan;
            double low = INFINITY, high = -INFINITY;
            for (std::size_t row = begin; row < end; ++row) {
                const double each = rows.value(row, metric);
                if (std::isnan(each)) {
                    if (!nan) nan = row;
                    continue;
                }
                if (!least || each < low) low = each, least = row;
                if (!greatest || each > high) high = each, greatest = row;
            }
            if (least) kept[*least] = kept[*greatest] = true;
            const bool isMarked = metric == Metric::Loss || metric == Metric::GradNorm;
            if (nan && isMarked) kept[*nan] = true;
        }
        std::uint32_t known = 0;
        std::optional<std::size_t> validated;
        for (std::size_t row = begin; row < end; ++row) {
            const std::uint32_t each = rows.flags(row);
            if ((each & ~known) != 0) kept[row] = true;
            known |= each;
            if ((each & kFlagValidated) != 0) validated = row;
        }
        if (validated) kept[*validated] = true;
    }
    kept.back() = true;
    return kept;
}

void thinRecords(std::vector<StepRecord>& records, std::int64_t blocks) {
    const auto kept = rowsToKeep({.count = records.size(),
                                  .step = [&](std::size_t row) { return records[row].step; },
                                  .value = [&](std::size_t row, Metric metric) { return metricValue(records[row], metric); },
                                  .flags = [&](std::size_t row) { return records[row].flags; }},
                                 blocks);
    std::size_t row = 0;
    std::erase_if(records, [&](const StepRecord&) { return !kept[row++]; });
}

}  // namespace mantissa
