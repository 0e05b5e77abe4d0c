// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/shown_steps.h"

namespace mantissa::gui {

void ShownSteps::setFrozen(bool frozen) {
    m_frozen.reset();
    if (!frozen) return;
    Frozen steps{m_session->plottedSteps(), m_session->stepCount(), {}};
    for (const auto& run : m_session->runs()) steps.ofRun[run->id] = run->stepCount();
    m_frozen = std::move(steps);
}

std::int64_t ShownSteps::of(const RunState& run) const {
    if (!m_frozen) return run.stepCount();
    const auto it = m_frozen->ofRun.find(run.id);
    return it == m_frozen->ofRun.end() ? 0 : it->second;
}

}  // namespace mantissa::gui
