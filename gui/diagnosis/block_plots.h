// SPDX-License-Identifier: GPL-3.0-or-later
// Plots of one quantised operand: the map of its blocks, and the histogram of their scales. GUI thread only.
#pragma once

#include <QWidget>
#include <optional>

#include "engine/diagnosis/block_report.h"

namespace mantissa::gui {

class BlockMapPlot : public QWidget {
    Q_OBJECT
public:
    explicit BlockMapPlot(QWidget* parent);
    QSize minimumSizeHint() const override { return {240, 180}; }
    void show(const OperandBlocks& operand);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    OperandBlocks m_operand;
    double m_least = 0, m_most = 0;  // dB, the ends of the colour bar

    QRectF area() const;
    QRectF cellAt(int row, int col) const;
    QColor colorOf(double sqnr) const;
    void drawKey(QPainter& painter) const;
    QString cellText(int row, int col) const;
};

class ScaleHistogram : public QWidget {
    Q_OBJECT
public:
    explicit ScaleHistogram(QWidget* parent);
    QSize minimumSizeHint() const override { return {240, 96}; }
    void show(const std::vector<ScaleBin>& scales);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    std::vector<ScaleBin> m_scales;

    QRectF area() const;
    int firstExponent() const { return m_scales.front().exponent; }
    int exponents() const { return m_scales.back().exponent - firstExponent() + 1; }
    QRectF barAt(int exponent) const;
};

}  // namespace mantissa::gui
