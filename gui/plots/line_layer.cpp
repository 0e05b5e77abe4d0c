// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/line_layer.h"

namespace mantissa::gui {

LineLayer::LineLayer(QCustomPlot* plot, QCPAxisRect* rect) : QCPLayerable(plot, QStringLiteral("main"), rect), m_rect(rect) {}

void LineLayer::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(false);
}

void LineLayer::placePoints(const Line& line, const QSizeF& size) {
    const QCPRange x = m_rect->axis(QCPAxis::atBottom)->range(), y = m_rect->axis(QCPAxis::atLeft)->range();
    const double xFactor = size.width() / x.size(), yFactor = size.height() / y.size();
    m_pixels.clear();
    for (const SeriesPoint& point : line.points) {
        const QPointF pixel((point.x - x.lower) * xFactor, (y.upper - point.y) * yFactor);
        if (line.isStepped && !m_pixels.empty()) m_pixels.push_back({pixel.x(), m_pixels.back().y()});
        m_pixels.push_back(pixel);
    }
}

void LineLayer::draw(QCPPainter* painter) {
    if (painter->modes().testFlag(QCPPainter::pmVectorized)) return drawAsVectors(painter);
    // Device pixels: of the screen, or of an exported picture with its own scale.
    const double scale = painter->deviceTransform().m11();
    const QSize size = (QSizeF(m_rect->size()) * scale).toSize();
    if (size.isEmpty() || lines.empty()) return;
    if (m_image.size() != size) m_image = QImage(size, QImage::Format_ARGB32_Premultiplied);
    m_image.fill(Qt::transparent);
    for (const Line& line : lines) {
        placePoints(line, size);
        LineStyle style = line.style;
        style.width *= scale;
        style.dashOffset *= scale;
        for (qreal& length : style.dash) length *= scale;
        drawLine(m_image, m_pixels, style);
    }
    painter->drawImage(QRectF(m_rect->rect()), m_image, QRectF(m_image.rect()));
}

void LineLayer::drawAsVectors(QCPPainter* painter) {
    painter->save();
    painter->setAntialiasing(true);
    painter->translate(m_rect->topLeft());
    painter->setBrush(Qt::NoBrush);
    for (const Line& line : lines) {
        placePoints(line, m_rect->size());
        // Flat ends keep the dashes' lengths; round joins keep a spike from growing beyond its value.
        painter->setPen(QPen(line.style.color, line.style.width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
        for (const QPolygonF& piece : linePieces(m_pixels, line.style, QRectF({0, 0}, QSizeF(m_rect->size())))) painter->drawPolyline(piece);
    }
    painter->restore();
}

}  // namespace mantissa::gui
