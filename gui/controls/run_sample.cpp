// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/run_sample.h"

#include <QPainter>
#include <QPainterPath>
#include <QtMath>

namespace mantissa::gui {

void drawRunMarker(QPainter& painter, QPointF center, qreal size, const RunIdentity& identity, const QColor& ground) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const qreal r = size / 2;
    QPen pen(identity.color, 1.6);
    switch (identity.marker) {
        case RunMarker::Disc:
            painter.setPen(Qt::NoPen);
            painter.setBrush(identity.color);
            painter.drawEllipse(center, r, r);
            break;
        case RunMarker::Square:
            painter.fillRect(QRectF(center.x() - r, center.y() - r, size, size), identity.color);
            break;
        case RunMarker::Plus:
            pen.setWidthF(2.2);
            pen.setCapStyle(Qt::FlatCap);
            painter.setPen(pen);
            painter.drawLine(QPointF(center.x() - r - 1, center.y()), QPointF(center.x() + r + 1, center.y()));
            painter.drawLine(QPointF(center.x(), center.y() - r - 1), QPointF(center.x(), center.y() + r + 1));
            break;
        case RunMarker::Ring:
            painter.setPen(pen);
            painter.setBrush(ground);
            painter.drawEllipse(center, r, r);
            break;
        case RunMarker::OpenSquare:
            pen.setJoinStyle(Qt::MiterJoin);
            painter.setPen(pen);
            painter.setBrush(ground);
            painter.drawRect(QRectF(center.x() - r, center.y() - r, size, size));
            break;
        case RunMarker::Star: {
            QPainterPath star;
            for (int i = 0; i < 10; ++i) {
                const qreal radius = (i % 2 == 0 ? 1.35 : 0.55) * r;
                const qreal angle = qDegreesToRadians(36.0 * i - 90.0);
                const QPointF point = center + QPointF(radius * qCos(angle), radius * qSin(angle));
                i == 0 ? star.moveTo(point) : star.lineTo(point);
            }
            star.closeSubpath();
            painter.fillPath(star, identity.color);
            break;
        }
    }
    painter.restore();
}

void drawRunSample(QPainter& painter, const QRectF& rect, const RunIdentity& identity, const QColor& ground) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen(identity.color, identity.isWhatIf ? 1.4 : 2);
    pen.setCapStyle(Qt::FlatCap);
    if (!identity.dash.isEmpty()) {
        // Half the pen's units, so that a dash pattern fits twice into a sample.
        QList<qreal> pattern;
        for (const qreal length : identity.dash) pattern << qMax(1.0, length / 2.4);
        pen.setDashPattern(pattern);
    }
    painter.setPen(pen);
    const qreal y = rect.center().y();
    painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
    drawRunMarker(painter, rect.center(), 7, identity, ground);
    painter.restore();
}

void RunSample::setIdentity(int identity) {
    m_identity = identity;
    update();
}

void RunSample::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    drawRunSample(painter, QRectF(rect()).adjusted(0.5, 0, -0.5, 0), Theme::current().run(m_identity), Theme::current().raised);
}

}  // namespace mantissa::gui
