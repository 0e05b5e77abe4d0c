// SPDX-License-Identifier: GPL-3.0-or-later
// Times the frames: its timeout begins a frame, at most one each 6 ms, and a sixth of the time is left to the rest of the window. GUI
// thread only.
#pragma once

#include <QElapsedTimer>
#include <QTimer>

namespace mantissa::gui {

class FrameTimer : public QTimer {
public:
    explicit FrameTimer(QObject* parent);
    /// Requests a frame. Further calls before it do nothing.
    void schedule();
    /// Called around the work of a frame, also of one without a timeout.
    void begin();
    void end();
    /// Clears the mean time of a frame, as other data has other costs.
    void clearMean() { m_meanMs = 0; }

private:
    // The least time from the start of a frame to the next: a step that has just missed a frame waits for the next one and its drawing.
    static constexpr double kFrameMs = 6;
    static constexpr double kLongestPauseMs = 100;  // from a frame's end to the next

    QElapsedTimer m_sinceFrame;  // since the last frame began
    double m_frameMs = 0;        // duration of the last frame
    double m_meanMs = 0;         // recent mean; 0: unknown
};

}  // namespace mantissa::gui
