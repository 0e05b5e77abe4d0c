// SPDX-License-Identifier: GPL-3.0-or-later
// A paint buffer for a canvas's frame. QCustomPlot's own buffers are all transparent, so each paint blends one screen per buffer. Here the
// lowest buffer is opaque and copied, and empty buffers are omitted. Its pixels are accessible for direct drawing of lines. GUI thread
// only.
#pragma once

#include <qcustomplot.h>

namespace mantissa::gui {

class FrameBuffer : public QCPAbstractPaintBuffer {
public:
    /// `ground`: the background of the lowest buffer; null for those above it.
    FrameBuffer(const QSize& size, double devicePixelRatio, const QBrush* ground);

    QCPPainter* startPainting() override;
    /// Draws pixel by pixel, independent of the buffer's device pixel ratio.
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
