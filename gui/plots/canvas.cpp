// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/canvas.h"

#include <numeric>

#include "gui/plots/canvas_accessible.h"
#include "gui/plots/marks.h"

// Debian's package has no version file for CMake to check.
static_assert(QCUSTOMPLOT_VERSION >= 0x020100, "QCustomPlot 2.1 or newer is needed");

namespace mantissa::gui {

BoardLayout boardLayout(int total, bool isCompact, int panelCount) {
    // Shares of the axes' heights: loss, loss scale, skipped steps, gradient norm, throughput.
    static constexpr int kFull[] = {270, 120, 104, 96, 64};
    static constexpr int kCompact[] = {206, 80, 48, 64, 48};
    const int* shares = isCompact ? kCompact : kFull;
    BoardLayout layout = isCompact ? BoardLayout{58, 32, 50, {}} : BoardLayout{68, 40, 54, {}};
    const int room = std::max(total - layout.firstTop - (panelCount - 1) * layout.top - layout.bottom, 40 * panelCount);
    const int sum = std::accumulate(shares, shares + panelCount, 0);
    for (int i = 0; i < panelCount; ++i) layout.heights.push_back(room * shares[i] / sum);
    // What rounding leaves goes to the first panel, so that the last one ends where it should.
    layout.heights.front() += room - std::accumulate(layout.heights.begin(), layout.heights.end(), 0);
    return layout;
}

Canvas::Canvas(QWidget* parent) : QCustomPlot(parent) {
    installCanvasAccessibility();
    plotLayout()->clear();
    setInteractions({});
    setMultiSelectModifier(Qt::NoModifier);
    setFocusPolicy(Qt::StrongFocus);
    setBufferDevicePixelRatio(devicePixelRatioF());
    addLayer(QStringLiteral("events"), layer(QStringLiteral("main")), QCustomPlot::limAbove);
    addLayer(QStringLiteral("glyphs"), layer(QStringLiteral("axes")), QCustomPlot::limAbove);
}

void Canvas::resizeEvent(QResizeEvent*) {
    setViewport(rect());
    emit resized();
}

GlyphLegend::GlyphLegend(QCustomPlot* plot) : QCPLayerable(plot, QStringLiteral("glyphs")) {}

void GlyphLegend::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(true);
}

void GlyphLegend::draw(QCPPainter* painter) {
    if (!rect) return;
    const Theme& theme = Theme::current();
    const QFont font = pixelFont(mParentPlot->font(), kTickPixels);
    const QFontMetricsF metrics(font);
    const double middle = rect->bottom() + (isCompact ? 34 : 38);
    double left = rect->left() + 5;
    painter->setFont(font);
    painter->setPen(theme.ink2);
    for (const Glyph glyph : {Glyph::PositiveInf, Glyph::NegativeInf, Glyph::NaN, Glyph::Skipped}) {
        drawGlyph(*painter, glyph, {left, middle}, 10, theme.ink2, theme.surface);
        const QString name = glyphName(glyph);
        painter->setPen(theme.ink2);
        painter->drawText(QRectF(left + 12, middle - 10, 120, 20), Qt::AlignVCenter | Qt::AlignLeft, name);
        left += 12 + metrics.horizontalAdvance(name) + 24;
    }
    if (!isCompact && hasHint)
        painter->drawText(QRectF(left + 8, middle - 10, rect->right() - left - 60, 20), Qt::AlignVCenter | Qt::AlignLeft,
                          QObject::tr("pinned to the edge of the plot, in the colour of the run"));
    painter->drawText(QRectF(rect->right() - 60, middle - 10, 61, 20), Qt::AlignVCenter | Qt::AlignRight, QObject::tr("step"));
}

}  // namespace mantissa::gui
