// SPDX-License-Identifier: Apache-2.0
// Chooses and smooths the plots of a report. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/telemetry/report.h"
#include "engine/telemetry/svg_plot.h"

namespace mantissa {

struct ReportPlot {
    std::string file;  // "loss.svg"
    std::string alt;   // the image's description, for readers who cannot see it
    SvgPlot plot;
};

/// The plots in the order of the page. An unused loss scale and skips that did not occur have no plot.
std::vector<ReportPlot> reportPlots(const ReportInput& input);

}  // namespace mantissa
