// SPDX-License-Identifier: GPL-3.0-or-later
// Watches for skipped steps and requests pauses of training. GUI thread only.
#pragma once

#include <QObject>
#include <map>

#include "gui/link/session_model.h"

namespace mantissa::gui {

enum class PauseOn { Never, AnySkip, FirstSkip };  // FirstSkip: of each run

class PauseWatch : public QObject {
    Q_OBJECT
public:
    PauseWatch(const SessionModel* session, QObject* parent);
    void setMode(PauseOn mode) { m_mode = mode; }
    PauseOn mode() const { return m_mode; }

signals:
    void pauseRequested(int run, qint64 step);

private:
    void check();
    void forget();
    const SessionModel* m_session;
    PauseOn m_mode = PauseOn::Never;
    std::map<RunId, std::size_t> m_seen;  // number of skips of each run already handled
};

}  // namespace mantissa::gui
