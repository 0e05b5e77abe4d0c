// SPDX-License-Identifier: GPL-3.0-or-later
// Train, pause, step, pace, and the actions on the selected run. GUI thread only.
#pragma once

#include <QObject>

#include "gui/app/window_parts.h"

namespace mantissa::gui {

class TrainingController : public QObject, WindowParts {
    Q_OBJECT
public:
    explicit TrainingController(const WindowParts& parts);

    /// Sends a command about training. `wantsTraining`: what it requests.
    void ask(CommandBody command, bool wantsTraining);
    /// Returns the last request, from the window or elsewhere.
    bool wantsTraining() const { return m_wantsTraining; }
    /// Sets whether the experiment that opens next is trained at once.
    void setWantsTraining(bool wants) { m_wantsTraining = wants; }
    /// Sends pace and lock-step for the experiment that was requested.
    void experimentAsked();
    /// Forgets the pending command after the loss of the engine.
    void dropRequest();
    /// Returns whether Pause ended this command early.
    bool isBrokenOff(quint64 commandId) const { return commandId != 0 && commandId == m_brokenOff; }
    /// Selects a run by its place on the screen; ignores a place without a run.
    void selectAt(std::ptrdiff_t index);
    /// Updates which actions on runs are possible.
    void refresh();

signals:
    void refreshed();

private:
    void connectRuns();
    void connectState();
    /// Returns whether all steps are done and a run could continue.
    bool hasEnded() const;
    void trainMore();
    void setPace(double pace);
    void syncWithState();
    void selectNeighbour(int by);
    void stepScale(int powers);

    bool m_wantsTraining = !m_options.startsPaused;
    double m_pace = m_options.pace;
    std::uint64_t m_unansweredCommand = 0;            // the latest command about training; 0: the engine has answered
    std::uint64_t m_brokenOff = 0;                    // a command that Pause ended early
    static constexpr std::int64_t kMoreSteps = 2000;  // at the end of training
};

}  // namespace mantissa::gui
