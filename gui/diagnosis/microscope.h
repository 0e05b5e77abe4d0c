// SPDX-License-Identifier: GPL-3.0-or-later
// How often which magnitudes come in a tensor, with a format's window over them, and the loss scale as a line that can be dragged: the bars
// slide with it. GUI thread only.
#pragma once

#include <QWidget>

#include "engine/diagnosis/histogram.h"
#include "gui/plots/view_state.h"

namespace mantissa::gui {

struct MicroscopeView {
    std::vector<ExponentBin> bins;  // as they were seen, with the loss scale in them if there is one
    Dtype format = Dtype::F16;
    bool isScaled = false;         // carries the loss scale
    int usedScale = 0, tried = 0;  // log2 of the scale that was used, and of the one that is tried
};

class Microscope : public QWidget {
    Q_OBJECT
public:
    explicit Microscope(QWidget* parent);
    void show(MicroscopeView view);
    /// The stretch of magnitudes that is drawn, in powers of two.
    Span axis() const;
    /// The place of a power of two, in pixels.
    double place(double power) const;
    QSize minimumSizeHint() const override { return {260, 190}; }

signals:
    void scaleTried(int exponent);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRectF area() const;
    void drawZones(QPainter& painter) const;
    void drawBins(QPainter& painter) const;
    void drawScales(QPainter& painter) const;
    void tryAt(double x);
    double top() const;  // log10 of the largest count that has room
    MicroscopeView m_view;
};

}  // namespace mantissa::gui
