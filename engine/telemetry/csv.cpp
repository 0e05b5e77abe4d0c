// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/csv.h"

#include <algorithm>
#include <ostream>
#include <string>

#include "engine/telemetry/number_format.h"

namespace mantissa {

bool isWholeColumn(std::string_view column) {
    static constexpr std::string_view kWhole[] = {"step", "samples", "skipped", "skipped_total", "memory_bytes"};
    return std::find(std::begin(kWhole), std::end(kWhole), column) != std::end(kWhole);
}

// Numbers are written as doubles even if they were fp32: the text then gives the same value in either width, and equals the JSON output.
// Built as a string, because a stream would use its locale.
void writeCsvRow(std::ostream& out, const StepRecord& r) {
    const auto metric = [&](Metric each) { return hasMetric(r, each) ? shortest(metricValue(r, each)) : std::string(); };
    const bool isWatched = r.samples < 0, isUnknown = !hasMetric(r, Metric::LossScale);  // its message was dropped
    const std::string cells[] = {std::to_string(r.step),
                                 isWatched ? std::string() : std::to_string(r.samples),
                                 isWatched ? std::string() : shortest(r.epoch),
                                 shortest(r.wallSeconds),
                                 metric(Metric::Loss),
                                 metric(Metric::ValidationLoss),
                                 metric(Metric::ValidationAccuracy),
                                 metric(Metric::LossScale),
                                 isUnknown     ? std::string()
                                 : r.skipped() ? "1"
                                               : "0",
                                 std::to_string(r.skippedTotal),
                                 metric(Metric::GradNorm),
                                 metric(Metric::LearningRate),
                                 metric(Metric::StepMs),
                                 metric(Metric::SamplesPerSecond),
                                 isWatched && r.memoryBytes == 0 ? std::string() : std::to_string(r.memoryBytes),
                                 flagsText(r.flags)};
    std::string row;
    for (const std::string& cell : cells) {
        if (!row.empty()) row += ',';
        row += cell;
    }
    out << row << '\n';
}

}  // namespace mantissa
