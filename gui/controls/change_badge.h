// SPDX-License-Identifier: GPL-3.0-or-later
// One line beside the controls it speaks of: a wish on its way ("FP16 pending · from the next step"), a change that took effect ("FP16
// effective at step 1 234", for ten seconds), or a refusal with its sentence. Empty and without height otherwise.
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
    bool isFresh(const QString& pointer) const { return m_isFresh && m_freshPointer == pointer; }
    bool covers(const QString& pointer) const;

    void refresh();

signals:
    void freshChanged();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void lookForNews();
    void show(const QString& text, const QString& icon, IconInk ink, const char* kind);

    Lab* m_lab;
    QStringList m_prefixes;
    RunId m_run = -1;
    std::size_t m_seenMarkers = 0;
    QTimer m_fade;
    bool m_isFresh = false;
    bool m_isPending = false;
    QString m_freshPointer, m_freshText, m_problem;
    IconLabel* m_icon;
    QLabel* m_label;
};

}  // namespace mantissa::gui
