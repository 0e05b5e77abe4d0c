// SPDX-License-Identifier: GPL-3.0-or-later
// The highlighted run: the lines of the others are faint in all plots. GUI thread only.
#pragma once

#include <utility>

#include "gui/controls/delay.h"
#include "gui/link/session_model.h"

namespace mantissa::gui {

class RunHighlight : public QObject {
    Q_OBJECT
public:
    RunHighlight() {
        connect(&m_flashTimer, &QTimer::timeout, this, [this] { setRun(-1); });
    }
    /// Returns the highlighted run; -1: none.
    RunId run() const { return m_run; }
    void setRun(RunId run) {
        m_flashTimer.stop();
        if (std::exchange(m_run, run) != run) emit changed();
    }
    /// Highlights a run briefly, as when it was selected by key.
    void flash(RunId run) {
        setRun(run);
        m_flashTimer.start();
    }
    /// Highlights the run under the pointer, unless another one is highlighted briefly; -1: none.
    void point(RunId run) {
        if (run != m_run && !m_flashTimer.isActive()) setRun(run);
    }

signals:
    void changed();

private:
    static constexpr int kFlashMs = 2000;
    RunId m_run = -1;
    Delay m_flashTimer{kFlashMs};
};

}  // namespace mantissa::gui
