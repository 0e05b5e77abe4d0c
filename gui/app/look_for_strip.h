// SPDX-License-Identifier: GPL-3.0-or-later
// The strip above the plots that says what the experiment shows and what to look for, and after the training what came of it. Once closed,
// it stays hidden until another experiment opens; it is never shown beside a lesson. Its height is fixed, so that no text
// moves the plots. GUI thread only.
#pragma once

#include <QFrame>

#include "gui/link/session_model.h"

class QLabel;

namespace mantissa::gui {

/// LayoutMemory's key for whether the strip is shown.
inline const QString kLookFor = QStringLiteral("lookFor");

class LookForStrip : public QFrame {
    Q_OBJECT
public:
    LookForStrip(SessionModel* session, QWidget* parent);
    void setRequested(bool requested);
    void setBesideLesson(bool beside);

signals:
    void dismissed();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void fit();

    SessionModel* m_session;
    QLabel* m_words;
    std::string m_dismissed;  // the experiment for which it was closed; empty: none
    bool m_isRequested = true, m_isBesideLesson = false;
};

}  // namespace mantissa::gui
