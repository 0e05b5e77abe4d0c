// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the cost of the plots with long runs: scrolls eight runs of noisy values on a board of 1920x1080, compared with QCustomPlot's
// graphs of the same values. For `--measure-plots`, which `mantissa bench plots` starts. GUI thread only.
#pragma once

#include <QString>
#include <cstdint>

namespace mantissa::gui {

/// Returns one JSON object. For two series per run with `points` values each: frame_ms {median, p99, count} of whole frames, including the
/// paint; views, for each number of visible steps ours and the rival's (antialiased as ours, and plain) and the ratio; bytes_per_scalar of
/// series and traces as counted, and rss_bytes_per_scalar as the system reports it. `pairs`: repetitions for each view.
QString measurePlots(std::int64_t points, int pairs = 3);

}  // namespace mantissa::gui
