// SPDX-License-Identifier: GPL-3.0-or-later
// One run: header, where it comes from, controls, health. A what-if and a run that is only looked at have no controls.
// A click anywhere or a focused control selects the run.
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
    RunCard(Lab* lab, EngineClient* engine, RunId run, QWidget* parent);

    RunId run() const { return m_run; }
    /// Settings, name, requests, selection.
    void refresh();
    /// What moves with every step: scale and health.
    void refreshLive();
    /// The run is before step 0 again: what was said or typed of the steps before goes.
    void beginAnew() { m_controls->bind(m_run); }
    void beginRename() { m_header->beginRename(); }
    /// With the engine gone the controls are disabled, not hidden.
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
    Lab* m_lab;
    RunId m_run;
    RunHeader* m_header;
    RunNote* m_note;
    RunControls* m_controls;
    HealthLine* m_health;
};

}  // namespace mantissa::gui
