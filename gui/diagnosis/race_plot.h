// SPDX-License-Identifier: GPL-3.0-or-later
// Plots the loss scales of a race over its steps, in powers of two, and the overflow threshold of each step. Chosen entrants are
// emphasised, with their skips; the others are pale. GUI thread only.
#pragma once

#include <QWidget>

#include "gui/diagnosis/race_model.h"

namespace mantissa::gui {

class RacePlot : public QWidget {
    Q_OBJECT
public:
    RacePlot(const RaceModel* model, QWidget* parent);
    QSize minimumSizeHint() const override { return {380, 260}; }
    /// Sets the emphasised rows of the model, the strongest first.
    void setChosen(std::vector<int> rows);
    /// Sets the number of pending steps, for which the plot reserves space; 0: none.
    void setAwaited(std::int64_t steps);
    const std::vector<int>& chosen() const { return m_chosen; }

    /// Returns the tool tip of a step.
    QString stepText(std::int64_t step) const;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    struct View;
    struct Label;
    View view() const;
    bool isChosen(int row) const;
    void drawAxes(QPainter& painter, const View& view) const;
    void drawThreshold(QPainter& painter, const View& view) const;
    void drawLine(QPainter& painter, const View& view, const RacedScaler& result, const QPen& pen) const;
    void drawSkips(QPainter& painter, const View& view, const RacedScaler& result) const;
    void drawLabels(QPainter& painter, const View& view) const;
    std::vector<Label> labels(const View& view) const;

    const RaceModel* m_model;
    std::vector<int> m_chosen;
    std::int64_t m_awaited = 0;
};

}  // namespace mantissa::gui
