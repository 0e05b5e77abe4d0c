// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of steps that the plots show: the session's, or while the view is frozen those that it had then. GUI thread only.
#pragma once

#include <map>
#include <optional>

#include "gui/link/session_model.h"

namespace mantissa::gui {

class ShownSteps {
public:
    explicit ShownSteps(const SessionModel* session) : m_session(session) {}
    /// Keeps the current numbers of steps while the session's continue to grow.
    void setFrozen(bool frozen) {
        m_frozen.reset();
        if (!frozen) return;
        Frozen steps{m_session->plottedSteps(), m_session->stepCount(), {}};
        for (const auto& run : m_session->runs()) steps.ofRun[run->id] = run->stepCount();
        m_frozen = std::move(steps);
    }
    bool isFrozen() const { return m_frozen.has_value(); }
    /// Returns the number of steps of the longest run.
    std::int64_t all() const { return m_frozen ? m_frozen->all : m_session->plottedSteps(); }
    /// Returns the number of steps of the longest live run; without live runs, as `all`.
    std::int64_t live() const { return m_frozen ? m_frozen->live : m_session->stepCount(); }
    /// Returns the number of steps of a run; 0 if it was added after the view was frozen.
    std::int64_t of(const RunState& run) const {
        if (!m_frozen) return run.stepCount();
        const auto it = m_frozen->ofRun.find(run.id);
        return it == m_frozen->ofRun.end() ? 0 : it->second;
    }
    /// Returns the number of live steps that are hidden because the view is frozen.
    std::int64_t unseen() const { return m_session->stepCount() - live(); }

private:
    struct Frozen {
        std::int64_t all = 0, live = 0;
        std::map<RunId, std::int64_t> ofRun;
    };
    const SessionModel* m_session;
    std::optional<Frozen> m_frozen;  // nothing: live
};

}  // namespace mantissa::gui
