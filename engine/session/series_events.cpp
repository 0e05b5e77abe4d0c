// SPDX-License-Identifier: Apache-2.0
#include "engine/session/series_events.h"

#include <algorithm>

namespace mantissa {

void publishSeries(RunId run, const ImportedSeries& series, const std::function<void(Event&&)>& publish) {
    constexpr std::size_t kMostSteps = 200'000;  // of one event; takes far less than a frame
    for (std::size_t begin = 0; begin < series.steps.size(); begin += kMostSteps) {
        const auto end = std::min(begin + kMostSteps, series.steps.size());
        const auto first = static_cast<std::ptrdiff_t>(begin), last = static_cast<std::ptrdiff_t>(end);
        publish(SeriesImported{run,
                               series.metric,
                               {series.steps.begin() + first, series.steps.begin() + last},
                               {series.values.begin() + first, series.values.begin() + last},
                               series.metric == Metric::Other ? series.source : std::string()});
    }
}

}  // namespace mantissa
