// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/run_highlight.h"

#include <utility>

namespace mantissa::gui {

RunHighlight::RunHighlight() {
    m_flashTimer.setSingleShot(true);
    m_flashTimer.setInterval(kFlashMs);
    connect(&m_flashTimer, &QTimer::timeout, this, [this] { setRun(-1); });
}

void RunHighlight::setRun(RunId run) {
    m_flashTimer.stop();
    if (std::exchange(m_run, run) != run) emit changed();
}

void RunHighlight::flash(RunId run) {
    setRun(run);
    m_flashTimer.start();
}

void RunHighlight::point(RunId run) {
    if (run != m_run && !m_flashTimer.isActive()) setRun(run);
}

}  // namespace mantissa::gui
