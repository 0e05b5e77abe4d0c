// SPDX-License-Identifier: GPL-3.0-or-later
// One line below the controls it speaks of: a request on its way ("FP16 pending · from the next step"), a change that took effect ("FP16
// effective at step 1 234", for ten seconds), or a refusal with its sentence; else it is hidden. Whoever lays it out keeps its place, so
// that no control moves when there is news. What does not fit is a tool tip.
#pragma once

#include <QTimer>
#include <QWidget>

#include "gui/controls/parts.h"
#include "gui/link/lab.h"

namespace mantissa::gui {

class ChangeBadge : public QWidget {
    Q_OBJECT
public:
    /// Speaks for the settings whose pointers start with one of `prefixes`.
    ChangeBadge(Lab* lab, QStringList prefixes, QWidget* parent);

    /// The run it speaks of; changes of before are not news.
    void bind(RunId run);
    /// A refusal; empty: none any more.
    void setProblem(const QString& sentence);
    /// True while a change to `pointer` is young.
    bool isFresh(const QString& pointer) const { return m_isFresh && m_freshPointers.contains(pointer); }
    bool covers(const QString& pointer) const;

    void refresh();
    /// All of it, however much of it there is room for.
    QString text() const { return m_text; }

signals:
    void freshChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void lookForNews();
    void show(const QString& text, const QString& icon, IconInk ink, const char* kind);
    void fit();

    Lab* m_lab;
    QStringList m_prefixes;
    RunId m_run = -1;
    std::size_t m_seenMarkers = 0;
    QTimer m_fade;
    bool m_isFresh = false;
    bool m_isPending = false;
    std::int64_t m_freshStep = -1;
    QStringList m_freshPointers, m_freshSubjects;  // of what came into force in that step
    QString m_problem, m_text;
    IconLabel* m_icon;
    QLabel* m_label;
};

}  // namespace mantissa::gui
