// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/bits/bit_strip.h"

#include <QAccessible>
#include <QFontDatabase>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cstdlib>

#include "engine/diagnosis/number_bits.h"
#include "gui/app/theme.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr int kPitch = 13, kCellWidth = 12, kCellHeight = 20, kGroupGap = 8;  // px
constexpr int kExponentColumns = 8, kMantissaColumns = 23, kStripHeight = 26;
constexpr int kFirstMantissa = 1 + kExponentColumns, kStripColumns = kFirstMantissa + kMantissaColumns;

int columnLeft(int column) {
    return 2 + column * kPitch + (column >= 1 ? kGroupGap : 0) + (column >= kFirstMantissa ? kGroupGap : 0);
}

}  // namespace

BitStrip::BitStrip(Dtype dtype, QWidget* parent) : QWidget(parent), m_format(facts(dtype)), m_current(m_format.codeBits() - 1) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(tr("Bits in %1").arg(QLatin1String(m_format.screenName.data(), static_cast<qsizetype>(m_format.screenName.size()))));
    describe();
}

int BitStrip::plainWidth() {
    return columnLeft(kStripColumns) + 1;
}

QSize BitStrip::sizeHint() const {
    return m_zoom * QSize(plainWidth(), kStripHeight);
}

void BitStrip::setZoom(double zoom) {
    m_zoom = zoom;
    updateGeometry();
    update();
}

void BitStrip::show(std::uint32_t bits) {
    m_bits = bits;
    describe();
    update();
}

int BitStrip::columnOf(int bit) const {
    if (bit < m_format.mantissaBits) return kFirstMantissa + m_format.mantissaBits - 1 - bit;
    const int power = bit - m_format.mantissaBits;
    return power < m_format.exponentBits ? kExponentColumns - power : 0;
}

QRect BitStrip::cellOf(int bit) const {
    return {columnLeft(columnOf(bit)), (qRound(height() / m_zoom) - kCellHeight) / 2, kCellWidth, kCellHeight};
}

int BitStrip::bitAt(QPoint place) const {
    for (int bit = 0; bit < m_format.codeBits(); ++bit)
        if (cellOf(bit).adjusted(0, -3, kPitch - kCellWidth, 3).contains(place / m_zoom)) return bit;
    return -1;
}

QString BitStrip::groupName(int bit) const {
    const int column = columnOf(bit);
    return column == 0               ? tr("sign")
           : column < kFirstMantissa ? tr("exponent, 2 to the %1").arg(bit - m_format.mantissaBits)
                                     : tr("mantissa, 2 to the −%1").arg(m_format.mantissaBits - bit);
}

void BitStrip::describe() {
    setAccessibleDescription(tr("%1; at the %2 bit, which is %3: Space flips it")
                                 .arg(QString::fromStdString(bitText(m_format, m_bits)), groupName(m_current))
                                 .arg(m_bits >> m_current & 1u));
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

void BitStrip::setCurrent(int bit) {
    m_current = std::clamp(bit, 0, m_format.codeBits() - 1);
    describe();
    update();
}

void BitStrip::enterColumn(int column) {
    int nearest = 0;
    for (int bit = 0; bit < m_format.codeBits(); ++bit)
        if (std::abs(columnOf(bit) - column) < std::abs(columnOf(nearest) - column)) nearest = bit;
    setCurrent(nearest);
}

void BitStrip::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(m_zoom, m_zoom);
    painter.setFont(pixelFont(QFontDatabase::systemFont(QFontDatabase::FixedFont), kTagPixels));
    for (int bit = 0; bit < m_format.codeBits(); ++bit) {
        const QRectF cell = QRectF(cellOf(bit)).adjusted(0.5, 0.5, -0.5, -0.5);
        const bool isSet = (m_bits >> bit & 1u) != 0, isCurrent = hasFocus() && bit == m_current;
        painter.setPen(QPen(isSet ? theme.ink2 : theme.controlBorder, 1));
        painter.setBrush(isSet ? theme.ink2 : theme.surface);
        painter.drawRoundedRect(cell, 2, 2);
        painter.setPen(isSet ? theme.surface : theme.ink2);
        painter.drawText(cell, Qt::AlignCenter, isSet ? QStringLiteral("1") : QStringLiteral("0"));
        if (!isCurrent && bit != m_pointed) continue;
        painter.setPen(QPen(theme.accent, isCurrent ? 2 : 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(cell.adjusted(-1, -2, 1, 2), 3, 3);
    }
}

void BitStrip::point(int bit) {
    if (bit == m_pointed) return;
    m_pointed = bit;
    setCursor(bit >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setToolTip(bit >= 0 ? tr("Bit %1, %2: click to flip").arg(bit).arg(groupName(bit)) : QString());
    update();
}

void BitStrip::mousePressEvent(QMouseEvent* event) {
    const int bit = bitAt(event->position().toPoint());
    if (event->button() != Qt::LeftButton || bit < 0) return;
    setCurrent(bit);
    emit flipped(bit);
}

void BitStrip::mouseMoveEvent(QMouseEvent* event) {
    point(bitAt(event->position().toPoint()));
}

void BitStrip::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    point(-1);
}

void BitStrip::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
            return setCurrent(m_current + 1);
        case Qt::Key_Right:
            return setCurrent(m_current - 1);
        case Qt::Key_Home:
            return setCurrent(m_format.codeBits() - 1);
        case Qt::Key_End:
            return setCurrent(0);
        case Qt::Key_Up:
        case Qt::Key_Down:
            emit leftTo(event->key() == Qt::Key_Up ? -1 : 1, columnOf(m_current));
            return;
        case Qt::Key_Space:
        case Qt::Key_Return:
        case Qt::Key_Enter:
            emit flipped(m_current);
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

BitHead::BitHead(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QSize BitHead::sizeHint() const {
    return m_zoom * QSize(BitStrip::plainWidth(), 18);
}

void BitHead::setZoom(double zoom) {
    m_zoom = zoom;
    updateGeometry();
    update();
}

void BitHead::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.scale(m_zoom, m_zoom);
    painter.setFont(pixelFont(font(), kTagPixels));
    painter.setPen(Theme::current().ink2);
    const int exponent = columnLeft(1), mantissa = columnLeft(kFirstMantissa);
    const QRect bounds(QPoint(), size() / m_zoom);
    painter.drawText(bounds, Qt::AlignLeft | Qt::AlignVCenter, tr("sign"));
    painter.drawText(QRect(exponent, 0, mantissa - kGroupGap - exponent, bounds.height()), Qt::AlignRight | Qt::AlignVCenter,
                     tr("exponent"));
    painter.drawText(bounds.adjusted(mantissa, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, tr("mantissa"));
}

}  // namespace mantissa::gui
