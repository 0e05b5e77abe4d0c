// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the scaler's verdict beside the loss scale plot: a headline, a progress bar if applicable, a sentence. It describes the selected
// run, or the first one that scales its loss. Its height is fixed, so that no step moves the panels below it.
#pragma once

#include <QWidget>

#include "gui/controls/delay.h"
#include "gui/controls/health_line.h"
#include "gui/controls/run_sample.h"

namespace mantissa::gui {

class VerdictPanel : public QWidget {
    Q_OBJECT
public:
    VerdictPanel(SessionModel* session, QWidget* parent);
    /// Freezes the texts together with the plots.
    void setFrozen(bool frozen);
    /// Shows pending changes at once, unless it is frozen.
    void refreshNow() { refresh(); }

signals:
    /// Emitted when the user requests an examination of a step.
    void whyRequested(int run, qint64 step);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void fitTexts();
    const RunState* subject() const;

    SessionModel* m_session;
    Delay m_delay{100};  // faster changes cannot be read
    QLabel* m_name;
    RunSample* m_sample;
    IconLabel* m_sign;
    QLabel* m_headline;
    QLabel* m_count;
    QWidget* m_bar;
    QLabel* m_sentence;
    QLabel* m_skips;
    QString m_sentenceText, m_skipsText;  // whole; the labels may show their beginnings
    QPushButton* m_why;
    RunId m_whyRun = -1;
    std::int64_t m_whyStep = -1;
    double m_share = -1;  // 0..1 of the interval; below 0: no bar
    int m_identity = 0;
    bool m_isFrozen = false;
};

}  // namespace mantissa::gui
