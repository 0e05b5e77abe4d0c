// SPDX-License-Identifier: GPL-3.0-or-later
// Where a run comes from: "from fp16 at step 1 234" of a fork; of a what-if also how it goes, and Keep or Dismiss; of a run that is only
// looked at its file, its last values, and Remove. Nothing of a run that began here.
#pragma once

#include <QWidget>

#include "gui/controls/parts.h"
#include "gui/link/engine_client.h"

namespace mantissa::gui {

/// When the probe of a watched run counts tensors, a sentence.
QString countedWhenText(const WatchInfo& watch);

class RunNote : public QWidget {
    Q_OBJECT
public:
    RunNote(Lab* lab, EngineClient* engine, QWidget* parent);
    void show(const RunState& run);
    void setEngineAlive(bool alive);

private:
    Lab* m_lab;
    RunId m_run = -1;
    QLabel *m_origin, *m_values;
    QWidget* m_buttons;
    QPushButton *m_keep, *m_drop;
};

}  // namespace mantissa::gui
