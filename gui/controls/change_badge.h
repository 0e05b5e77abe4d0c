// SPDX-License-Identifier: GPL-3.0-or-later
// A line that shows the latest change of a group of controls: a pending request ("FP16 pending · from the next step"), a change that took
// effect ("FP16 effective at step 1 234", for ten seconds), or a refusal with its sentence; else it is hidden. The owner's layout keeps its
// place, so that no control moves. Text that does not fit is in the tool tip.
#pragma once

#include <QWidget>

#include "gui/controls/delay.h"
#include "gui/controls/parts.h"
#include "gui/link/session_model.h"

namespace mantissa::gui {

class ChangeBadge : public QWidget {
    Q_OBJECT
public:
    /// Covers the settings whose pointers start with one of `prefixes`.
    ChangeBadge(SessionModel* session, QStringList prefixes, QWidget* parent);

    /// Sets the run; earlier changes are not shown.
    void bind(RunId run);
    /// Shows a refusal; empty: removes it.
    void setProblem(const QString& sentence);
    /// Returns whether a change to `pointer` is still shown as recent.
    bool isFresh(const QString& pointer) const { return m_isFresh && m_freshPointers.contains(pointer); }
    bool covers(const QString& pointer) const;

    void refresh();
    /// Returns the full text, also if it is shown shortened.
    QString text() const { return m_text; }

signals:
    void freshChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void checkForChange();
    void show(const QString& text, const QString& icon, IconInk ink, const char* kind);
    void fit();

    SessionModel* m_session;
    QStringList m_prefixes;
    RunId m_run = -1;
    std::size_t m_seenMarkers = 0;
    Delay m_fade;
    bool m_isFresh = false;
    bool m_isPending = false;
    std::int64_t m_freshStep = -1;
    QStringList m_freshPointers, m_freshSubjects;  // of the settings that took effect in that step
    QString m_problem, m_text;
    IconLabel* m_icon;
    QLabel* m_label;
};

}  // namespace mantissa::gui
