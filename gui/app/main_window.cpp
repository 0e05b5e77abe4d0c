// SPDX-License-Identifier: GPL-3.0-or-later
// Parts and their room. What the parts do is in main_window_commands.cpp.
#include "gui/app/main_window.h"

#include <QCloseEvent>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QScrollArea>
#include <QVBoxLayout>

#include "gui/plots/canvas.h"
#include "gui/plots/panel.h"

namespace mantissa::gui {
namespace {

constexpr int kRightDockWidth = 304;

QWidget* makeRule(QWidget* parent) {
    auto* rule = new QWidget(parent);
    rule->setProperty("kind", "divider");
    rule->setAttribute(Qt::WA_StyledBackground);
    rule->setFixedHeight(1);
    return rule;
}

/// A place of the right dock, with the dock's padding.
QWidget* makeSlot(QWidget* parent) {
    auto* slot = new QWidget(parent);
    auto* column = new QVBoxLayout(slot);
    column->setContentsMargins(12, 10, 12, 10);
    column->setAlignment(Qt::AlignTop);
    return slot;
}

}  // namespace

MainWindow::MainWindow(Lab* lab, EngineClient* engine, ThemeSwitch* theme, StartOptions options)
    : m_lab(lab),
      m_engine(engine),
      m_theme(theme),
      m_options(std::move(options)),
      m_session(m_options.dataFolder),
      m_wantsTraining(!m_options.startsPaused) {
    setWindowTitle(tr("Mantissa"));
    setMinimumSize(1000, 600);
    setAcceptDrops(true);
    m_actions = std::make_unique<Actions>(this);
    m_actions->fillMenuBar(menuBar());
    menuBar()->setFixedHeight(32);
    menuBar()->setNativeMenuBar(false);
    QPushButton* keys = makeButton(tr("Keys"), QStringLiteral("info"), tr("List of keys"), nullptr);
    keys->setProperty("look", "fold");
    connect(keys, &QPushButton::clicked, m_actions->keys, &QAction::trigger);
    auto* corner = new QWidget(menuBar());
    auto* cornerRow = new QHBoxLayout(corner);
    cornerRow->setContentsMargins(0, 3, 8, 0);  // level with the menus' words
    cornerRow->setSpacing(10);
    cornerRow->addWidget(new LayoutSwitch(m_actions->layouts->actions(), corner));
    auto* edge = makeRule(corner);
    edge->setFixedSize(1, 16);
    cornerRow->addWidget(edge);
    cornerRow->addWidget(keys);
    menuBar()->setCornerWidget(corner);

    buildParts();
    connectFile();
    connectView();
    connectRun();
    connectEngine();
    connectTape();
    connectRecordings();
    connectDiagnose();
    connectLessons();
    refreshRunActions();
    m_board->canvas()->setFocus(Qt::OtherFocusReason);  // else the first button of the menu bar would wear the ring
}

MainWindow::~MainWindow() = default;

void MainWindow::buildParts() {
    auto* shell = new QWidget(this);
    setCentralWidget(shell);
    auto* column = new QVBoxLayout(shell);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);

    m_topBar = new TopBar(m_lab, *m_actions, shell);
    column->addWidget(m_topBar);

    auto* body = new QHBoxLayout;
    body->setSpacing(0);
    m_runs = new RunsDock(m_lab, m_engine, shell);
    body->addWidget(m_runs);
    m_diagnose = new DiagnosePage(m_lab, m_engine, shell);
    m_diagnoseDock = new DiagnoseDock(m_lab, m_engine, m_diagnose->captured(), m_diagnose->measurements(), shell);
    body->addWidget(m_diagnoseDock);
    auto* leftEdge = makeRule(shell);
    leftEdge->setFixedSize(1, QWIDGETSIZE_MAX);
    body->addWidget(leftEdge);

