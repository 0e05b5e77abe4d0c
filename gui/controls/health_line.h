// SPDX-License-Identifier: GPL-3.0-or-later
// How a run is doing, in plain words, with a sign: ✓ well, i worth a look, ⚠ broken.
#pragma once

#include <QWidget>

#include "engine/experiment/run_health.h"
#include "gui/controls/parts.h"
#include "gui/link/lab.h"

namespace mantissa::gui {

/// The verdict on a run from what the window knows of it.
Health healthOf(const RunState& state);

struct HealthSign {
    QString icon;
    IconInk ink;
};
HealthSign signOf(const Health& health);

/// The step to ask why of: where it broke, one that fails silently, or the first of the latest skips in a row, rather one that was
/// captured; nothing: all went well.
std::optional<std::int64_t> stepToAskOf(const RunState& state);

/// A word or two, for the slim list: "steady, 18 of 80 clean".
QString shortHealthText(const RunState& state);

/// "Catching up: step 120 of 500.": of a run that is on its way to where the others are; empty: it is with them, or each goes its own pace.
QString catchingUpText(const Lab& lab, const RunState& state);

/// In the place of health while a lesson's question is open.
QString shownAfterAnswer();

class HealthLine : public QWidget {
    Q_OBJECT
public:
    /// `news` takes the upper of the two lines while it is shown.
    HealthLine(QWidget* news, QWidget* parent);
    void show(const Lab& lab, const RunState& state);
    /// Says that it will be told with a lesson's answer.
    void withhold();
    void setEngineAlive(bool alive) { m_rewind->setEnabled(alive); }

signals:
    /// To before the step at which it went wrong.
    void rewindRequested(qint64 step);
    /// What happened in it?
    void whyRequested(qint64 step);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void say(const QString& title, const QString& sentence);
    void fit();
    QWidget* m_news;
    IconLabel* m_icon;
    QLabel* m_text;
    QString m_title, m_sentence;  // the title in red; empty: there is none
    QPushButton *m_why, *m_rewind;
    std::int64_t m_wrongStep = -1, m_whyStep = -1;
};

}  // namespace mantissa::gui
