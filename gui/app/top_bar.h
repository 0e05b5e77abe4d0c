// SPDX-License-Identifier: GPL-3.0-or-later
// The toolbar: training on the left, the view in the middle, experiment and device on the right. In a narrow window icons replace texts.
#pragma once

#include <QWidget>

#include "gui/app/actions.h"
#include "gui/app/step_counter.h"
#include "gui/controls/delay.h"
#include "gui/controls/parts.h"
#include "gui/link/session_model.h"
#include "gui/plots/plot_board.h"

namespace mantissa::gui {

/// Returns the selectable paces in steps per second, 0: unlimited.
const QList<double>& paces();
QString paceText(double stepsPerSecond);

class TopBar : public QWidget {
    Q_OBJECT
public:
    TopBar(SessionModel* session, const Actions& actions, QWidget* parent);

    void setCompact(bool compact);
    /// Hides the controls of the plots if there are no plots.
    void setShowsPlots(bool shows);
    void setEngineAlive(bool alive);
    void setFollow(FollowMode mode);
    void setFrozen(bool frozen);
    void setUnseen(qint64 count);
    /// Sets the state of the Train button; the engine may not have answered yet.
    void setWantsTraining(bool wants) {
        if (std::exchange(m_wantsTraining, wants) != wants) refreshState();
    }
    void setCrosshairMode(CrosshairMode mode) { m_crosshair->setCurrentIndex(m_crosshair->findData(static_cast<int>(mode))); }
    /// Sets the step under the crosshair; -1: none.
    void setChosenStep(qint64 step) { m_counter->setChosen(step); }

signals:
    /// Emitted when the menu of the timeline is requested, with its position on the screen.
    void timelineMenuRequested(QPoint place);
    void stepChosen(qint64 step);
    void paceChosen(double stepsPerSecond);
    void followChosen(FollowMode mode);
    void crosshairChosen(CrosshairMode mode);
    void experimentChosen(const QString& name);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitWords();
    void showPlotControls();
    void refreshState();
    void refreshSteps();
    void refreshMarks();
    void refreshExperiments();
    void refreshFreeze();

    SessionModel* m_session;
    const Actions& m_actions;
    int m_trainWidth = 0;
    QPushButton *m_train, *m_step, *m_timeline, *m_reset;
    QLabel* m_paceCaption;
    ComboBox* m_pace;
    StepCounter* m_counter;
    QPushButton* m_freeze;
    ComboBox* m_followMode;
    QPushButton* m_follow;
    ComboBox* m_crosshair;
    QPushButton* m_crosshairKey;  // replaces m_crosshair in the compact form: each press selects the next mode
    QLabel* m_experimentCaption;
    ComboBox* m_experiment;
    QPushButton* m_create;
    QLabel* m_device;
    Delay m_delay{33};  // the counter is updated 30 times a second, however fast the engine is
    bool m_isCompact = false;
    bool m_showsPlots = true;
    bool m_isAlive = false;
    bool m_isFrozen = false;
    bool m_wantsTraining = false;
    qint64 m_unseen = 0;
};

}  // namespace mantissa::gui