    m_centre = new QWidget(shell);
    m_centre->setProperty("kind", "surface");
    m_centre->setAttribute(Qt::WA_StyledBackground);
    auto* centre = new QVBoxLayout(m_centre);
    centre->setContentsMargins(0, 0, 0, 0);
    centre->setSpacing(0);
    auto* messages = new QVBoxLayout;
    messages->setContentsMargins(12, 0, 12, 0);
    m_lostBanner = new Banner(m_centre);
    m_notice = new Banner(m_centre);
    m_recovered = new Banner(m_centre, Banner::Kind::Note);
    m_readOnly = new Banner(m_centre, Banner::Kind::Note);
    m_putAway = new Banner(m_centre, Banner::Kind::Note);
    for (Banner* banner : {m_lostBanner, m_notice, m_recovered, m_readOnly, m_putAway}) messages->addWidget(banner);
    centre->addLayout(messages);
    m_board = new PlotBoard(m_lab, m_centre);
    centre->addWidget(m_board, 1);
    centre->addWidget(m_diagnose, 1);
    m_lessonMemory = makeSlot(m_centre);
    m_lessonMemory->setProperty("kind", "surface");
    m_lessonMemory->setAttribute(Qt::WA_StyledBackground);
    centre->addWidget(m_lessonMemory);
    body->addWidget(m_centre, 1);

    m_rightDock = buildRightDock();
    body->addWidget(m_rightDock);
    m_player = new LessonPlayer(m_lab, m_engine, this);
    m_lessonPanel = new LessonPanel(m_lab, m_player, shell);
    m_lessonPanel->hide();
    body->addWidget(m_lessonPanel);
    column->addLayout(body, 1);

    connect(m_board->canvas(), &Canvas::resized, this, &MainWindow::alignRightDock, Qt::QueuedConnection);
    m_events = new EventBar(m_lab, shell);
    m_status = new StatusLine(m_lab, shell);
    m_footer = new QGridLayout;
    m_footer->setSpacing(0);
    m_footer->setColumnStretch(0, 1);
    m_footer->addWidget(m_events, 0, 0);
    m_footer->addWidget(m_status, 1, 0);
    column->addLayout(m_footer);
}

QWidget* MainWindow::buildRightDock() {
    auto* dock = new QWidget(centralWidget());
    dock->setProperty("kind", "surface");
    dock->setAttribute(Qt::WA_StyledBackground);
    dock->setFixedWidth(kRightDockWidth);
    auto* row = new QHBoxLayout(dock);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    auto* edge = makeRule(dock);
    edge->setFixedSize(1, QWIDGETSIZE_MAX);
    row->addWidget(edge);
    auto* content = new QWidget(dock);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_rightScroll = new QScrollArea(dock);  // many runs and a text may need more height than there is
    m_rightScroll->setWidgetResizable(true);
    m_rightScroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_rightScroll->setFocusPolicy(Qt::NoFocus);
    m_rightScroll->setWidget(content);
    content->installEventFilter(this);  // its parts grow and shrink with the runs
    row->addWidget(m_rightScroll, 1);
    m_readoutSlot = makeSlot(dock);
    m_verdictSlot = makeSlot(dock);
    m_memorySlot = makeSlot(dock);
    column->addWidget(m_readoutSlot);
    column->addWidget(makeRule(dock));
    column->addWidget(m_verdictSlot);
    column->addWidget(makeRule(dock));
    column->addWidget(m_memorySlot);
    m_textSlot = makeSlot(dock);
    column->addWidget(m_textSlot);
    column->addStretch(1);

    m_readout = new ReadoutPanel(m_lab, m_readoutSlot);
    m_verdict = new VerdictPanel(m_lab, m_verdictSlot);
    m_memory = new MemoryPanel(m_lab, m_memorySlot);
    m_memoryFold = makeFlatButton(QStringLiteral("chevron-right"), tr("Show memory by purpose"), m_memorySlot);
    m_text = new TextPanel(m_lab, m_textSlot);
    m_verdictSlot->layout()->addWidget(m_verdict);
    m_textSlot->layout()->addWidget(m_text);
    connect(m_memoryFold, &QToolButton::clicked, this, [this] {
        m_isMemoryUnfolded = !m_isMemoryUnfolded;
        layOut(m_isCompact);
    });
    return dock;
}

