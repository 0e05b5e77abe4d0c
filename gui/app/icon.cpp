// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/icon.h"

#include <QFile>
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include "gui/app/theme.h"

// The resources are in a static library: they are not linked unless they are named. The macro must be outside namespaces.
static void loadIcons() {
    Q_INIT_RESOURCE(icons);
}

namespace mantissa::gui {
namespace {

QColor colorOf(IconInk ink, QIcon::Mode mode) {
    const Theme& theme = Theme::current();
    if (mode == QIcon::Disabled) return theme.ink3;
    switch (ink) {
        case IconInk::Ink2:
            return theme.ink2;
        case IconInk::OnAccent:
            return theme.onAccent;
        case IconInk::AccentText:
            return theme.accentText;
        case IconInk::Frozen:
            return theme.frozenInk;
        case IconInk::Danger:
            return theme.danger;
        case IconInk::Ink:
            break;
    }
    return theme.ink;
}

QByteArray sourceOf(const QString& name) {
    static QHash<QString, QByteArray> sources;
    auto it = sources.find(name);
    if (it == sources.end()) {
        loadIcons();
        QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
        it = sources.insert(name, file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray());
        Q_ASSERT(!it->isEmpty());
    }
    return *it;
}

/// Cached: buttons over the plots are repainted with each frame.
QPixmap render(const QString& name, QSize pixels, const QColor& color) {
    const QString key = QStringLiteral("icon/%1/%2x%3/%4").arg(name).arg(pixels.width()).arg(pixels.height()).arg(color.name());
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) return pixmap;
    pixmap = QPixmap(pixels);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    QSvgRenderer(sourceOf(name).replace("currentColor", color.name().toLatin1())).render(&painter, QRectF(QPointF(), pixels));
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

/// Paints a square icon at the left of its rectangle.
class ThemedIconEngine : public QIconEngine {
public:
    ThemedIconEngine(QString name, IconInk ink) : m_name(std::move(name)), m_ink(ink) {}
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        const qreal ratio = painter->device()->devicePixelRatioF();
        const int side = qMin(rect.width(), rect.height());
        painter->drawPixmap(QRect(rect.topLeft(), QSize(side, side)), render(m_name, QSize(side, side) * ratio, colorOf(m_ink, mode)));
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap result(size);
        result.fill(Qt::transparent);
        QPainter painter(&result);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return result;
    }
    QIconEngine* clone() const override { return new ThemedIconEngine(*this); }

private:
    QString m_name;
    IconInk m_ink;
};

}  // namespace

QIcon themedIcon(const QString& name, IconInk ink) {
    return QIcon(new ThemedIconEngine(name, ink));
}

QPixmap themedPixmap(const QString& name, int size, IconInk ink, qreal devicePixelRatio) {
    QPixmap pixmap = render(name, QSize(size, size) * devicePixelRatio, colorOf(ink, QIcon::Normal));
    pixmap.setDevicePixelRatio(devicePixelRatio);
    return pixmap;
}

QIcon windowIcon() {
    QIcon icon;
    for (const int size : {16, 24, 32, 48, 64, 128, 256}) icon.addPixmap(render(QStringLiteral("mantissa-lab"), {size, size}, Qt::black));
    return icon;
}

}  // namespace mantissa::gui
