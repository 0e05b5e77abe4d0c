// SPDX-License-Identifier: GPL-3.0-or-later
// One number's bits as cells: sign, exponent, mantissa. A click, or Space on the cell that the arrow keys have come to, flips a bit.
// All formats' exponents end at one place and their mantissas begin at one, so that strips below each other compare. GUI thread only.
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
    std::uint32_t bits() const { return m_bits; }
    Dtype dtype() const { return m_format.dtype; }
    /// Bits count from the mantissa's last one, as in the code.
    QRect cellOf(int bit) const;
    /// -1: there is none.
    int bitAt(QPoint place) const;
    int current() const { return m_current; }
    /// The bit in a column of the strip, or the one nearest to it, becomes the current one.
    void enterColumn(int column);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void flipped(int bit);
    /// An arrow key left upwards (-1) or downwards (1).
    void leftTo(int direction, int column);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;

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
};

/// "sign", "exponent", "mantissa" above strips.
class BitHead : public QWidget {
    Q_OBJECT
public:
    explicit BitHead(QWidget* parent);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace mantissa::gui
