// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a format's numbers around a value as ticks, the value, and an arrow to its rounded value. A click on a tick chooses its number. GUI
// thread only.
#pragma once

#include <QWidget>

#include "engine/diagnosis/number_line.h"

namespace mantissa::gui {

class NumberLineView : public QWidget {
    Q_OBJECT
public:
    explicit NumberLineView(QWidget* parent);
    /// Shows a line. `sentence`: the description for screen readers.
    void show(Dtype format, NumberLine line, const RoundingMode& mode, const QString& sentence);
    /// Sets the factor by which line and text are enlarged.
    void setZoom(double zoom);
    /// Returns the position of a number in pixels before they are enlarged, limited to the line's ends.
    double place(double value) const;
    QSize minimumSizeHint() const override { return m_zoom * QSize(320, 118); }
    QSize sizeHint() const override { return m_zoom * QSize(900, 132); }

signals:
    void chosen(float value);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    int tickAt(QPointF place) const;
    int roundedTick() const;
    double lineWidth() const { return width() / m_zoom; }
    void drawTicks(QPainter& painter) const;
    void drawValue(QPainter& painter) const;
    void step(int direction);

    Dtype m_format = Dtype::F16;
    NumberLine m_line;
    RoundingMode m_mode;
    double m_zoom = 1;
};

}  // namespace mantissa::gui
