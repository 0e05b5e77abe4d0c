// SPDX-License-Identifier: GPL-3.0-or-later
// Shows one number's bits as cells: sign, exponent, mantissa. A click, or Space on the cell selected by the arrow keys, flips a bit. All
// formats' exponents end at one column and their mantissas begin at one, so strips below each other align. GUI thread only.
#pragma once

#include <QWidget>
#include <cstdint>

#include "kernels/dtype/dtype.h"

namespace mantissa::gui {

class BitStrip : public QWidget {
    Q_OBJECT
public:
    BitStrip(Dtype dtype, QWidget* parent);
    void show(std::uint32_t bits);
    /// Sets the factor by which the cells are enlarged.
    void setZoom(double zoom);
    /// Returns the width of a strip that is not enlarged, in pixels.
    static int plainWidth();
    std::uint32_t bits() const { return m_bits; }
    Dtype dtype() const { return m_format.dtype; }
    /// Returns the rectangle of a bit before it is enlarged, counted from the mantissa's least significant bit.
    QRect cellOf(int bit) const;
    /// Returns the bit at a place; -1: none.
    int bitAt(QPoint place) const;
    int current() const { return m_current; }
    /// Makes the bit in a column, or the nearest one, the current bit.
    void enterColumn(int column);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void flipped(int bit);
    /// Emitted when an arrow key leaves the strip upwards (-1) or downwards (1).
    void leftTo(int direction, int column);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    int columnOf(int bit) const;
    QString groupName(int bit) const;
    void setCurrent(int bit);
    void point(int bit);
    void describe();

    const DtypeFacts& m_format;
    std::uint32_t m_bits = 0;
    int m_current;
    int m_pointed = -1;
    double m_zoom = 1;
};

/// The head "sign", "exponent", "mantissa" above strips.
class BitHead : public QWidget {
    Q_OBJECT
public:
    explicit BitHead(QWidget* parent);
    void setZoom(double zoom);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double m_zoom = 1;
};

}  // namespace mantissa::gui
