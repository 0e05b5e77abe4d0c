// SPDX-License-Identifier: GPL-3.0-or-later
// What the window's drawing costs, measured from inside while it trains: first paint, first curve, from a step's end to its pixels,
// frames, the engine's step times, and how memory grows beside the data. For `--measure`, which `mantissa bench` starts. GUI thread only.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <vector>

#include "gui/link/lab.h"

namespace mantissa::gui {

class PlotBoard;

class FrameMeter : public QObject {
public:
    /// Watches the plots' paint events through the application; `started` runs since the program began.
    FrameMeter(Lab* lab, const QElapsedTimer& started);

    /// Takes stock in the middle of the measured time, when all that a window makes once has been made.
    void noteHalfway(const PlotBoard& board) { m_halfway = amount(board); }
    /// One JSON object: first_paint_ms and first_curve_ms since the program began, frames_per_second, paint_after_step_ms {median, p99},
    /// step_ms {median, p99}, steps (of all runs), and growth {steps, data_bytes, resident_bytes} over the second half of the time: what
    /// series and traces gained, and the process. `board`: whose traces count as data.
    QString report(const PlotBoard& board);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// How much there was at one time.
    struct Amount {
        std::int64_t steps = 0, dataBytes = 0, residentBytes = 0;
    };
    Amount amount(const PlotBoard& board) const;

    Lab* m_lab;
    QElapsedTimer m_started;
    qint64 m_firstPaintMs = -1;
    std::int64_t m_waitingSinceNs = 0;  // the oldest record that no paint has shown yet; 0: none
    std::vector<double> m_latencyMs;
    qint64 m_firstFrameMs = -1, m_lastFrameMs = -1;
    Amount m_halfway;
};

}  // namespace mantissa::gui
