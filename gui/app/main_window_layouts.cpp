// SPDX-License-Identifier: GPL-3.0-or-later
// The window's layouts: the panels, their places beside the plots, and the effects of a change of layout.
#include <QGuiApplication>
#include <QMenuBar>
#include <QScreen>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/app/layout_undo.h"
#include "gui/app/main_window.h"
#include "gui/app/tour.h"
#include "gui/plots/canvas.h"
#include "gui/plots/panel.h"

namespace mantissa::gui {
namespace {

constexpr QSize kFirstSize{1600, 960};
constexpr int kRightPercent = 21, kLeastRight = 303, kMostRight = 403;  // of the right panels; the largest fits the read-out of eight runs
constexpr int kLeastVisible = 120;                                      // px; with less of the window on a screen it is moved back

/// Creates a container for a right panel, with padding.
QWidget* makeSlot(QWidget* parent) {
    auto* slot = new QWidget(parent);
    auto* column = new QVBoxLayout(slot);
    column->setContentsMargins(12, 10, 12, 10);
    column->setAlignment(Qt::AlignTop);
    return slot;
}

QScrollArea* makePanelScroll(QWidget* content, QWidget* parent) {
    QScrollArea* scroll = makeScroll(content, parent);
    scroll->setProperty("kind", "surface");
    scroll->setMinimumSize(240, 60);
    return scroll;
}

int heightOf(const QWidget* slot) {
    return slot->layout()->sizeHint().height();
}

}  // namespace

void MainWindow::buildPanels() {
    m_panels->addPanel(QStringLiteral("runsPanel"), tr("Runs"), m_runs,
                       {Qt::LeftDockWidgetArea, RunsDock::kWidth, RunsDock::kSlimWidth, PanelPlace::InExplore | PanelPlace::InSlimExplore});
    m_panels->addPanel(QStringLiteral("capturedPanel"), tr("Captured steps"), m_diagnoseDock,
                       {Qt::LeftDockWidgetArea, DiagnoseDock::kWidth, DiagnoseDock::kWidth, PanelPlace::InDiagnose});
    const auto addRight = [this](const QString& id, const QString& title, QWidget*& slot) {
        slot = makeSlot(m_panels);
        slot->installEventFilter(this);
        return m_panels->addPanel(id, title, makePanelScroll(slot, m_panels), {});
    };
    m_readoutPanel = addRight(QStringLiteral("readoutPanel"), tr("Read-out"), m_readoutSlot);
    m_verdictPanel = addRight(QStringLiteral("verdictPanel"), tr("Scaler verdict"), m_verdictSlot);
    m_memoryPanel = addRight(QStringLiteral("memoryPanel"), tr("Memory"), m_memorySlot);
    m_textPanel = addRight(QStringLiteral("textPanel"), tr("Text"), m_textSlot);

    m_readout = new ReadoutPanel(m_session, m_readoutSlot);
    m_verdict = new VerdictPanel(m_session, m_verdictSlot);
    m_memory = new MemoryPanel(m_session, m_memorySlot);
    m_memoryFold = makeFlatButton(QStringLiteral("chevron-right"), tr("Show memory by purpose"), m_memorySlot);
    connect(m_memory, &MemoryPanel::headClicked, m_memoryFold, [this] {
        if (m_isCompact) m_memoryFold->click();
    });
    m_text = new TextPanel(m_session, m_textSlot);
    m_verdictSlot->layout()->addWidget(m_verdict);
    m_textSlot->layout()->addWidget(m_text);
    m_textPanel->setHasContent(false);
    connect(m_memoryFold, &QToolButton::clicked, this, [this] {
        m_isMemoryUnfolded = !m_isMemoryUnfolded;
        foldMemory();
    });
    connect(m_board->canvas(), &Canvas::resized, this, &MainWindow::levelPanels, Qt::QueuedConnection);
}

void MainWindow::connectLayouts() {
    m_layouts = new Layouts(m_panels, *m_actions, m_sessionMemory.notes(), this);
    new LayoutUndo(m_layouts, m_panels, *m_actions, m_undo);
    connect(m_layouts, &Layouts::entered, this, &MainWindow::enterLayout);
    connect(m_layouts, &Layouts::arranging, this, &MainWindow::placePanels);
    connect(m_layouts, &Layouts::arranged, this, &MainWindow::levelPanels, Qt::QueuedConnection);  // after the layout is done
    connect(m_layouts, &Layouts::said, m_status, &StatusLine::say);
    connect(m_layouts, &Layouts::wasReset, this, [this] { m_present->setPlots({}); });
    // The text panel is shown while there is a language model, unless the user closed it.
    const auto refreshText = [this] {
        const auto& runs = m_session->runs();
        const bool hasText =
            m_lessonPanel->isHidden() && std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run->sample.has_value(); });
        if (hasText == m_textPanel->hasContent()) return;
        m_textPanel->setHasContent(hasText);
        const bool isClosed = m_layouts->memory().value(kClosedText).toBool();
        if (hasText && !isClosed && m_layout == WindowLayout::Explore && !m_isCompact) m_textPanel->show();
    };
    connect(m_session, &SessionModel::runChanged, this, refreshText);
    connect(m_session, &SessionModel::experimentLoaded, this, refreshText);
    connect(m_layouts, &Layouts::arranging, this, refreshText);
    connect(m_layouts, &Layouts::arranged, this, [this] {
        const bool isClosed = m_layouts->memory().value(kClosedText).toBool();
        if (m_textPanel->hasContent() && !isClosed && m_layout == WindowLayout::Explore && !m_isCompact) m_textPanel->show();
    });
    connect(m_textPanel->toggleViewAction(), &QAction::triggered, this,
            [this](bool isShown) { m_layouts->memory().noteValue(kClosedText, !isShown); });

    const LayoutMemory& memory = m_layouts->memory();
    if (const QVariant theme = memory.value(QStringLiteral("theme")); theme.isValid() && !m_options.hasTheme)
        m_theme->choose(static_cast<ThemeChoice>(std::clamp(theme.toInt(), 0, static_cast<int>(ThemeChoice::System))));
    if (memory.value(QStringLiteral("contrast")).toBool()) m_theme->setContrast(Contrast::High);
    refreshThemes();
    restorePlace();
    keepAxes();
    m_layouts->show(memory.current());
}

