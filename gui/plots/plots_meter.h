// SPDX-License-Identifier: GPL-3.0-or-later
// What the plots cost when runs are long: eight runs of noisy values are scrolled through on a board of 1920x1080, beside QCustomPlot's own
// graphs of the same values. For `--measure-plots`, which `mantissa bench plots` starts. GUI thread only.
#pragma once

#include <QString>
#include <cstdint>

namespace mantissa::gui {

/// One JSON object. Of two series a run, `points` values each: frame_ms {median, p99, count} of whole frames, with the paint; views, for
/// each number of steps on screen ours and the rival's (antialiased as ours, and plain) and the ratio; bytes_per_scalar of
/// series and traces as counted, and rss_bytes_per_scalar as the system sees them.
/// `pairs` of scrolls, ours and the rival's, for each view.
QString measurePlots(std::int64_t points, int pairs = 3);

}  // namespace mantissa::gui
