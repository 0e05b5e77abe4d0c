// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/marks.h"

#include <QPainterPath>

namespace mantissa::gui {
namespace {

constexpr double kUnderlayWidth = 3.2, kLineWidth = 1.8, kDotWidth = 2, kDotDistance = 4;
constexpr double kWhatIfWidth = 1.4;
constexpr int kRawAlpha = 24, kSelectedRawAlpha = 84;   // of 255

/// Strokes `path` twice: wider in the background colour, then in its own.
void strokeOutlined(QPainter& painter, const QPainterPath& path, const QColor& color, double width, const QColor& ground) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(ground, width + 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.drawPath(path);
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.drawPath(path);
}

void fillOutlined(QPainter& painter, const QPainterPath& path, const QColor& color, const QColor& ground) {
    painter.setBrush(color);
    painter.setPen(QPen(ground, 2));
    painter.drawPath(path);
    painter.setPen(Qt::NoPen);
    painter.drawPath(path);
}

/// Draws an open shape: filled with the background colour, with a coloured edge.
void edgeOutlined(QPainter& painter, const QPainterPath& path, const QColor& color, double width, const QColor& ground) {
    painter.setBrush(ground);
    painter.setPen(QPen(ground, width + 2));
    painter.drawPath(path);
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.drawPath(path);
}

}  // namespace

QFont pixelFont(const QFont& base, int pixels, bool isBold) {
    QFont font = base;
    font.setPixelSize(pixels);
    font.setWeight(isBold ? QFont::DemiBold : QFont::Normal);
    return font;
}

LineStyle runLine(const RunIdentity& identity) {
    const double width = identity.isWhatIf ? kWhatIfWidth : identity.dash.isEmpty() ? kUnderlayWidth : kLineWidth;
    return {identity.color, width, identity.dash, 0};
}

LineStyle rawLine(const RunIdentity& identity, bool isSelected) {
    QColor color = identity.color;
    color.setAlpha(isSelected ? kSelectedRawAlpha : kRawAlpha);
    return {color, 1, {}, 0};
}

double dashCover(const RunIdentity& identity) {
    double on = 0, all = 0;
    for (qsizetype i = 0; i < identity.dash.size(); ++i) {
        all += identity.dash[i];
        if (i % 2 == 0) on += identity.dash[i];
    }
    return all > 0 ? on / all : 1;
}

LineStyle dottedLine(const RunIdentity& identity, std::size_t index, std::size_t runCount) {
    // A square dot, then a gap for the dots of the other runs.
    const double period = kDotDistance * static_cast<double>(std::max<std::size_t>(runCount, 2));
    return {identity.color, kDotWidth, {kDotWidth, period - kDotWidth}, period - kDotDistance * static_cast<double>(index)};
}

void drawGlyph(QPainter& painter, Glyph glyph, QPointF center, double size, const QColor& color, const QColor& ground) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double r = size / 2;
    QPainterPath path;
    switch (glyph) {
        case Glyph::PositiveInf:
        case Glyph::NegativeInf: {
            const double up = glyph == Glyph::PositiveInf ? -1 : 1;
            path.moveTo(center + QPointF(0, up * 0.8 * r));
            path.lineTo(center + QPointF(0.9 * r, -up * 0.7 * r));
            path.lineTo(center + QPointF(-0.9 * r, -up * 0.7 * r));
            path.closeSubpath();
            fillOutlined(painter, path, color, ground);
            break;
        }
        case Glyph::NaN: {
            const double d = 0.75 * r;
            path.moveTo(center + QPointF(-d, -d));
            path.lineTo(center + QPointF(d, d));
            path.moveTo(center + QPointF(-d, d));
            path.lineTo(center + QPointF(d, -d));
            strokeOutlined(painter, path, color, 0.38 * r, ground);
            break;
        }
        case Glyph::Skipped:
            path.moveTo(center + QPointF(0, -r));
            path.lineTo(center + QPointF(r, 0));
            path.lineTo(center + QPointF(0, r));
            path.lineTo(center + QPointF(-r, 0));
            path.closeSubpath();
            edgeOutlined(painter, path, color, 0.32 * r, ground);
            break;
        case Glyph::Above:
        case Glyph::Below: {
            const double up = glyph == Glyph::Above ? -1 : 1;
            path.moveTo(center + QPointF(-0.8 * r, -up * 0.4 * r));
            path.lineTo(center + QPointF(0, up * 0.5 * r));
            path.lineTo(center + QPointF(0.8 * r, -up * 0.4 * r));
            strokeOutlined(painter, path, color, 0.34 * r, ground);
            break;
        }
    }
    painter.restore();
}

QString glyphName(Glyph glyph) {
    switch (glyph) {
        case Glyph::PositiveInf: return QStringLiteral("+Inf");
        case Glyph::NegativeInf: return QStringLiteral("\u2212Inf");
        case Glyph::NaN: return QStringLiteral("NaN");
        case Glyph::Skipped: return QObject::tr("skipped");
        case Glyph::Above: return QObject::tr("above the axis");
        case Glyph::Below: return QObject::tr("below the axis");
    }
    return {};
}

void drawNoteSign(QPainter& painter, QPointF center, const QColor& ink) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(ink, 1.2));
    painter.setBrush(Qt::NoBrush);
    const QRectF sheet(center.x() - 4, center.y() - 5, 8, 10);
    painter.drawRoundedRect(sheet, 1, 1);
    for (const double y : {-2.0, 0.0, 2.0}) painter.drawLine(QPointF(sheet.left() + 2, center.y() + y), QPointF(sheet.right() - 2, center.y() + y));
    painter.restore();
}

}  // namespace mantissa::gui
