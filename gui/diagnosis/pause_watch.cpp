// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/pause_watch.h"

namespace mantissa::gui {

PauseWatch::PauseWatch(const SessionModel* session, QObject* parent) : QObject(parent), m_session(session) {
    connect(session, &SessionModel::recordsAppended, this, &PauseWatch::check);
    connect(session, &SessionModel::runThinned, this, &PauseWatch::forget);
    connect(session, &SessionModel::experimentLoaded, this, &PauseWatch::forget);
    connect(session, &SessionModel::seriesReset, this, &PauseWatch::forget);
    connect(session, &SessionModel::runRewound, this, &PauseWatch::forget);
    connect(session, &SessionModel::runsChanged, this, &PauseWatch::forget);
}

void PauseWatch::check() {
    // Events of a recording or of a lagging run are from the past: only skips during training count.
    const bool isTraining = m_session->state().state == LabState::Training;
    for (const auto& run : m_session->runs()) {
        const std::vector<std::int64_t>& skips = run->skippedSteps;
        std::size_t& seen = m_seen[run->id];
        if (skips.size() <= seen) continue;
        const bool isFirst = seen == 0;
        const std::int64_t step = skips[seen];
        seen = skips.size();
        if (isTraining && run->isLive() && (m_mode == PauseOn::AnySkip || (m_mode == PauseOn::FirstSkip && isFirst)))
            emit pauseRequested(run->id, step);
    }
}

void PauseWatch::forget() {
    m_seen.clear();
    for (const auto& run : m_session->runs()) m_seen[run->id] = run->skippedSteps.size();
}

}  // namespace mantissa::gui
