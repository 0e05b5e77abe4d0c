// SPDX-License-Identifier: GPL-3.0-or-later
// What a canvas draws a frame into, and copies to the screen. QCustomPlot's own buffers are all transparent, so that each paint blends as
// many screens as there are buffers; here the lowest one brings its ground along and is only copied, and one that nothing was drawn on is
// left out. Pixels can be reached, so that lines are drawn where they will be seen. GUI thread only.
#pragma once

#include <qcustomplot.h>

namespace mantissa::gui {

class FrameBuffer : public QCPAbstractPaintBuffer {
public:
    /// `ground`: what the lowest buffer is filled with; null for those above it.
    FrameBuffer(const QSize& size, double devicePixelRatio, const QBrush* ground);

    QCPPainter* startPainting() override;
    /// Pixel upon pixel, whatever the buffer's own ratio is.
    void draw(QCPPainter* painter) const override;
    void clear(const QColor& color) override;

private:
    void reallocateBuffer() override;

    enum class Content { Nothing, Something, Unknown };
    bool isBlank() const;

    const QBrush* m_ground;
    QImage m_image;
    mutable Content m_content = Content::Unknown;
};

}  // namespace mantissa::gui
