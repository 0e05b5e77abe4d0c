// SPDX-License-Identifier: GPL-3.0-or-later
// The strip above the plots: what the experiment shows, and what to look for in it. Closed, it is away until another experiment opens. It
// is never there beside a lesson. Its height does not depend on the experiment, so that another one moves no plot. GUI thread only.
#pragma once

#include <QFrame>

#include "gui/link/lab.h"

class QLabel;

namespace mantissa::gui {

/// Whether the strip is requested at all, as LayoutMemory keeps it.
inline const QString kLookFor = QStringLiteral("lookFor");

class LookForStrip : public QFrame {
    Q_OBJECT
public:
    LookForStrip(Lab* lab, QWidget* parent);
    void setRequested(bool requested);
    void setBesideLesson(bool beside);

signals:
    void dismissed();

private:
    void refresh();

    Lab* m_lab;
    QLabel* m_words;
    std::string m_dismissed;  // name of the experiment that it was closed for; empty: none
    bool m_isRequested = true, m_isBesideLesson = false;
};

}  // namespace mantissa::gui
