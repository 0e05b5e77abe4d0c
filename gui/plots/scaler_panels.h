// SPDX-License-Identifier: GPL-3.0-or-later
// Panels of exact state, never smoothed: the loss scale in powers of two, and the skipped steps. GUI thread only.
#pragma once

#include "gui/plots/panel.h"

namespace mantissa::gui {

/// The panel of the loss scale used in each step, as a step line; ◇ for skips. Runs that do not scale their loss are not drawn.
class LossScalePanel : public Panel {
public:
    LossScalePanel(QCustomPlot* plot, QCPMarginGroup* margins);
    double cursorY(const RunTrace& trace, std::int64_t step) const override;
    QString endText(const RunTrace& trace, std::int64_t step) const override;

protected:
    Span refreshRuns(const PlotFrame& frame) override;
    QString runDescription(const RunTrace& trace) const override;
};

/// The panel of skipped steps: a tick for each skip in the run's lane, and the running total below.
class SkippedPanel : public Panel {
public:
    SkippedPanel(QCustomPlot* plot, QCPMarginGroup* margins);
    bool hasGlyphRow() const override { return false; }  // the lanes have them
    double cursorY(const RunTrace& trace, std::int64_t step) const override;
    QString endText(const RunTrace& trace, std::int64_t step) const override;

protected:
    Span refreshRuns(const PlotFrame& frame) override;
    QString runDescription(const RunTrace& trace) const override;

private:
    /// One lane for each run, its marker at the axis, a tick for each skip.
    class Rug;
    Rug* m_rug;
};

}  // namespace mantissa::gui
