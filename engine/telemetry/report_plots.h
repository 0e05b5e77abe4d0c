// SPDX-License-Identifier: Apache-2.0
// The plots of a report: which metrics, how they are smoothed, what is worth a plot at all. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/telemetry/report.h"
#include "engine/telemetry/svg_plot.h"

namespace mantissa {

struct ReportPlot {
    std::string file;  // "loss.svg"
    std::string alt;   // what the picture shows, for those who do not see it
    SvgPlot plot;
};

/// In the order of the page. A loss scale that nothing uses and skips that never happened have no plot.
std::vector<ReportPlot> reportPlots(const ReportInput& input);

}  // namespace mantissa
