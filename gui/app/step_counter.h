// SPDX-License-Identifier: GPL-3.0-or-later
// "step 1 247 of 2 000 · epoch 55.5" over a thin bar.
#pragma once

#include <QWidget>

class QLabel;

namespace mantissa::gui {

class StepCounter : public QWidget {
public:
    explicit StepCounter(QWidget* parent);
    void show(qint64 step, qint64 steps, double epoch);
    /// Without the epoch.
    void setCompact(bool compact);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QLabel* m_step;
    QLabel* m_rest;
    double m_share = 0;  // 0..1
    bool m_isCompact = false;
};

}  // namespace mantissa::gui
