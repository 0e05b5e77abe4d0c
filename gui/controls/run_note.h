// SPDX-License-Identifier: GPL-3.0-or-later
// The origin of a run: for a fork "from fp16 at step 1 234"; for a what-if also its progress, and Keep or Dismiss; for a read-only run its
// file, its last values, and Remove. Empty for other runs.
#pragma once

#include <QWidget>

#include "gui/controls/parts.h"
#include "gui/link/engine_client.h"

namespace mantissa::gui {

/// Returns a sentence on when the probe of a watched run computes tensor statistics.
QString countedWhenText(const WatchInfo& watch);

class RunNote : public QWidget {
    Q_OBJECT
public:
    RunNote(SessionModel* session, EngineClient* engine, QWidget* parent);
    void show(const RunState& run);
    void setEngineAlive(bool alive) { m_buttons->setEnabled(alive); }

private:
    SessionModel* m_session;
    RunId m_run = -1;
    QLabel *m_origin, *m_values;
    QWidget* m_buttons;
    QPushButton *m_keep, *m_drop;
};

}  // namespace mantissa::gui