void MainWindow::restorePlace() {
    resize(kFirstSize);
    const QByteArray place = m_layouts->memory().value(QStringLiteral("place")).toByteArray();
    if (place.isEmpty() || !restoreGeometry(place)) return;
    // A screen may have been removed, or have become smaller.
    const QRect frame = geometry();
    for (const QScreen* screen : QGuiApplication::screens()) {
        const QRect seen = screen->availableGeometry() & frame;
        if (seen.width() >= kLeastVisible && seen.height() >= kLeastVisible) return;
    }
    const QRect screen = QGuiApplication::primaryScreen()->availableGeometry();
    resize(size().boundedTo(screen.size()));
    move(screen.center() - rect().center());
}

void MainWindow::showLayout(WindowLayout layout) {
    if (m_layouts->base() != layout) m_layouts->show(LayoutMemory::idOf(layout));
}

void MainWindow::enterLayout(WindowLayout layout) {
    const WindowLayout before = std::exchange(m_layout, layout);
    if (before == layout) return;
    setUpdatesEnabled(false);  // otherwise plots that an open question hides are painted between the two layouts
    if (before == WindowLayout::Present) leavePresent();
    if (auto* tour = layout == WindowLayout::Explore ? nullptr : findChild<Tour*>(QString(), Qt::FindDirectChildrenOnly)) tour->end();
    m_board->setCompact(m_isCompact && layout != WindowLayout::Present);
    placePanels();
    if (layout == WindowLayout::Present) enterPresent();
    if (layout == WindowLayout::Diagnose && m_board->heldStep() >= 0) diagnosePage()->goTo(m_board->heldStep());
    setUpdatesEnabled(true);
    if (layout != WindowLayout::Diagnose)
        m_board->canvas()->setFocus(Qt::OtherFocusReason);
    else if (m_captured->rowCount() > 0 && m_diagnoseDock->captured()->isVisible())
        m_diagnoseDock->captured()->setFocus(Qt::OtherFocusReason);
    else
        diagnosePage()->setFocus(Qt::OtherFocusReason);  // otherwise a button would have the focus ring
}

