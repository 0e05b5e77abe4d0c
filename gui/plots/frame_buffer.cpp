// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/frame_buffer.h"

namespace mantissa::gui {

FrameBuffer::FrameBuffer(const QSize& size, double devicePixelRatio, const QBrush* ground)
    : QCPAbstractPaintBuffer(size, devicePixelRatio), m_ground(ground) {
    FrameBuffer::reallocateBuffer();
}

void FrameBuffer::reallocateBuffer() {
    setInvalidated();
    m_image = QImage((QSizeF(mSize) * mDevicePixelRatio).toSize(), m_ground ? QImage::Format_RGB32 : QImage::Format_ARGB32_Premultiplied);
    m_image.setDevicePixelRatio(mDevicePixelRatio);
}

QCPPainter* FrameBuffer::startPainting() {
    if (m_image.isNull()) return nullptr;
    auto* painter = new QCPPainter(&m_image);
    painter->setRenderHint(QPainter::Antialiasing);
    return painter;
}

void FrameBuffer::clear(const QColor& color) {
    m_image.fill(m_ground ? m_ground->color() : color);
}

void FrameBuffer::draw(QCPPainter* painter) const {
    // The same pixels with the screen's ratio: enlarged or not, they are laid one upon one.
    QImage view(m_image.constBits(), m_image.width(), m_image.height(), m_image.bytesPerLine(), m_image.format());
    view.setDevicePixelRatio(painter->device()->devicePixelRatio());
    painter->drawImage(QPointF(0, 0), view);
}

}  // namespace mantissa::gui
