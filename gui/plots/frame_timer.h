// SPDX-License-Identifier: GPL-3.0-or-later
// Times the frames: its timeout begins a frame, at most one each 6 ms, and a sixth of the time is left to the rest of the window. GUI
// thread only.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <algorithm>

namespace mantissa::gui {

class FrameTimer : public QTimer {
public:
    explicit FrameTimer(QObject* parent) : QTimer(parent) {
        setSingleShot(true);
        setTimerType(Qt::PreciseTimer);
    }
    /// Requests a frame. Further calls before it do nothing.
    void schedule() {
        if (isActive()) return;
        const double pause = std::min(m_meanMs / 5, kLongestPauseMs);
        // Counted from the last frame: data after a pause is drawn at once.
        const double sinceBegin = m_sinceFrame.isValid() ? elapsedMs() : kFrameMs + pause + m_frameMs;
        start(static_cast<int>(std::max({0.0, kFrameMs - sinceBegin, m_frameMs + pause - sinceBegin})));
    }
    /// Called around the work of a frame, also of one without a timeout.
    void begin() {
        stop();
        m_sinceFrame.start();
    }
    void end() {
        constexpr double kWeight = 0.1;  // of one frame, since a single frame may be delayed by the system
        m_frameMs = elapsedMs();
        m_meanMs = m_meanMs == 0 ? m_frameMs : m_meanMs + kWeight * (m_frameMs - m_meanMs);
    }
    /// Clears the mean time of a frame, as other data has other costs.
    void clearMean() { m_meanMs = 0; }

private:
    // The least time from the start of a frame to the next: a step that has just missed a frame waits for the next one and its drawing.
    static constexpr double kFrameMs = 6;
    static constexpr double kLongestPauseMs = 100;  // from a frame's end to the next
    double elapsedMs() const { return static_cast<double>(m_sinceFrame.nsecsElapsed()) * 1e-6; }

    QElapsedTimer m_sinceFrame;  // since the last frame began
    double m_frameMs = 0;        // duration of the last frame
    double m_meanMs = 0;         // recent mean; 0: unknown
};

}  // namespace mantissa::gui
