// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a run's health in plain words, with a sign: ✓ good, i worth inspecting, ⚠ broken.
#pragma once

#include <QWidget>

#include "gui/controls/parts.h"
#include "gui/link/session_model.h"

namespace mantissa::gui {

/// Returns the health of a run from the data in the window.
Health healthOf(const RunState& state);

struct HealthSign {
    QString icon;
    IconInk ink;
};
HealthSign signOf(const Health& health);

/// Returns the step that Why? examines: the first non-finite one, one that fails silently, an examined non-finite step, or the first of the
/// latest skips in a row; nothing if there is none.
std::optional<std::int64_t> stepToAskOf(const RunState& state);

/// Returns the health's name, in short: "Silent failure".
QString titleOf(const Health& health);
/// Returns a title as it stands within a sentence: "silent failure".
QString withinSentence(const QString& title);

/// Returns a short text for the slim list: "steady, 18 of 80 clean".
QString shortHealthText(const RunState& state);

/// Whether no step follows: the watched training has ended, or its process has gone.
bool isOver(const RunState& state);

/// Returns "Catching up: step 120 of 500." for a run that lags behind the others in lock-step; else an empty text.
QString catchingUpText(const SessionModel& session, const RunState& state);

/// Returns the text shown in place of health while a lesson's question is open.
QString shownAfterAnswer();

class HealthLine : public QWidget {
    Q_OBJECT
public:
    /// `badge` covers the upper of the two lines while it is shown.
    HealthLine(QWidget* badge, QWidget* parent);
    void show(const SessionModel& session, const RunState& state);
    /// Shows that health is withheld until a lesson's answer.
    void withhold();
    void setEngineAlive(bool alive) { m_rewind->setEnabled(alive); }

signals:
    /// Emitted when the user requests a rewind to before the first non-finite step.
    void rewindRequested(qint64 step);
    /// Emitted when the user requests an examination of a step.
    void whyRequested(qint64 step);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void say(const QString& title, const QString& sentence);
    void fit();
    QWidget* m_badge;
    IconLabel* m_icon;
    QLabel* m_text;
    QString m_title, m_sentence;  // the title is red; empty: none
    QPushButton *m_why, *m_rewind;
    std::int64_t m_wrongStep = -1, m_whyStep = -1;
};

}  // namespace mantissa::gui
