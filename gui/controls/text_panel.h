// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the text that the selected run's language model wrote at its last validation. Hidden while no run writes.
#pragma once

#include <QWidget>

#include "gui/controls/parts.h"
#include "gui/controls/run_sample.h"
#include "gui/link/session_model.h"

namespace mantissa::gui {

class TextPanel : public QWidget {
    Q_OBJECT
public:
    TextPanel(SessionModel* session, QWidget* parent);
    void setFrozen(bool frozen);

private:
    SessionModel* m_session;
    RunSample* m_sample;
    QLabel *m_name, *m_step, *m_text;
    bool m_isFrozen = false;

    const RunState* subject() const;
    void refresh();
};

}  // namespace mantissa::gui
