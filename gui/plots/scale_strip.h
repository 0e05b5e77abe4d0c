// SPDX-License-Identifier: GPL-3.0-or-later
// Shows one run's loss scale over all its steps in a thin strip, with one step marked. A click chooses a step. GUI thread only.
#pragma once

#include <memory>

#include "gui/controls/delay.h"
#include "gui/link/session_model.h"
#include "gui/plots/canvas.h"
#include "gui/plots/run_trace.h"

namespace mantissa::gui {

class Crosshair;
class LossScalePanel;

class ScaleStrip : public QWidget {
    Q_OBJECT
public:
    ScaleStrip(const SessionModel* session, QWidget* parent);
    ~ScaleStrip() override;
    static constexpr int kHeight = 74;  // px

    /// Shows a run and marks a step; -1: no run, no step.
    void show(RunId run, std::int64_t step);
    /// Returns whether there is a scale to draw.
    bool hasScale() const;
    void setFrozen(bool frozen);
    /// Draws what is pending now instead of at the next frame.
    void refreshNow();

signals:
    void stepChosen(qint64 step);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void restart();
    void applyTheme();

    const SessionModel* m_session;
    Canvas* m_canvas;
    std::unique_ptr<LossScalePanel> m_panel;
    Crosshair* m_mark;  // owned by the canvas
    RunTrace m_trace;
    RunId m_run = -1;
    std::int64_t m_step = -1;
    std::int64_t m_frozenSteps = -1;  // of the run when it was frozen; -1: live
    Delay m_timer;
};

}  // namespace mantissa::gui
