// SPDX-License-Identifier: GPL-3.0-or-later
// "Verdict": what happened in words, what would help with what it did when it was tried, and the trials that it rests on.
// It sends nothing itself. GUI thread only.
#pragma once

#include <QBoxLayout>
#include <QElapsedTimer>
#include <QFrame>

#include "gui/controls/change_badge.h"
#include "gui/controls/parts.h"
#include "gui/diagnosis/trials_table.h"

namespace mantissa::gui {

class VerdictCard : public QFrame {
    Q_OBJECT
public:
    VerdictCard(Lab* lab, QWidget* parent);
    /// Of a run that is there. `canAct`: whether remedies can be applied to it and tried with it.
    void show(const RunState& run, const Examination& examination, bool canAct);
    /// The engine is trying the remedies now, and has come so far; empty: it has not said yet.
    void setTrying(bool trying, const QString& progress = {});
    /// For so long a remedy that has come below the pointer takes no click of it: the hand had aimed at another one.
    static constexpr int kHoldMs = 600;

signals:
    /// The remedy of this number, from the next step on; before the captured step in a new run; the same for some steps.
    void applyRequested(int remedy);
    void forkRequested(int remedy);
    void whatIfRequested(int remedy);
    /// Let the engine try those that were not.
    void tryRequested();
    /// End that, with what is known by then.
    void stopRequested();
    /// Train on as it is.
    void leaveRequested();

private:
    void addRemedy(int number, const Remedy& remedy, bool isMain, bool canAct);
    void clearRemedies();

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
    QElapsedTimer m_sinceMoved;  // since they were others, or in another order
    bool m_isMisled = false;     // the press that is under way
    bool m_isTrying = false;
    bool m_hasMoreToTry = false;
    bool m_canTry = false;
    bool m_canTryLonger = false;  // what was tried along the way, for more steps and from the last healthy step
};

}  // namespace mantissa::gui
