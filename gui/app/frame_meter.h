// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the cost of the window's drawing during training: first paint, first curve, time from a step's end to its pixels, frames, the
// engine's step times, and growth of memory and data. For `--measure`, which `mantissa bench` starts. GUI thread only.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <vector>

#include "gui/link/session_model.h"

namespace mantissa::gui {

class PlotBoard;

class FrameMeter : public QObject {
public:
    /// Watches the plots' paint events through the application; `started` was started with the program.
    FrameMeter(SessionModel* session, const QElapsedTimer& started);

    /// Records the amounts in the middle of the measured time, after all one-time allocations.
    void noteHalfway(const PlotBoard& board) { m_halfway = amount(board); }
    /// Returns one JSON object: first_paint_ms and first_curve_ms since program start, frames_per_second, paint_after_step_ms {median,
    /// p99}, step_ms {median, p99}, steps (of all runs), and growth {steps, data_bytes, resident_bytes} over the second half of the time,
    /// of series and traces, and of the process. `board`: the board whose traces count as data.
    QString report(const PlotBoard& board);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// Totals at one time.
    struct Amount {
        std::int64_t steps = 0, dataBytes = 0, residentBytes = 0;
    };
    Amount amount(const PlotBoard& board) const;

    SessionModel* m_session;
    QElapsedTimer m_started;
    qint64 m_firstPaintMs = -1;
    std::int64_t m_waitingSinceNs = 0;  // the oldest record that no paint has shown yet; 0: none
    std::vector<double> m_latencyMs;
    qint64 m_firstFrameMs = -1, m_lastFrameMs = -1;
    Amount m_halfway;
};

}  // namespace mantissa::gui
