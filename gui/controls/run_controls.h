// SPDX-License-Identifier: GPL-3.0-or-later
// The controls of one run for settings that can change during training: precision, scaler, learning rate, clipping. Used by the card and,
// bound to the selected run, by the slim form.
#pragma once

#include <QWidget>

#include "gui/controls/change_badge.h"
#include "gui/controls/precision_control.h"
#include "gui/controls/scaler_controls.h"

namespace mantissa::gui {

class RunControls : public QWidget {
    Q_OBJECT
public:
    RunControls(SessionModel* session, EngineClient* engine, QWidget* parent);

    void bind(RunId run);
    RunId run() const { return m_run; }
    void setNarrow(bool narrow);
    void refresh();
    /// Gives the keyboard focus to the first control.
    void focusFirst() { m_precision->focusCurrent(); }
    /// Returns the badge that shows the state of a change; the owner lays it out.
    ChangeBadge* badge() const { return m_badge; }
    /// Returns whether a setting has a control here, which then shows its refusal.
    static bool speaksFor(const QString& pointer);

private:
    QWidget* buildRates();

    SessionModel* m_session;
    EngineClient* m_engine;
    RunId m_run = -1;
    PrecisionControl* m_precision;
    QLabel* m_precisionDetail;
    ScalerControls* m_scaler;
    QLabel* m_lrCaption = nullptr;
    NumberField* m_lr = nullptr;
    NumberField* m_clip = nullptr;
    ChangeBadge* m_badge;
};

}  // namespace mantissa::gui
