// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/frame_timer.h"

#include <algorithm>

namespace mantissa::gui {
namespace {

double elapsedMs(const QElapsedTimer& since) {
    return static_cast<double>(since.nsecsElapsed()) * 1e-6;
}

}  // namespace

FrameTimer::FrameTimer(QObject* parent) : QTimer(parent) {
    setSingleShot(true);
    setTimerType(Qt::PreciseTimer);
}

void FrameTimer::schedule() {
    if (isActive()) return;
    const double pause = std::min(m_meanMs / 5, kLongestPauseMs);
    // Counted from the last frame: data after a pause is drawn at once.
    const double sinceBegin = m_sinceFrame.isValid() ? elapsedMs(m_sinceFrame) : kFrameMs + pause + m_frameMs;
    start(static_cast<int>(std::max({0.0, kFrameMs - sinceBegin, m_frameMs + pause - sinceBegin})));
}

void FrameTimer::begin() {
    stop();
    m_sinceFrame.start();
}

void FrameTimer::end() {
    constexpr double kWeight = 0.1;  // of one frame, since a single frame may be delayed by the system
    m_frameMs = elapsedMs(m_sinceFrame);
    m_meanMs = m_meanMs == 0 ? m_frameMs : m_meanMs + kWeight * (m_frameMs - m_meanMs);
}

}  // namespace mantissa::gui
