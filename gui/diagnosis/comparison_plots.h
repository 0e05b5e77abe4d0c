// SPDX-License-Identifier: GPL-3.0-or-later
// Plots of the difference of two runs: layers over compared steps, and one layer's difference as a line. A click chooses a layer. GUI
// thread only.
#pragma once

#include <span>

#include "engine/diagnosis/run_comparison.h"
#include "gui/diagnosis/layer_plots.h"

namespace mantissa::gui {

/// Formats a relative difference: "0.05 %", "equal", "not finite"; empty if it was not compared.
QString differenceText(double relative);

/// The data of both plots.
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
    /// Returns the colour intensity of a difference: 0 for 10^-6 and less, 1 for 100 % and more; pure.
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
    std::vector<Point> m_points;  // equally spaced, as the map's columns
    double m_bound = kComparisonBound;
    std::optional<std::size_t> m_apart;  // index in m_points

    QRectF area() const;
    QPointF placeOf(std::size_t point) const;
    double heightOf(double relative) const;
    void drawScale(QPainter& painter) const;
    void drawPoints(QPainter& painter) const;
};

}  // namespace mantissa::gui
