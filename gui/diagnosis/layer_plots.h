// SPDX-License-Identifier: GPL-3.0-or-later
// Two instruments with a row a layer: the precision strip, layers over steps, and the range of usable scales, the loss scales that each
// layer can live with. A click chooses a layer, and in the strip a cell. GUI thread only.
#pragma once

#include <QWidget>

#include "engine/diagnosis/usable_scales.h"
#include "gui/diagnosis/measurements.h"

namespace mantissa::gui {

/// Rows of the same height at the same place in both.
class LayerPlot : public QWidget {
    Q_OBJECT
public:
    explicit LayerPlot(QWidget* parent);
    QSize minimumSizeHint() const override { return {240, 190}; }
    void setChosen(const QString& layer);
    /// The height from which rows grow no further.
    int tallest() const;
    /// The one ramp of these pictures: from 0, pale, to 1, the deepest accent; pure.
    static QColor rampColor(double share);

signals:
    void layerChosen(const QString& layer);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    void setLayers(std::vector<std::string> layers);
    void drawNames(QPainter& painter) const;
    QRectF area() const;
    QRectF rowAt(std::size_t row) const;
    const std::vector<std::string>& layers() const { return m_layers; }
    const QString& chosen() const { return m_chosen; }
    /// Whose row it is; empty: none's.
    QString layerAt(double y) const;

private:
    void measureNames();
    std::vector<std::string> m_layers;
    int m_widestName = 0;  // pixels; measured once, as shaping text takes longer than drawing it
    QString m_chosen;
};

class PrecisionStrip : public LayerPlot {
    Q_OBJECT
public:
    explicit PrecisionStrip(QWidget* parent);
    void show(const RunMeasurements* measured, StripGroup group, StripMeasure measure);
    /// The step of the cell that is set off, in the chosen layer's row; -1: none.
    void setChosenStep(std::int64_t step);
    /// A cell's place; empty: it is not drawn.
    QRectF cellAt(const QString& layer, std::int64_t step) const;
    /// The colour of a cell's value; pure.
    static QColor colorOf(StripMeasure measure, const StripCell& cell);

signals:
    void cellChosen(const QString& layer, qint64 step);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void drawKey(QPainter& painter) const;
    void drawChosen(QPainter& painter) const;
    /// Of the steps there is room for, a pixel each at least, the latest at the right.
    std::size_t firstShown() const;
    double cellWidth() const;
    std::int64_t m_chosenStep = -1;
    StripMeasure m_measure = StripMeasure::Headroom;
    std::vector<std::int64_t> m_steps;
    std::vector<std::vector<StripCell>> m_cells;  // by column, then layer
};

class UsableScalesPlot : public LayerPlot {
    Q_OBJECT
public:
    explicit UsableScalesPlot(QWidget* parent);
    /// `used`, `tried`: log2 of the loss scale that was used, and of the one that is tried.
    void show(std::vector<UsableScales> usableScales, const UsableScales& common, double used, double tried);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<UsableScales> m_usableScales;
    UsableScales m_common;
    double m_used = 0, m_tried = 0;
};

}  // namespace mantissa::gui
