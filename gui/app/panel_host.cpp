// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/panel_host.h"

#include <QEvent>
#include <QMouseEvent>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "gui/controls/parts.h"

namespace mantissa::gui {
namespace {

constexpr int kHeaderPixels = 26;
constexpr int kArrangementVersion = 1;  // increased when a panel is added, renamed or removed

}  // namespace

PanelDock::PanelDock(const QString& id, const QString& title, QWidget* content, const PanelPlace& place, QWidget* parent)
    : QDockWidget(title, parent), m_place(place), m_header(new QWidget(this)), m_noHeader(new QWidget(this)) {
    setObjectName(id);
    setAccessibleName(title);
    setWidget(content);
    paintAs(m_header, "panelhead");
    m_header->setFixedHeight(kHeaderPixels);
    m_noHeader->setFixedHeight(0);
    auto* row = makeRow(2, {12, 0, 4, 0}, m_header);
    row->addWidget(makeLabel(title, "secondary", m_header), 1);
    m_float = makeFlatButton(QStringLiteral("float"), {}, m_header);
    QToolButton* close = makeFlatButton(QStringLiteral("close"), tr("Close panel: %1").arg(title), m_header);
    close->setToolTip(tr("Close; View > Panels brings it back"));
    addWidgets(row, {m_float, close});
    m_edge = new QWidget(this);
    paintAs(m_edge, "paneledge");
    m_edge->setAttribute(Qt::WA_TransparentForMouseEvents);
    connect(m_float, &QToolButton::clicked, this, [this] { setFloating(!isFloating()); });
    connect(close, &QToolButton::clicked, toggleViewAction(), &QAction::trigger);
    for (QToolButton* button : {m_float, close}) connect(button, &QToolButton::pressed, this, &PanelDock::headerPressed);
    connect(m_float, &QToolButton::clicked, this, &PanelDock::headerUsed);
    connect(this, &QDockWidget::topLevelChanged, this, &PanelDock::refreshHeader);
    refreshHeader();
}

void PanelDock::setLocked(bool locked) {
    m_isLocked = locked;
    refreshHeader();
}

void PanelDock::setHasContent(bool has) {
    m_hasContent = has;
    toggleViewAction()->setEnabled(has);
    if (!has) hide();
}

void PanelDock::refreshHeader() {
    const bool hasHeader = !m_isLocked || isFloating();
    QWidget* header = hasHeader ? m_header : m_noHeader;
    setFeatures(hasHeader ? DockWidgetClosable | DockWidgetMovable | DockWidgetFloatable : NoDockWidgetFeatures);
    m_header->setVisible(hasHeader);
    if (titleBarWidget() != header) setTitleBarWidget(header);
    m_edge->setVisible(isFloating());
    m_edge->raise();
    m_float->setAccessibleName(isFloating() ? tr("Put panel back: %1").arg(windowTitle()) : tr("Float panel: %1").arg(windowTitle()));
    m_float->setToolTip(isFloating() ? tr("Back into the window") : tr("A window of its own"));
}

void PanelDock::resizeEvent(QResizeEvent* event) {
    QDockWidget::resizeEvent(event);
    m_edge->setGeometry(rect());
}

PanelHost::PanelHost(QWidget* parent) : QMainWindow(parent) {
    setWindowFlags(Qt::Widget);  // embedded in the window
    setObjectName(QStringLiteral("panelHost"));
    setDockOptions(AllowTabbedDocks | AllowNestedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setContextMenuPolicy(Qt::NoContextMenu);  // View > Panels lists the panels
}

PanelDock* PanelHost::addPanel(const QString& id, const QString& title, QWidget* content, const PanelPlace& place) {
    auto* panel = new PanelDock(id, title, content, place, this);
    panel->hide();
    panel->installEventFilter(this);
    connect(panel, &PanelDock::headerPressed, this, &PanelHost::interactionBegan);
    connect(panel, &PanelDock::headerUsed, this, [this] { endLater(LayoutAction::Panel); });
    // Qt 6.11's action closes no panel without DockWidgetClosable, which locked panels lack.
    connect(panel->toggleViewAction(), &QAction::triggered, panel, &PanelDock::setVisible);
    connect(panel->toggleViewAction(), &QAction::triggered, this, [this] { endLater(LayoutAction::Panel); });
    m_panels.push_back(panel);
    return panel;
}

void PanelHost::setLocked(bool locked) {
    m_isLocked = locked;
    for (PanelDock* panel : m_panels) panel->setLocked(locked);
}

void PanelHost::arrange(WindowLayout layout, bool isSlim) {
    const unsigned wanted = layout == WindowLayout::Diagnose ? PanelPlace::InDiagnose
                            : isSlim                         ? PanelPlace::InSlimExplore
                                                             : PanelPlace::InExplore;
    for (PanelDock* panel : m_panels) {
        panel->setFloating(false);
        removeDockWidget(panel);
    }
    for (PanelDock* panel : m_panels) addDockWidget(panel->place().side, panel, Qt::Vertical);
    QList<QDockWidget*> shown;
    QList<int> widths;
    for (PanelDock* panel : m_panels) {
        const bool isShown = (panel->place().shownIn & wanted) != 0 && panel->hasContent();
        panel->setVisible(isShown);
        if (!isShown) continue;
        shown.append(panel);
        widths.append(isSlim ? panel->place().slimWidth : panel->place().width);
    }
    if (shown.isEmpty()) return;
    resizeDocks(shown, widths, Qt::Horizontal);
    // The panels of one side share its height: the height from a panel's last place does not apply.
    QList<int> heights;
    for (QDockWidget* panel : shown) {
        const auto isBeside = [&](QDockWidget* other) { return dockWidgetArea(other) == dockWidgetArea(panel); };
        heights.append(height() / static_cast<int>(std::ranges::count_if(shown, isBeside)));
    }
    resizeDocks(shown, heights, Qt::Vertical);
}

QByteArray PanelHost::arrangement() const {
    return saveState(kArrangementVersion);
}

bool PanelHost::restore(const QByteArray& arrangement, WindowLayout layout, bool isSlim) {
    arrange(layout, isSlim);  // panels missing in the record keep their default places
    if (arrangement.isEmpty()) return true;
    const bool isRead = restoreState(arrangement, kArrangementVersion);
    if (!isRead) arrange(layout, isSlim);
    for (PanelDock* panel : m_panels) {
        panel->setLocked(m_isLocked);
        if (!panel->hasContent()) panel->hide();
    }
    return isRead;
}

bool PanelHost::areStackedRight(const std::vector<PanelDock*>& panels) const {
    int bottom = -1;
    return std::ranges::all_of(panels, [&](PanelDock* panel) {
        const bool isNext = panel->isVisible() && !panel->isFloating() && dockWidgetArea(panel) == Qt::RightDockWidgetArea &&
                            tabifiedDockWidgets(panel).isEmpty() && panel->y() > bottom && panel->x() == panels.front()->x();
        bottom = panel->geometry().bottom();
        return isNext;
    });
}

bool PanelHost::event(QEvent* event) {
    const bool isPress = event->type() == QEvent::MouseButtonPress;
    if (isPress) emit interactionBegan();
    if (event->type() == QEvent::MouseMove && m_heldEdge && static_cast<QMouseEvent*>(event)->position() != *m_heldEdge) emit edgeMoved();
    const bool isTaken = QMainWindow::event(event);
    if (isPress && isTaken && event->isAccepted()) {
        m_heldEdge = static_cast<QMouseEvent*>(event)->position();
    } else if (isPress) {
        endLater(LayoutAction::Edge);  // the press was not on an edge
    }
    if (event->type() == QEvent::MouseButtonRelease && std::exchange(m_heldEdge, std::nullopt)) endLater(LayoutAction::Edge);
    return isTaken;
}

bool PanelHost::eventFilter(QObject* watched, QEvent* event) {
    // A dragged dock grabs the mouse until it is released.
    if (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseButtonDblClick) emit interactionBegan();
    if (event->type() == QEvent::MouseButtonRelease) endLater(LayoutAction::Panel);
    return QMainWindow::eventFilter(watched, event);
}

void PanelHost::endLater(LayoutAction action) {
    QMetaObject::invokeMethod(
        this, [this, action] { emit interactionEnded(action); }, Qt::QueuedConnection);
}

}  // namespace mantissa::gui
