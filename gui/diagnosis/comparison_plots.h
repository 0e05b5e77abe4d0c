// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of how far two runs are apart: layers over compared steps, and one layer's difference as a line. A click chooses a layer.
// GUI thread only.
#pragma once

#include <span>

#include "engine/diagnosis/run_comparison.h"
#include "gui/diagnosis/layer_plots.h"

namespace mantissa::gui {

/// "0.05 %", "equal", "not finite"; of what was not compared, nothing.
QString differenceText(double relative);

/// What both pictures show.
struct ComparisonView {
    std::span<const StepComparison> comparisons;  // by step
    TensorRole role = TensorRole::Value;
    double bound = kComparisonBound;
    std::optional<FirstApart> apart;
};

class ComparisonMap : public LayerPlot {
    Q_OBJECT
public:
    explicit ComparisonMap(QWidget* parent);
    void show(const ComparisonView& view);
    /// How deep a difference is drawn: 0 for 10^-6 and less, 1 for 100 % and more; pure.
    static double depthOf(double relative);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    /// A layer at a step.
    struct Cell {
        bool isThere = false;
        double relative = 0;
    };
    std::vector<std::int64_t> m_steps;
    std::vector<std::vector<Cell>> m_cells;  // by column, then layer
    std::optional<std::size_t> m_apartColumn, m_apartRow;
    QString m_apartText;

    double columnWidth() const;
    QRectF cellAt(std::size_t column, std::size_t row) const;
    void drawCell(QPainter& painter, const Cell& cell, const QRectF& place) const;
    void drawApart(QPainter& painter) const;
    void drawKey(QPainter& painter) const;
};

class ComparisonCurve : public QWidget {
    Q_OBJECT
public:
    explicit ComparisonCurve(QWidget* parent);
    QSize minimumSizeHint() const override { return {240, 190}; }
    void show(const ComparisonView& view, const std::string& layer);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Point {
        std::int64_t step = 0;
        double relative = 0;
    };
    std::vector<Point> m_points;  // side by side, as the map's columns
    double m_bound = kComparisonBound;
    std::optional<std::size_t> m_apart;  // of the points

    QRectF area() const;
    QPointF placeOf(std::size_t point) const;
    double heightOf(double relative) const;
    void drawScale(QPainter& painter) const;
    void drawPoints(QPainter& painter) const;
};

}  // namespace mantissa::gui
