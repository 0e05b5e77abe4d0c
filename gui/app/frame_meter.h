// SPDX-License-Identifier: GPL-3.0-or-later
// What the window's drawing costs, measured from inside while it trains: first paint, first curve, from a step's end to its pixels,
// frames, and the engine's step times. For `--measure`, which `mantissa bench` starts. GUI thread only.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <vector>

#include "gui/link/lab.h"

namespace mantissa::gui {

class FrameMeter : public QObject {
public:
    /// Watches the plots' paint events through the application; `started` runs since the program began.
    FrameMeter(Lab* lab, const QElapsedTimer& started);

    /// One JSON object: first_paint_ms and first_curve_ms since the program began, frames_per_second, paint_after_step_ms {median, p99},
    /// step_ms {median, p99}.
    QString report() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    Lab* m_lab;
    QElapsedTimer m_started;
    qint64 m_firstPaintMs = -1;
    std::int64_t m_waitingSinceNs = 0;  // the oldest record that no paint has shown yet; 0: none
    std::vector<double> m_latencyMs;
    qint64 m_firstFrameMs = -1, m_lastFrameMs = -1;
};

}  // namespace mantissa::gui
