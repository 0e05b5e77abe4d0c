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

std::int64_t residentBytes() {
    std::int64_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace mantissa::gui