void MainWindow::placePanels() {
    const bool isDiagnose = m_layout == WindowLayout::Diagnose;
    m_board->setVisible(!isDiagnose);
    m_messages->cover(isDiagnose ? m_centre : static_cast<QWidget*>(m_board));
    if (m_diagnose || isDiagnose) diagnosePage()->setVisible(isDiagnose);
    m_topBar->setShowsPlots(!isDiagnose);
    setStyleProperty(m_centre, "kind", isDiagnose ? "dock" : "surface");
    // A lesson replaces the right panels; it may request the memory panel, which is then below the plots.
    const bool isLesson = !m_lessonPanel->isHidden() && m_layout == WindowLayout::Explore;
    m_isMemoryAsked = isLesson && m_lessonNeedsMemory;
    const bool isMemoryBelow = m_isMemoryAsked && !m_isCompact;
    m_lessonMemory->setVisible(isMemoryBelow);
    if (m_isCompact) {
        m_runs->slimPanels()->addWidget(m_readout, 0, 0, 1, 2);
        m_runs->slimPanels()->addWidget(m_memoryFold, 1, 0, Qt::AlignTop);
        m_runs->slimPanels()->addWidget(m_memory, 1, 1);
    } else {
        m_readoutSlot->layout()->addWidget(m_readout);
        (isMemoryBelow ? m_lessonMemory : m_memorySlot)->layout()->addWidget(m_memory);
    }
    // In the slim form they are below the runs.
    for (PanelDock* panel : {m_readoutPanel, m_memoryPanel}) panel->setHasContent(!m_isCompact && !isLesson);
    m_verdictPanel->setHasContent(!isLesson);
    m_memoryFold->setVisible(m_isCompact);
    foldMemory();
}

void MainWindow::foldMemory() {
    // In the slim form it stays open while a lesson needs it.
    const bool isUnfolded = m_isMemoryUnfolded || m_isMemoryAsked;
    m_memoryFold->setIcon(themedIcon(isUnfolded ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"), IconInk::Ink2));
    m_memory->setFolded(m_isCompact && !isUnfolded);
    m_memoryFold->setEnabled(!m_isMemoryAsked);
}

void MainWindow::levelPanels() {
    // Verdict and memory are aligned with the plots of loss scale and skipped steps, as long as they have their default places and
    // their edges were not dragged.
    // A panel that a lesson shows below the plots has their width.
    const QRect plot = m_board->shownPanels().front()->rect()->rect().translated(m_board->canvas()->pos());
    m_lessonMemory->layout()->setContentsMargins(plot.left(), 10, std::max(0, m_board->width() - plot.right() - 1), 10);
    if (m_isCompact || m_layout != WindowLayout::Explore || !m_layouts || !m_layouts->isLevel()) return;
    std::vector<PanelDock*> column{m_readoutPanel, m_verdictPanel, m_memoryPanel};
    if (m_textPanel->isVisible()) column.push_back(m_textPanel);
    if (!m_panels->areStackedRight(column)) return;
    const int width = std::clamp(m_panels->width() * kRightPercent / 100, kLeastRight, kMostRight);
    if (column.front()->width() != width) m_panels->resizeDocks({column.front()}, {width}, Qt::Horizontal);
    const int edges = static_cast<int>(column.size()) - 1;  // of 1 px, between the panels
    const int room = column.back()->geometry().bottom() + 1 - column.front()->y() - edges;
    const int text = column.size() > 3 ? heightOf(m_textSlot) : 0;
    const int others = heightOf(m_verdictSlot) + heightOf(m_memorySlot) + text;
    m_readout->setCompact(others + heightOf(m_readoutSlot) - m_readout->sizeHint().height() + m_readout->fullHeight() > room);
    const auto levelOf = [&](Metric metric) {
        const QCPAxisRect* rect = m_board->panelOf(metricName(metric))->rect();
        return rect->visible() ? m_board->canvas()->mapTo(m_panels, rect->outerRect().topLeft()).y() - column.front()->y() : -1;
    };
    const int verdictTop = levelOf(Metric::LossScale), memoryTop = levelOf(Metric::SkippedTotal);
    const bool areThere = verdictTop >= 0 && memoryTop >= 0;
    if (areThere && verdictTop == 0 && memoryTop == 0) return;  // the plots have not been laid out yet
    const bool fits = areThere && verdictTop > 0 && memoryTop > verdictTop && memoryTop + heightOf(m_memorySlot) + text <= room &&
                      heightOf(m_readoutSlot) < verdictTop && heightOf(m_verdictSlot) < memoryTop - verdictTop;
    int readout = verdictTop - 1, verdict = memoryTop - verdictTop - 1;
    if (!fits) {
        readout = heightOf(m_readoutSlot);
        verdict = heightOf(m_verdictSlot);
    }
    const int least = 60;
    QList<int> heights{readout, verdict, std::max(least, room - readout - verdict - text)};
    if (column.size() > 3) heights.append(text);
    QList<QDockWidget*> docks(column.begin(), column.end());
    const bool isLevel = std::equal(docks.begin(), docks.end(), heights.begin(),
                                    [](const QDockWidget* dock, int height) { return dock->height() == height; });
    if (!isLevel) m_panels->resizeDocks(docks, heights, Qt::Vertical);
}

}  // namespace mantissa::gui
