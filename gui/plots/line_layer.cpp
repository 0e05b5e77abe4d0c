// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/line_layer.h"

#include "gui/plots/parallel.h"

namespace mantissa::gui {

std::vector<PixelLine> LineLayer::placedLines(double scale, QPointF corner) const {
    const QCPRange x = m_rect->axis(QCPAxis::atBottom)->range(), y = m_rect->axis(QCPAxis::atLeft)->range();
    const double xFactor = scale * m_rect->width() / x.size(), yFactor = scale * m_rect->height() / y.size();
    std::vector<PixelLine> placed(lines.size());
    inParallel(static_cast<int>(lines.size()), [&](int i) {
        const Line& line = lines[static_cast<std::size_t>(i)];
        auto& [points, style] = placed[static_cast<std::size_t>(i)];
        points.reserve(line.isStepped ? 2 * line.points.size() : line.points.size());
        for (const SeriesPoint& point : line.points) {
            const QPointF pixel(corner.x() + (point.x - x.lower) * xFactor, corner.y() + (y.upper - point.y) * yFactor);
            if (line.isStepped && !points.empty()) points.push_back({pixel.x(), points.back().y()});
            points.push_back(pixel);
        }
        style = line.style;
        style.width *= scale;
        style.dashOffset *= scale;
        for (qreal& length : style.dash) length *= scale;
    });
    return placed;
}

void LineLayer::draw(QCPPainter* painter) {
    if (lines.empty()) return;
    if (painter->modes().testFlag(QCPPainter::pmVectorized)) return drawAsVectors(painter);
    // Device pixels of the screen, or of an exported picture with its own scale.
    const QTransform toDevice = painter->deviceTransform();
    const QRectF exact = toDevice.mapRect(QRectF(m_rect->rect()));
    const QRect area = exact.toAlignedRect();
    const std::vector<PixelLine> placed = placedLines(toDevice.m11(), exact.topLeft() - area.topLeft());
    if (auto* const image = painter->device()->devType() == QInternal::Image ? static_cast<QImage*>(painter->device()) : nullptr;
        image && (image->format() == QImage::Format_RGB32 || image->format() == QImage::Format_ARGB32_Premultiplied) &&
        image->rect().contains(area)) {
        drawLines(*image, area, placed);
        return;
    }
    QImage own(area.size(), QImage::Format_ARGB32_Premultiplied);
    own.fill(Qt::transparent);
    drawLines(own, own.rect(), placed);
    painter->drawImage(toDevice.inverted().mapRect(QRectF(area)), own, QRectF(own.rect()));
}

void LineLayer::drawAsVectors(QCPPainter* painter) const {
    painter->save();
    painter->setAntialiasing(true);
    painter->translate(m_rect->topLeft());
    painter->setBrush(Qt::NoBrush);
    for (const PixelLine& line : placedLines(1, {0, 0})) {
        // Flat ends keep the dashes' lengths; round joins keep a spike from exceeding its value.
        painter->setPen(QPen(line.style.color, line.style.width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
        for (const QPolygonF& piece : linePieces(line.points, line.style, QRectF({0, 0}, QSizeF(m_rect->size())))) painter->drawPolyline(piece);
    }
    painter->restore();
}

}  // namespace mantissa::gui
