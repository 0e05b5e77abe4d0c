// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/measures.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

namespace mantissa::gui {

double percentile(std::vector<double> values, double share) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + rank, values.end());
    return values[static_cast<std::size_t>(rank)];
}

nlohmann::ordered_json distribution(const std::vector<double>& values) {
    if (values.empty()) return nullptr;
    return {{"median", percentile(values, 0.5)}, {"p99", percentile(values, 0.99)}, {"count", values.size()}};
}

std::size_t memoryOf(const Series& series) {
    const bool hasSteps = series.end() - series.firstStep() != static_cast<std::int64_t>(series.count());
    const std::size_t pyramid = series.count() * sizeof(Series::Extremes) / 15;  // a node for each 16, one for each 16 of those, ...
    return series.count() * (sizeof(double) + sizeof(ValueClass) + (hasSteps ? sizeof(std::int64_t) : 0)) + pyramid;
}

std::size_t memoryOf(const RunState& run) {
    std::size_t bytes = run.flags.size() * sizeof run.flags.front() + run.skippedSteps.size() * sizeof run.skippedSteps.front() +
                        run.progress.memoryBytes();
    for (int metric = 0; metric < kMetricCount; ++metric)
        if (const Series* series = run.series(static_cast<Metric>(metric))) bytes += memoryOf(*series);
    return bytes;
}

std::int64_t residentBytes() {
    std::int64_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace mantissa::gui
