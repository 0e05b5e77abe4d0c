// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/plot_pointer.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <utility>

#include "gui/controls/number_text.h"
#include "gui/controls/tip_width.h"
#include "gui/plots/canvas.h"
#include "gui/plots/event_lines.h"
#include "gui/plots/plot_interaction.h"

namespace mantissa::gui {
namespace {

constexpr int kAxisLabels = 24;  // px of the x axis below a panel

}  // namespace

PlotPointer::PlotPointer(Canvas* canvas, const PlotInteraction* interaction, const SessionModel* session, const PlotPanels& panels,
                         const FlagStrip& flags)
    : m_canvas(canvas), m_interaction(interaction), m_session(session), m_panels(panels), m_flags(flags) {
    canvas->installEventFilter(this);
}

int PlotPointer::panel() const {
    return m_panels.indexOf(m_interaction->pointedRect());
}

RunId PlotPointer::runAt(QPointF place) const {
    const auto [panel, part] = partAt(place);
    return part == PlotPart::Inside ? m_panels.at(panel).runAt(place) : -1;
}

std::pair<int, PlotPart> PlotPointer::partAt(QPointF place) const {
    for (const Panel* panel : m_panels.shown()) {
        const int index = m_panels.indexOf(panel->rect());
        if (panel->glyphs().markAt(place)) return {index, PlotPart::Mark};
        const QRectF inside(panel->rect()->rect());
        if (inside.contains(place)) return {index, PlotPart::Inside};
        if (panel->header().contains(place)) return {index, PlotPart::Header};
        const bool isLevel = place.y() >= inside.top() && place.y() <= inside.bottom();
        if (isLevel && place.x() < inside.left()) return {index, PlotPart::YAxis};
        if (panel->showsStepLabels() && QRectF(inside.left(), inside.bottom(), inside.width(), kAxisLabels).contains(place))
            return {index, PlotPart::XAxis};
    }
    return {-1, PlotPart::None};
}

void PlotPointer::pointAtHeader(int panel) {
    if (std::exchange(m_pointedHeader, panel) == panel) return;
    for (int i = 0; i < std::ssize(m_panels.all()); ++i) m_panels.at(i).title().isPointed = i == panel;
    m_canvas->setCursor(panel < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    emit headerPointed();
}

const GlyphMark* PlotPointer::markAt(QPointF place) const {
    for (const Panel* panel : m_panels.shown())
        if (const GlyphMark* mark = panel->glyphs().markAt(place)) return mark;
    return nullptr;
}

void PlotPointer::pointAtMark(bool isMark) {
    if (std::exchange(m_isMarkPointed, isMark) != isMark) m_canvas->setCursor(isMark ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

QString PlotPointer::markText(QPointF place) const {
    const GlyphMark* mark = markAt(place);
    if (!mark) return {};
    const RunState* marked = m_session->run(mark->run);
    if (!marked) return {};
    const QString run = marked->name(), glyph = glyphName(mark->glyph), first = groupedText(mark->firstStep);
    const QString what =
        mark->count == 1
            ? QObject::tr("step %1  %2: %3").arg(first, run, glyph)
            : tr("steps %1 to %2  %3: %4 \u00D7%5").arg(first, groupedText(mark->lastStep), run, glyph, groupedText(mark->count));
    return what + u'\n' + tr("Click to ask why, or to go back.");
}

bool PlotPointer::requestMenu(QPointF place, QPoint screen) {
    const auto [panel, part] = partAt(place);
    if (part == PlotPart::None || part == PlotPart::Inside) return false;
    const GlyphMark* mark = part == PlotPart::Mark ? markAt(place) : nullptr;
    mark ? emit markMenuRequested(mark->firstStep, mark->run, screen) : emit menuRequested(panel, part, screen);
    return true;
}

bool PlotPointer::eventFilter(QObject* watched, QEvent* event) {
    const bool isLeft = event->type() == QEvent::MouseButtonRelease && static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton;
    if (isLeft || event->type() == QEvent::MouseMove) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const QPointF at = m_canvas->toPlot(mouse->position());
        const auto [panel, part] = partAt(at);
        pointAtHeader(part == PlotPart::Header ? panel : -1);
        pointAtMark(part == PlotPart::Mark);
        if (isLeft && part == m_pressedPart && (part == PlotPart::Header || part == PlotPart::Mark))
            requestMenu(at, mouse->globalPosition().toPoint());
    }
    if (event->type() == QEvent::MouseButtonPress)
        m_pressedPart = partAt(m_canvas->toPlot(static_cast<QMouseEvent*>(event)->position())).second;
    if (event->type() == QEvent::Leave) {
        pointAtHeader(-1);
        pointAtMark(false);
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QPointF at = m_canvas->toPlot(help->pos());
        const QString flags = m_flags.textAt(at);
        showTip(help->globalPos(), flags.isEmpty() ? markText(at) : flags, m_canvas);
        return true;
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace mantissa::gui
