// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/tour.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenuBar>
#include <QPainter>
#include <QPainterPath>
#include <QScrollArea>
#include <QTimer>
#include <algorithm>

#include "gui/app/main_window.h"
#include "gui/controls/precision_control.h"
#include "gui/controls/scale_spin.h"
#include "gui/plots/canvas.h"
#include "gui/plots/panel.h"

namespace mantissa::gui {
namespace {

constexpr int kTip = 9;           // height of the bubble's tip; also the margin on all sides
constexpr int kBubbleRadius = 6;  // of its corners
constexpr int kTextWidth = 300;
constexpr int kAir = 4;         // distance to the window's edge
constexpr int kFollowMs = 100;  // cards grow and scroll while the bubble points at them

QRect inWindow(const QWidget* window, const QWidget* part) {
    if (!part || !part->isVisible()) return {};
    const QRect seen = part->visibleRegion().boundingRect();
    return seen.isEmpty() ? QRect() : QRect(part->mapTo(window, seen.topLeft()), seen.size());
}

/// The first enabled widget from the top.
template <class Part>
QWidget* firstShown(const QWidget* window) {
    Part* first = nullptr;
    const auto levelOf = [window](const QWidget* part) { return part->mapTo(window, QPoint()).y(); };
    for (Part* part : window->findChildren<Part*>())
        if (part->isVisible() && part->isEnabled() && (!first || levelOf(part) < levelOf(first))) first = part;
    return first;
}

QWidget* buttonNamed(const QWidget* window, const QString& name) {
    for (QPushButton* button : window->findChildren<QPushButton*>())
        if (button->accessibleName() == name) return button;
    return nullptr;
}

QRect panelPlace(const QWidget* window, const PlotBoard* board, Metric metric) {
    const Panel* panel = board->panels().of(metricName(metric));
    if (!board->isVisible() || !panel->rect()->visible()) return {};
    return panel->rect()->outerRect().translated(board->canvas()->mapTo(window, QPoint()));
}

QList<TourStop> makeStops(const QMainWindow* window, const Actions& actions, const PlotBoard* board) {
    const auto at = [window](QWidget* part) {
        // a card may be scrolled out of view
        for (QWidget* above = part ? part->parentWidget() : nullptr; above; above = above->parentWidget())
            if (auto* area = qobject_cast<QScrollArea*>(above); area && part->visibleRegion().isEmpty()) area->ensureWidgetVisible(part);
        return inWindow(window, part);
    };
    const QAction* diagnose = actions.layoutDiagnose;
    return {
        {Tour::tr("A format for each run"),
         Tour::tr("Click another one: the run goes on in it from its next step, and the other runs stay as they are."),
         [=] { return at(firstShown<PrecisionControl>(window)); }},
        {Tour::tr("The loss scale"),
         Tour::tr(
             "FP16 loses small gradients. Its scaler multiplies the loss by this power of two first; ×2 and ÷2 change it while it trains."),
         [=] {
             QWidget* spin = firstShown<ScaleSpin>(window);
             return spin ? at(spin) : panelPlace(window, board, Metric::LossScale);
         }},
        {Tour::tr("The plots"),
         Tour::tr("The wheel zooms, a drag pans, a double click shows everything. Point at a step to see its values in the read-out; a "
                  "click pins the step."),
         [=] { return panelPlace(window, board, Metric::Loss); }},
        {Tour::tr("When a step is skipped"),
         Tour::tr(
             "◇ in the plots is a step that overflowed. “Why?” on its run's card, or Diagnose, shows where it began and what would help."),
         [=] { return inWindow(window, buttonNamed(window->menuBar(), LayoutSwitch::tr("Layout: %1").arg(diagnose->text()))); }},
        {Tour::tr("Everything has a key"), Tour::tr("? lists them. The guide is in the menu Help, and so is this tour."),
         [=] { return inWindow(window, buttonNamed(window->menuBar(), MainWindow::tr("List of keys"))); }},
    };
}

}  // namespace

BubblePlace placeBubble(const QRect& target, QSize size, const QRect& room) {
    const auto between = [](int value, int low, int high) { return std::max(low, std::min(value, high)); };
    const int x = between(target.center().x() - size.width() / 2, room.left(), room.right() + 1 - size.width());
    const int y = between(target.center().y() - size.height() / 2, room.top(), room.bottom() + 1 - size.height());
    const std::pair<QPoint, Qt::Edge> places[] = {{{target.right() + 1, y}, Qt::LeftEdge},
                                                  {{x, target.bottom() + 1}, Qt::TopEdge},
                                                  {{x, target.top() - size.height()}, Qt::BottomEdge},
                                                  {{target.left() - size.width(), y}, Qt::RightEdge}};
    for (const auto& [corner, edge] : places) {
        const QRect bubble(corner, size);
        if (!room.contains(bubble) || bubble.intersects(target)) continue;
        const bool isBeside = edge == Qt::LeftEdge || edge == Qt::RightEdge;
        const int along = isBeside ? target.center().y() - bubble.top() : target.center().x() - bubble.left();
        const int end = 2 * kTip + kBubbleRadius;
        return {bubble, edge, between(along, end, (isBeside ? size.height() : size.width()) - end)};
    }
    // The target fills the window or is not visible: the bubble is at the bottom, without a tip.
    return {QRect({room.center().x() - size.width() / 2, room.bottom() - size.height()}, size), Qt::TopEdge, -1};
}

Tour* Tour::begin(QMainWindow* window, const Actions& actions, const PlotBoard* board) {
    delete window->findChild<Tour*>(QString(), Qt::FindDirectChildrenOnly);
    return new Tour(window, makeStops(window, actions, board));
}

Tour::Tour(QWidget* window, QList<TourStop> stops) : QFrame(window), m_stops(std::move(stops)) {
    setFrameShape(QFrame::NoFrame);
    auto* column = makeColumn(6, {kTip + 16, kTip + 12, kTip + 16, kTip + 12}, this);
    auto* head = new QHBoxLayout;
    m_title = makeLabel({}, "headline", this);
    m_count = makeLabel({}, "secondary", this);
    head->addWidget(m_title);
    head->addStretch(1);
    head->addWidget(m_count);
    column->addLayout(head);
    m_text = makeWrappedLabel({}, "body2", this);
    m_text->setFixedWidth(kTextWidth);
    column->addWidget(m_text);
    column->addSpacing(6);
    auto* foot = new QHBoxLayout;
    m_skip = makeButton(tr("Skip tour"), {}, tr("Skip tour"), this);
    m_skip->setProperty("look", "link");
    m_next = makeButton(tr("Next"), {}, tr("Next"), this);
    m_next->setProperty("look", "primary");
    foot->addWidget(m_skip);
    foot->addStretch(1);
    foot->addWidget(m_next);
    column->addLayout(foot);
    connect(m_skip, &QPushButton::clicked, this, &Tour::end);
    connect(m_next, &QPushButton::clicked, this, &Tour::next);
    qApp->installEventFilter(this);
    auto* timer = new QTimer(this);
    connect(timer, &QTimer::timeout, this, &Tour::follow);
    timer->start(kFollowMs);
    show(0);
}

void Tour::end() {
    if (isAncestorOf(QApplication::focusWidget()))
        if (auto* board = parentWidget()->findChild<PlotBoard*>()) board->canvas()->setFocus(Qt::OtherFocusReason);
    hide();
    deleteLater();
}

void Tour::show(int stop) {
    m_stop = stop;
    const bool isLast = stop + 1 == stopCount();
    m_title->setText(m_stops[stop].title);
    m_text->setText(m_stops[stop].text);
    m_text->setFixedHeight(m_text->heightForWidth(kTextWidth));
    m_count->setText(tr("%1 of %2").arg(stop + 1).arg(stopCount()));
    m_skip->setVisible(!isLast);
    m_next->setText(isLast ? tr("Done") : tr("Next"));
    m_next->setAccessibleName(m_next->text());
    m_next->setAccessibleDescription(tr("%1. %2").arg(m_title->text(), m_text->text()));
    setAccessibleName(tr("Tour, %1 of %2: %3").arg(stop + 1).arg(stopCount()).arg(m_title->text()));
    setAccessibleDescription(m_text->text());
    layout()->activate();  // the new text may have another height
    m_place = {};
    follow();
    QFrame::show();
    raise();
    m_next->setFocus(Qt::OtherFocusReason);
    sayAloud(this, accessibleName());
}

void Tour::follow() {
    const BubblePlace place = placeBubble(target(), sizeHint(), parentWidget()->rect().adjusted(kAir, kAir, -kAir, -kAir));
    if (place.bubble == m_place.bubble && place.tip == m_place.tip && place.edge == m_place.edge) return;
    m_place = place;
    setGeometry(place.bubble);
    update();
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && watched == parentWidget()) QMetaObject::invokeMethod(this, &Tour::follow, Qt::QueuedConnection);
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape && isVisible()) {
        // Escape works with any focus, except in a field whose own Escape reverts its text.
        const auto* widget = qobject_cast<QWidget*>(watched);
        const bool isField = qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget);
        if (widget && widget->window() == parentWidget() && !isField) {
            end();
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void Tour::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainterPath outline;
    outline.addRoundedRect(QRectF(rect()).adjusted(kTip, kTip, -kTip, -kTip), kBubbleRadius, kBubbleRadius);
    if (m_place.tip >= 0) {
        // drawn for the top edge, then rotated
        QPolygonF tip;
        const double at = m_place.tip, across = 2 * kTip;
        const bool isBeside = m_place.edge == Qt::LeftEdge || m_place.edge == Qt::RightEdge;
        const double far = isBeside ? width() : height();
        const bool isFar = m_place.edge == Qt::RightEdge || m_place.edge == Qt::BottomEdge;
        for (const QPointF& corner :
             {QPointF(at - kTip, across), QPointF(at - kTip, kTip), QPointF(at, 1), QPointF(at + kTip, kTip), QPointF(at + kTip, across)}) {
            const double depth = isFar ? far - corner.y() : corner.y();
            tip << (isBeside ? QPointF(depth, corner.x()) : QPointF(corner.x(), depth));
        }
        QPainterPath sharp;
        sharp.addPolygon(tip);
        sharp.closeSubpath();
        outline = outline.united(sharp);
    }
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.accent, 2));
    painter.setBrush(theme.raised);
    painter.drawPath(outline);
}

}  // namespace mantissa::gui
