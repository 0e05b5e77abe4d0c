// SPDX-License-Identifier: GPL-3.0-or-later
// The card "Verdict": a description of the failure, the remedies with their results when tried, and the trials behind it. It only emits
// requests. GUI thread only.
#pragma once

#include <QElapsedTimer>
#include <QFrame>

#include "gui/controls/change_badge.h"
#include "gui/controls/parts.h"
#include "gui/diagnosis/trials_table.h"

namespace mantissa::gui {

class VerdictCard : public QFrame {
    Q_OBJECT
public:
    VerdictCard(SessionModel* session, QWidget* parent);
    /// Whether remedies can be applied and tried, and whether training has ended: a remedy is then a new run, from before the step.
    struct Ways {
        bool canAct = true;
        bool hasEnded = false;
    };
    /// Shows the verdict on a run that exists.
    void show(const RunState& run, const Examination& examination, Ways ways);
    /// Sets whether the engine is trying remedies, and its progress; empty: none received yet.
    void setTrying(bool trying, const QString& progress = {});
    /// Time in ms during which a remedy that has moved below the pointer ignores clicks, which were meant for another one.
    static constexpr int kHoldMs = 600;

signals:
    /// Emitted to apply the remedy from the next step on; to apply it in a fork from before the captured step; to do that for some steps
    /// only.
    void applyRequested(int remedy);
    void forkRequested(int remedy);
    void whatIfRequested(int remedy);
    /// Emitted to let the engine try the remaining remedies.
    void tryRequested();
    /// Emitted to stop trying, and keep the results so far.
    void stopRequested();
    /// Emitted to continue training without a change.
    void leaveRequested();

private:
    void addRemedy(int number, const Remedy& remedy, bool isMain, Ways ways);

    QLabel *m_headline, *m_explanation;
    QWidget* m_normal;
    QLabel *m_helpTitle, *m_helpNote;
    QPushButton* m_try;
    QGridLayout* m_remedies;
    ChangeBadge* m_badge;
    RunId m_badgeRun = -1;
    QVBoxLayout* m_wouldNotHelp;
    QWidget* m_trialsPanel;
    TrialsModel* m_trials;
    QLabel* m_trialsNote;
    QString m_triedNote;  // what was tried so far
    QStringList m_shownRemedies;
    QElapsedTimer m_sinceMoved;  // since the remedies or their order changed
    bool m_isMisled = false;     // of the current press
    bool m_isTrying = false;
    bool m_hasMoreToTry = false;
    bool m_canTry = false;
    bool m_canTryLonger = false;  // remedies already tried can be tried for more steps and from the last healthy step
};

}  // namespace mantissa::gui
