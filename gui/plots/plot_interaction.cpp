// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/plot_interaction.h"

#include <QApplication>
#include <cmath>
#include <utility>

namespace mantissa::gui {

PlotInteraction::PlotInteraction(QCustomPlot* plot) : QObject(plot), m_plot(plot) {
    plot->setMouseTracking(true);
    plot->installEventFilter(this);
    connect(plot, &QCustomPlot::mousePress, this, &PlotInteraction::press);
    connect(plot, &QCustomPlot::mouseMove, this, &PlotInteraction::move);
    connect(plot, &QCustomPlot::mouseRelease, this, &PlotInteraction::release);
    connect(plot, &QCustomPlot::mouseWheel, this, &PlotInteraction::wheel);
    connect(plot, &QCustomPlot::mouseDoubleClick, this, [this](QMouseEvent* event) {
        if (panelAt(event->position()) < 0) return;
        m_drag = Drag::None;  // the following release is not a click
        emit fitRequested();
    });
}

bool PlotInteraction::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Leave && m_drag == Drag::None) emit pointed(std::numeric_limits<double>::quiet_NaN(), {});
    return QObject::eventFilter(watched, event);
}

int PlotInteraction::panelAt(QPointF position) const {
    for (std::size_t i = 0; i < m_rects.size(); ++i)
        if (m_rects[i]->rect().contains(position.toPoint())) return static_cast<int>(i);
    return -1;
}

int PlotInteraction::borderAt(QPointF position) const {
    for (std::size_t i = 0; i + 1 < m_rects.size(); ++i) {
        const QRect rect = m_rects[i]->rect();
        if (std::abs(position.y() - rect.bottom()) <= kBorderReach && position.x() >= rect.left() && position.x() <= rect.right())
            return static_cast<int>(i);
    }
    return -1;
}

const QCPAxisRect* PlotInteraction::pointedRect() const {
    // The layout of an enlarged plot has fewer pixels than its widget.
    const double zoom = static_cast<double>(m_plot->width()) / std::max(1, m_plot->viewport().width());
    const int panel = panelAt(QPointF(m_plot->mapFromGlobal(QCursor::pos())) / zoom);
    return panel < 0 ? nullptr : m_rects[static_cast<std::size_t>(panel)];
}

double PlotInteraction::xAt(int panel, double pixel) const {
    return m_rects[static_cast<std::size_t>(panel)]->axis(QCPAxis::atBottom)->pixelToCoord(pixel);
}

QRectF PlotInteraction::bandTo(QPointF position) const {
    const QRectF panel = m_rects[static_cast<std::size_t>(m_panel)]->rect();
    const QPointF to(std::clamp(position.x(), panel.left(), panel.right()), std::clamp(position.y(), panel.top(), panel.bottom()));
    QRectF band = QRectF(m_from, to).normalized();
    if (band.height() < kBandY) {
        band.setTop(panel.top());
        band.setBottom(panel.bottom());
    }
    return band;
}

void PlotInteraction::press(QMouseEvent* event) {
    if (m_rects.empty() || (m_drag != Drag::None && m_drag != Drag::Armed)) return;
    if (event->button() == Qt::LeftButton && event->modifiers() == Qt::NoModifier) {
        m_cursor = m_cursorAt ? m_cursorAt(event->position()) : -1;
        m_border = m_cursor < 0 ? borderAt(event->position()) : -1;
        if (m_cursor >= 0 || m_border >= 0) {
            m_drag = m_cursor >= 0 ? Drag::Cursor : Drag::Border;
            return;
        }
    }
    m_panel = panelAt(event->position());
    if (m_panel < 0 || (event->button() != Qt::LeftButton && event->button() != Qt::RightButton)) return;
    m_drag = Drag::Armed;
    m_isBand = event->button() == Qt::RightButton || event->modifiers().testFlag(Qt::ControlModifier);
    m_from = event->position();
    const QCPRange x = m_rects[static_cast<std::size_t>(m_panel)]->axis(QCPAxis::atBottom)->range();
    m_xAtPress = {x.lower, x.upper};
}

