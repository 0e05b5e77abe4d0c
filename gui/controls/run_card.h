// SPDX-License-Identifier: GPL-3.0-or-later
// The card of one run: header, origin, controls, health. A what-if and a read-only run have no controls. A click anywhere or a focused
// control selects the run. GUI thread only.
#pragma once

#include <QFrame>

#include "gui/controls/health_line.h"
#include "gui/controls/run_controls.h"
#include "gui/controls/run_header.h"
#include "gui/controls/run_note.h"

namespace mantissa::gui {

class RunCard : public QFrame {
    Q_OBJECT
public:
    RunCard(SessionModel* session, EngineClient* engine, RunId run, QWidget* parent);

    RunId run() const { return m_run; }
    /// Updates settings, name, requests and selection.
    void refresh();
    /// Updates the values that change with every step: scale and health.
    void refreshLive();
    /// Clears messages and typed text after the run was reset or rewound.
    void beginAgain() { m_controls->bind(m_run); }
    void beginRename() { m_header->beginRename(); }
    /// Gives the keyboard focus to its first control.
    void focusFirst() { m_controls->focusFirst(); }
    /// Disables the controls, without hiding them, while no engine runs.
    void setEngineAlive(bool alive);

signals:
    void rewindRequested(int run, qint64 step);
    void whyRequested(int run, qint64 step);
    void pointed(int run);  // -1: the pointer left

protected:
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    SessionModel* m_session;
    RunId m_run;
    RunHeader* m_header;
    RunNote* m_note;
    RunControls* m_controls;
    HealthLine* m_health;
};

}  // namespace mantissa::gui
