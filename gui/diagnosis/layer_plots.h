// SPDX-License-Identifier: GPL-3.0-or-later
// Two instruments with a row per layer: the precision strip (layers over steps) and the usable loss scales of each layer. A click chooses a
// layer, and in the strip a cell. GUI thread only.
#pragma once

#include <QWidget>

#include "engine/diagnosis/usable_scales.h"
#include "gui/diagnosis/measurements.h"

namespace mantissa::gui {

/// The base class of plots with a row per layer, with equal geometry.
class LayerPlot : public QWidget {
    Q_OBJECT
public:
    explicit LayerPlot(QWidget* parent);
    QSize minimumSizeHint() const override { return {240, 190}; }
    void setChosen(const QString& layer);
    /// Returns the height in pixels above which rows grow no further.
    int tallest() const;
    /// Returns a colour of the ramp: from 0, pale, to 1, the full accent colour; pure.
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
    /// Returns the layer at a height; empty: none.
    QString layerAt(double y) const;

private:
    void measureNames();
    std::vector<std::string> m_layers;
    int m_widestName = 0;  // pixels; cached, as measuring text takes longer than drawing it
    QString m_chosen;
};

class PrecisionStrip : public LayerPlot {
    Q_OBJECT
public:
    explicit PrecisionStrip(QWidget* parent);
    void show(const RunMeasurements* measured, StripGroup group, StripMeasure measure);
    /// Highlights the cell of a step in the chosen layer's row; -1: none.
    void setChosenStep(std::int64_t step);
    /// Returns a cell's rectangle; empty: it is not drawn.
    QRectF cellAt(const QString& layer, std::int64_t step) const;
    /// Returns the colour of a cell's value; pure.
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
    /// Returns the index of the first visible step; the latest is at the right, each at least a pixel wide.
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
    /// `used`, `tried`: log2 of the used and of the tried loss scale.
    void show(std::vector<UsableScales> usableScales, const UsableScales& common, double used, double tried);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<UsableScales> m_usableScales;
    UsableScales m_common;
    double m_used = 0, m_tried = 0;
};

}  // namespace mantissa::gui