void PlotInteraction::move(QMouseEvent* event) {
    if (m_rects.empty()) return;
    if (m_drag == Drag::None) {
        const Over over = m_cursorAt && m_cursorAt(event->position()) >= 0 ? Over::Cursor
                          : borderAt(event->position()) >= 0               ? Over::Border
                                                                           : Over::Nothing;
        if (std::exchange(m_over, over) != over)
            over == Over::Nothing ? m_plot->unsetCursor() : m_plot->setCursor(over == Over::Cursor ? Qt::SplitHCursor : Qt::SplitVCursor);
    }
    if (m_drag == Drag::Border) {
        const int before = m_rects[static_cast<std::size_t>(m_border)]->rect().bottom();
        emit borderDragged(m_border, event->position().y() - before);
        return;
    }
    if (m_drag == Drag::Armed && (event->position() - m_from).manhattanLength() >= QApplication::startDragDistance()) {
        m_drag = m_isBand ? Drag::Band : Drag::Pan;
        if (m_drag == Drag::Pan) emit gestureBegan();
    }
    if (m_drag == Drag::Pan) {
        const double shift = (m_from.x() - event->position().x()) * m_xAtPress.length() / std::max(1, m_rects.front()->width());
        emit xRequested(m_panel, {m_xAtPress.first + shift, m_xAtPress.last + shift});
    } else if (m_drag == Drag::Cursor) {
        emit cursorDragged(m_cursor, xAt(std::max(0, panelAt(event->position())), event->position().x()));
    } else if (m_drag == Drag::Band) {
        emit bandChanged(bandTo(event->position()));
    } else if (const int panel = panelAt(event->position()); panel >= 0) {
        emit pointed(xAt(panel, event->position().x()), event->position());
    }
}

void PlotInteraction::release(QMouseEvent* event) {
    const Drag drag = std::exchange(m_drag, Drag::None);
    if (drag == Drag::Armed && event->button() == Qt::LeftButton) emit clicked(xAt(m_panel, event->position().x()));
    if (drag == Drag::Armed && event->button() == Qt::RightButton)
        emit menuRequested(xAt(m_panel, event->position().x()), event->globalPosition().toPoint());
    if (drag != Drag::Band) return;
    const QRectF band = bandTo(event->position());
    emit bandChanged({});
    if (band.width() < kBandLeast) return;
    emit gestureBegan();
    const QCPAxisRect* panel = m_rects[static_cast<std::size_t>(m_panel)];
    const QCPAxis* y = panel->axis(QCPAxis::atLeft);
    const Span ySpan{y->pixelToCoord(band.bottom()), y->pixelToCoord(band.top())};
    const bool coversPanel = band.height() >= panel->height() - 1;
    emit xRequested(m_panel, {xAt(m_panel, band.left()), xAt(m_panel, band.right())});
    if (!coversPanel) emit yRequested(m_panel, ySpan);
}

void PlotInteraction::wheel(QWheelEvent* event) {
    const int panel = panelAt(event->position());
    if (panel < 0) return;
    // With Shift, platforms report the wheel's delta as horizontal.
    const int delta = event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    if (delta == 0) return;
    if (!m_sinceWheel.isValid() || m_sinceWheel.elapsed() > kSameGestureMs) emit gestureBegan();
    m_sinceWheel.start();
    const double factor = std::pow(kZoomPerNotch, delta / 120.0);
    const bool both = event->modifiers().testFlag(Qt::ControlModifier);
    const bool onlyY = event->modifiers().testFlag(Qt::ShiftModifier);
    const QCPAxisRect* rect = m_rects[static_cast<std::size_t>(panel)];
    const QCPRange x = rect->axis(QCPAxis::atBottom)->range();
    const QCPAxis* yAxis = rect->axis(QCPAxis::atLeft);
    const Span y{yAxis->range().lower, yAxis->range().upper};
    if (!onlyY) emit xRequested(panel, zoomed({x.lower, x.upper}, xAt(panel, event->position().x()), factor));
    if (onlyY || both) emit yRequested(panel, zoomed(y, yAxis->pixelToCoord(event->position().y()), factor));
}

}  // namespace mantissa::gui
