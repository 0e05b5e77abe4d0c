// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/layout_controller.h"

#include <algorithm>
#include <utility>

#include "gui/app/diagnose_controller.h"
#include "gui/app/present_controller.h"
#include "gui/app/tour.h"
#include "gui/plots/canvas.h"
#include "gui/plots/panel.h"

namespace mantissa::gui {
namespace {

constexpr int kRightPercent = 21, kLeastRight = 303, kMostRight = 403;  // of the right panels; the largest fits the read-out of eight runs

int heightOf(const QWidget* slot) {
    return slot->layout()->sizeHint().height();
}

}  // namespace

LayoutController::LayoutController(const WindowParts& parts, DiagnoseController* diagnosis, PresentController* presentation)
    : WindowParts(parts), m_diagnosis(diagnosis), m_presentation(presentation) {
    for (QWidget* slot : {m_readoutSlot, m_verdictSlot, m_memorySlot, m_textSlot}) slot->installEventFilter(this);
    connect(m_board->canvas(), &Canvas::resized, this, &LayoutController::levelPanels, Qt::QueuedConnection);
    connect(m_memory, &MemoryPanel::headClicked, this, [this] {
        if (m_layouts->isSlim()) m_memoryFold->click();
    });
    connect(m_memoryFold, &QToolButton::clicked, this, [this] {
        m_isMemoryUnfolded = !m_isMemoryUnfolded;
        foldMemory();
    });
    connect(m_layouts, &Layouts::entered, this, &LayoutController::enter);
    connect(m_layouts, &Layouts::arranging, this, &LayoutController::placePanels);
    connect(m_layouts, &Layouts::arranged, this, &LayoutController::levelPanels, Qt::QueuedConnection);  // after the layout is done
    connect(m_layouts, &Layouts::said, m_status, &StatusLine::say);
    connect(m_layouts, &Layouts::wasReset, this, [this] { m_present->setPlots({}); });
    connectEach(m_session, this, &LayoutController::refreshText, &SessionModel::runChanged, &SessionModel::experimentLoaded);
    connect(m_layouts, &Layouts::arranging, this, &LayoutController::refreshText);
    connect(m_layouts, &Layouts::arranged, this, &LayoutController::showText);
    connect(m_textPanel->toggleViewAction(), &QAction::triggered, this,
            [this](bool isShown) { m_layouts->memory().noteValue(kClosedText, !isShown); });
}

/// The contents of a panel change their size with the runs.
bool LayoutController::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) QMetaObject::invokeMethod(this, &LayoutController::levelPanels, Qt::QueuedConnection);
    return QObject::eventFilter(watched, event);
}

/// The text panel has content while there is a language model.
void LayoutController::refreshText() {
    const auto& runs = m_session->runs();
    const bool hasText = m_lessonPanel->isHidden() && std::ranges::any_of(runs, [](const auto& run) { return run->sample.has_value(); });
    if (hasText == m_textPanel->hasContent()) return;
    m_textPanel->setHasContent(hasText);
    showText();
}

/// Shows the text panel, unless the user closed it.
void LayoutController::showText() {
    const bool isClosed = m_layouts->memory().value(kClosedText).toBool();
    if (m_textPanel->hasContent() && !isClosed && m_layout == WindowLayout::Explore && !m_layouts->isSlim()) m_textPanel->show();
}

void LayoutController::enter(WindowLayout layout) {
    const WindowLayout before = std::exchange(m_layout, layout);
    if (before == layout) return;
    m_window->setUpdatesEnabled(false);  // otherwise plots that an open question hides are painted between the two layouts
    if (before == WindowLayout::Present) m_presentation->leave();
    if (auto* tour = layout == WindowLayout::Explore ? nullptr : m_window->findChild<Tour*>(QString(), Qt::FindDirectChildrenOnly))
        tour->end();
    m_board->setCompact(m_layouts->isSlim() && layout != WindowLayout::Present);
    placePanels();
    if (layout == WindowLayout::Present) m_presentation->enter();
    if (layout == WindowLayout::Diagnose && m_board->cursors().heldStep() >= 0) m_diagnosis->page()->goTo(m_board->cursors().heldStep());
    m_window->setUpdatesEnabled(true);
    if (layout != WindowLayout::Diagnose)
        m_board->canvas()->setFocus(Qt::OtherFocusReason);
    else if (m_captured->rowCount() > 0 && m_diagnoseDock->captured()->isVisible())
        m_diagnoseDock->captured()->setFocus(Qt::OtherFocusReason);
    else
        m_diagnosis->page()->setFocus(Qt::OtherFocusReason);  // otherwise a button would have the focus ring
}

void LayoutController::placePanels() {
    const bool isDiagnose = m_layout == WindowLayout::Diagnose;
    m_board->setVisible(!isDiagnose);
    m_messages->cover(isDiagnose ? m_centre : static_cast<QWidget*>(m_board));
    if (m_diagnosis->hasPage() || isDiagnose) m_diagnosis->page()->setVisible(isDiagnose);
    m_topBar->setShowsPlots(!isDiagnose);
    setStyleProperty(m_centre, "kind", isDiagnose ? "dock" : "surface");
    // A lesson replaces the right panels; it may request the memory panel, which is then below the plots.
    const bool isLesson = !m_lessonPanel->isHidden() && m_layout == WindowLayout::Explore;
    m_isMemoryAsked = isLesson && m_lessonNeedsMemory;
    const bool isMemoryBelow = m_isMemoryAsked && !m_layouts->isSlim();
    m_lessonMemory->setVisible(isMemoryBelow);
    if (m_layouts->isSlim()) {
        m_runs->slimPanels()->addWidget(m_readout, 0, 0, 1, 2);
        m_runs->slimPanels()->addWidget(m_memoryFold, 1, 0, Qt::AlignTop);
        m_runs->slimPanels()->addWidget(m_memory, 1, 1);
    } else {
        m_readoutSlot->layout()->addWidget(m_readout);
        (isMemoryBelow ? m_lessonMemory : m_memorySlot)->layout()->addWidget(m_memory);
    }
    // In the slim form they are below the runs.
    for (PanelDock* panel : {m_readoutPanel, m_memoryPanel}) panel->setHasContent(!m_layouts->isSlim() && !isLesson);
    m_verdictPanel->setHasContent(!isLesson);
    m_memoryFold->setVisible(m_layouts->isSlim());
    foldMemory();
}

void LayoutController::placeForLesson(bool needsMemory) {
    m_lessonNeedsMemory = needsMemory;
    placePanels();
}

void LayoutController::foldMemory() {
    // In the slim form it stays open while a lesson needs it.
    const bool isUnfolded = m_isMemoryUnfolded || m_isMemoryAsked;
    m_memoryFold->setIcon(themedIcon(isUnfolded ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"), IconInk::Ink2));
    m_memory->setFolded(m_layouts->isSlim() && !isUnfolded);
    m_memoryFold->setEnabled(!m_isMemoryAsked);
}

void LayoutController::levelPanels() {
    // Verdict and memory are aligned with the plots of loss scale and skipped steps, as long as they have their default places and
    // their edges were not dragged.
    // A panel that a lesson shows below the plots has their width.
    const QRect plot = m_board->panels().shown().front()->rect()->rect().translated(m_board->canvas()->pos());
    m_lessonMemory->layout()->setContentsMargins(plot.left(), 10, std::max(0, m_board->width() - plot.right() - 1), 10);
    if (m_layouts->isSlim() || m_layout != WindowLayout::Explore || !m_layouts->isLevel()) return;
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
        const QCPAxisRect* rect = m_board->panels().of(metricName(metric))->rect();
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