void MainWindow::layOut(bool compact) {
    m_isCompact = compact;
    m_topBar->setCompact(compact);
    m_runs->setSlim(compact);
    m_board->setCompact(compact);
    m_readout->setCompact(compact);
    const bool isExplore = m_layout == WindowLayout::Explore;
    const bool showsMemoryBelow = m_lessonNeedsMemory && isExplore && !compact;
    m_runs->setVisible(isExplore);
    m_board->setVisible(isExplore);
    m_rightDock->setVisible(isExplore && !compact && m_lessonPanel->isHidden());
    m_diagnoseDock->setVisible(!isExplore);
    m_diagnose->setVisible(!isExplore);
    m_topBar->setShowsPlots(isExplore);
    setStyleProperty(m_centre, "kind", isExplore ? "surface" : "dock");
    m_status->setCompact(compact);
    // With little height the two lines at the foot share one.
    m_footer->addWidget(m_status, compact ? 0 : 1, compact ? 1 : 0, compact ? Qt::AlignBottom : Qt::Alignment());
    if (compact) {
        m_runs->slimPanels()->addWidget(m_readout, 0, 0, 1, 2);
        m_runs->slimPanels()->addWidget(m_memoryFold, 1, 0, Qt::AlignTop);
        m_runs->slimPanels()->addWidget(m_memory, 1, 1);
    } else {
        m_readoutSlot->layout()->addWidget(m_readout);
        (showsMemoryBelow ? m_lessonMemory : m_memorySlot)->layout()->addWidget(m_memory);
    }
    m_lessonMemory->setVisible(showsMemoryBelow);
    m_memoryFold->setVisible(compact);
    m_memoryFold->setIcon(themedIcon(m_isMemoryUnfolded ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"), IconInk::Ink2));
    m_memory->setFolded(compact && !m_isMemoryUnfolded);
    alignRightDock();
}

void MainWindow::alignRightDock() {
    // Verdict and memory start level with the plots of loss scale and skipped steps, so that one reads across.
    const auto& panels = m_board->panels();
    if (m_isCompact || m_layout != WindowLayout::Explore || panels.size() < 3) return;
    const auto heightOf = [](const QWidget* slot) { return slot->layout()->sizeHint().height(); };
    const int room = m_rightScroll->viewport()->height();
    const int others = heightOf(m_verdictSlot) + heightOf(m_memorySlot) + heightOf(m_textSlot) + 2;
    m_readout->setCompact(others + heightOf(m_readoutSlot) - m_readout->sizeHint().height() + m_readout->fullHeight() > room);
    const auto levelOf = [&](std::size_t panel) {
        return m_board->canvas()->mapTo(centralWidget(), panels[panel]->rect()->outerRect().topLeft()).y() - m_rightDock->y();
    };
    const int verdict = levelOf(1), memory = levelOf(2);
    if (verdict <= 0 || memory <= verdict) return;  // the plots have not been laid out yet
    const bool fits = memory + heightOf(m_memorySlot) + heightOf(m_textSlot) <= room && heightOf(m_readoutSlot) < verdict &&
                      heightOf(m_verdictSlot) < memory - verdict;
    m_readoutSlot->setMinimumHeight(fits ? verdict - 1 : 0);
    m_verdictSlot->setMinimumHeight(fits ? memory - verdict - 1 : 0);
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_rightScroll->widget() && event->type() == QEvent::LayoutRequest)
        QMetaObject::invokeMethod(this, &MainWindow::alignRightDock, Qt::QueuedConnection);
    return QMainWindow::eventFilter(watched, event);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    const bool compact = width() < kFullSize.width() || height() < kFullSize.height();
    if (compact != m_isCompact || !event->oldSize().isValid()) layOut(compact);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    m_engine->quit();
    m_session.noteEnd();
    event->accept();
}

}  // namespace mantissa::gui
