// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/canvas.h"

#include <cmath>
#include <numeric>

#include "gui/plots/frame_buffer.h"

// Debian's package has no version file for CMake to check.
static_assert(QCUSTOMPLOT_VERSION >= 0x020100, "QCustomPlot 2.1 or newer is needed");

namespace mantissa::gui {

BoardLayout boardLayout(int total, bool isCompact, const std::vector<double>& shares) {
    const int panelCount = static_cast<int>(shares.size());
    BoardLayout layout = isCompact ? BoardLayout{58, 32, 50, {}} : BoardLayout{68, 40, 54, {}};
    const int room = std::max(total - layout.firstTop - (panelCount - 1) * layout.top - layout.bottom, 40 * panelCount);
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (const double share : shares) layout.heights.push_back(static_cast<int>(room * share / sum));
    // The first panel takes the rounding remainder, so that the last panel ends at the edge.
    layout.heights.front() += room - std::accumulate(layout.heights.begin(), layout.heights.end(), 0);
    return layout;
}

Canvas::Canvas(QWidget* parent) : QCustomPlot(parent) {
    installAccessibility();
    plotLayout()->clear();
    setInteractions({});
    setMultiSelectModifier(Qt::NoModifier);
    setFocusPolicy(Qt::StrongFocus);
    setBufferDevicePixelRatio(devicePixelRatioF());
    connect(this, &QCustomPlot::beforeReplot, this, &Canvas::useOwnBuffers);
    addLayer(QStringLiteral("events"), layer(QStringLiteral("main")), QCustomPlot::limAbove);
    addLayer(QStringLiteral("glyphs"), layer(QStringLiteral("axes")), QCustomPlot::limAbove);
    useOwnBuffers();
}

void Canvas::setZoom(double zoom) {
    if (zoom == m_zoom) return;
    m_zoom = zoom;
    setPlottingHint(QCP::phCacheLabels, zoom == 1);  // cached label pixmaps have the screen's resolution only
    fitViewport();
    emit resized();
}

void Canvas::fitViewport() {
    setBufferDevicePixelRatio(devicePixelRatioF() * m_zoom);
    setViewport(QRect(0, 0, static_cast<int>(std::ceil(width() / m_zoom)), static_cast<int>(std::ceil(height() / m_zoom))));
}

void Canvas::resizeEvent(QResizeEvent*) {
    fitViewport();
    emit resized();
}

void Canvas::useOwnBuffers() {
    for (qsizetype i = 0; i < mPaintBuffers.size(); ++i)
        if (!dynamic_cast<FrameBuffer*>(mPaintBuffers[i].data()))
            mPaintBuffers[i].reset(new FrameBuffer(viewport().size(), bufferDevicePixelRatio(), i == 0 ? &mBackgroundBrush : nullptr));
}

void Canvas::paintEvent(QPaintEvent*) {
    if (!qFuzzyCompare(bufferDevicePixelRatio(), devicePixelRatioF() * m_zoom)) {  // the window moved to another screen
        fitViewport();
        replot(QCustomPlot::rpQueuedReplot);
    }
    QCPPainter painter(this);
    // The lowest buffer paints the background; it is missing before the first frame and after a change of size.
    const auto isDrawn = [](const auto& buffer) { return !buffer->invalidated(); };
    if (mPaintBuffers.isEmpty() || !isDrawn(mPaintBuffers.front()) || mPaintBuffers.front()->size() != viewport().size())
        painter.fillRect(rect(), mBackgroundBrush);
    for (const auto& buffer : std::as_const(mPaintBuffers))
        if (isDrawn(buffer)) buffer->draw(&painter);
}

bool Canvas::event(QEvent* event) {
    const bool isOfButton = event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseButtonRelease ||
                            event->type() == QEvent::MouseButtonDblClick;
    if (!isOfButton && event->type() != QEvent::MouseMove) return QCustomPlot::event(event);
    const auto& mouse = *static_cast<const QMouseEvent*>(event);
    QMouseEvent scaled(mouse.type(), toPlot(mouse.position()), mouse.scenePosition(), mouse.globalPosition(), mouse.button(),
                       mouse.buttons(), mouse.modifiers(), mouse.pointingDevice());
    return QCustomPlot::event(&scaled);
}

void Canvas::wheelEvent(QWheelEvent* event) {
    QWheelEvent scaled(toPlot(event->position()), event->globalPosition(), event->pixelDelta(), event->angleDelta(), event->buttons(),
                       event->modifiers(), event->phase(), event->inverted(), event->source(), event->pointingDevice());
    QCustomPlot::wheelEvent(&scaled);
}

void GlyphLegend::draw(QCPPainter* painter) {
    if (!rect) return;
    const Theme& theme = Theme::current();
    painter->setFont(font(kTickPixels));
    const QFontMetricsF metrics(painter->font());
    const double middle = rect->bottom() + (isCompact ? 34 : 38);
    double left = rect->left() + 5;
    painter->setPen(theme.ink2);
    for (const Glyph glyph : {Glyph::PositiveInf, Glyph::NegativeInf, Glyph::NaN, Glyph::Skipped}) {
        drawGlyph(*painter, glyph, {left, middle}, 10, theme.ink2, theme.surface);
        const QString name = glyphName(glyph);
        painter->setPen(theme.ink2);
        painter->drawText(QRectF(left + 12, middle - 10, 120, 20), Qt::AlignVCenter | Qt::AlignLeft, name);
        left += 12 + metrics.horizontalAdvance(name) + 24;
    }
    const double room = rect->right() - left - std::max(rightRoom, metrics.horizontalAdvance(xName)) - 24;
    const QString hint = !absent.isEmpty()       ? absent
                         : !isCompact && hasHint ? QObject::tr("above each plot, in the colour of the run")
                                                 : QString();
    painter->drawText(QRectF(left + 8, middle - 10, room, 20), Qt::AlignVCenter | Qt::AlignLeft,
                      metrics.elidedText(hint, Qt::ElideRight, room));
    painter->drawText(QRectF(rect->right() - 200, middle - 10, 201, 20), Qt::AlignVCenter | Qt::AlignRight, xName);
}

}  // namespace mantissa::gui
