// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/frame_buffer.h"

#include <cmath>
#include <cstring>

namespace mantissa::gui {

FrameBuffer::FrameBuffer(const QSize& size, double devicePixelRatio, const QBrush* ground)
    : QCPAbstractPaintBuffer(size, devicePixelRatio), m_ground(ground) {
    FrameBuffer::reallocateBuffer();
}

void FrameBuffer::reallocateBuffer() {
    setInvalidated();
    // Rounded up, so that the last pixels of a screen with a fractional ratio are covered.
    const QSizeF pixels = QSizeF(mSize) * mDevicePixelRatio;
    const QSize size(static_cast<int>(std::ceil(pixels.width())), static_cast<int>(std::ceil(pixels.height())));
    m_image = QImage(size, m_ground ? QImage::Format_RGB32 : QImage::Format_ARGB32_Premultiplied);
    m_image.setDevicePixelRatio(mDevicePixelRatio);
    m_content = Content::Unknown;
}

QCPPainter* FrameBuffer::startPainting() {
    if (m_image.isNull()) return nullptr;
    m_content = Content::Unknown;  // layers request a painter even if they draw nothing
    return new QCPPainter(&m_image);
}

void FrameBuffer::clear(const QColor& color) {
    if (!m_ground && m_content == Content::Nothing) return;
    m_image.fill(m_ground ? m_ground->color() : color);
}

bool FrameBuffer::isBlank() const {
    // Comparing pixels is several times as fast as blending them.
    if (m_content == Content::Unknown) {
        const uchar* const bytes = m_image.constBits();
        const auto size = static_cast<std::size_t>(m_image.sizeInBytes());
        const bool isNothing = !m_ground && size > 0 && bytes[0] == 0 && std::memcmp(bytes, bytes + 1, size - 1) == 0;
        m_content = isNothing ? Content::Nothing : Content::Something;
    }
    return m_content == Content::Nothing;
}

void FrameBuffer::draw(QCPPainter* painter) const {
    if (isBlank()) return;
    // The image gets the screen's ratio, so that each pixel is drawn onto one pixel.
    QImage view(m_image.constBits(), m_image.width(), m_image.height(), m_image.bytesPerLine(), m_image.format());
    view.setDevicePixelRatio(painter->device()->devicePixelRatio());
    painter->drawImage(QPointF(0, 0), view);
}

}  // namespace mantissa::gui
