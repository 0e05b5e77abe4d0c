// SPDX-License-Identifier: GPL-3.0-or-later
// The step counter ("step 1 234 of 2 000 · epoch 3.1") above the timeline: a progress bar with marks at the chosen step and where a run
// became non-finite. A press or a drag on the timeline chooses a step.
#pragma once

#include <QWidget>
#include <utility>
#include <vector>

class QLabel;

namespace mantissa::gui {

class StepCounter : public QWidget {
    Q_OBJECT
public:
    explicit StepCounter(QWidget* parent);
    void setCompact(bool compact);
    /// `steps`: the target of training.
    void show(qint64 step, qint64 steps, double epoch);
    /// Sets the step chosen in the plots or on the timeline; -1: none.
    void setChosen(qint64 step) {
        if (std::exchange(m_chosen, step) != step) update();
    }
    /// Marks steps: those at which runs first became non-finite.
    void setMarks(const std::vector<qint64>& steps) {
        if (std::exchange(m_marks, steps) != steps) update();
    }
    QSize sizeHint() const override { return {maximumWidth(), height()}; }

signals:
    void stepChosen(qint64 step);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override { choose(event); }
    void resizeEvent(QResizeEvent*) override { write(); }

private:
    void write();
    qint64 length() const { return std::max<qint64>({m_step, m_steps, 1}); }
    double placeOf(qint64 step) const;
    void choose(QMouseEvent* event);

    QLabel* m_stepLabel;
    QLabel* m_rest;
    qint64 m_step = 0, m_steps = 0, m_chosen = -1;
    double m_epoch = 0;
    std::vector<qint64> m_marks;
    bool m_isCompact = false;
};

}  // namespace mantissa::gui
