// SPDX-License-Identifier: GPL-3.0-or-later
// The left dock of the Diagnose layout: the runs, all captured steps, and when training pauses. GUI thread only.
#pragma once

#include <QWidget>

#include "gui/controls/delay.h"
#include "gui/controls/parts.h"
#include "gui/controls/run_list.h"
#include "gui/diagnosis/captured_model.h"
#include "gui/diagnosis/gauge_list.h"
#include "gui/diagnosis/pause_watch.h"

namespace mantissa::gui {

class DiagnoseDock : public QWidget {
    Q_OBJECT
public:
    DiagnoseDock(SessionModel* session, EngineClient* engine, CapturedModel* captured, const Measurements* measurements, QWidget* parent);
    static constexpr int kWidth = 240;
    CapturedList* captured() const { return m_captured; }
    void setPauseOn(PauseOn mode);
    GaugeList* gauges() const { return m_gauges; }

signals:
    void pauseOnChosen(mantissa::gui::PauseOn mode);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    const SessionModel* m_session;
    const CapturedModel* m_steps;
    QLabel* m_heading;
    RunList* m_runs;
    QLabel *m_count, *m_none;
    CapturedList* m_captured;
    ComboBox* m_pauseOn;
    GaugeList* m_gauges;
    Delay m_timer;
};

}  // namespace mantissa::gui
