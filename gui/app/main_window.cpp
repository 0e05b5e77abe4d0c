// SPDX-License-Identifier: GPL-3.0-or-later
// Creates and arranges the window's parts. Their actions are in main_window_commands.cpp, files in main_window_files.cpp.
#include "gui/app/main_window.h"

#include <QCloseEvent>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QStackedWidget>
#include <QUndoStack>
#include <QVBoxLayout>

#include "gui/app/key_map.h"
#include "gui/plots/canvas.h"

namespace mantissa::gui {
MainWindow::MainWindow(SessionModel* session, EngineClient* engine, ThemeSwitch* theme, StartOptions options)
    : m_session(session),
      m_engine(engine),
      m_theme(theme),
      m_options(std::move(options)),
      m_sessionMemory(m_options.dataFolder),
      m_wantsTraining(!m_options.startsPaused) {
    setWindowTitle(tr("Mantissa"));
    setMinimumSize(kLeastSize);
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
    cornerRow->setContentsMargins(0, 3, 8, 0);  // aligned with the menus' text
    cornerRow->setSpacing(10);
    cornerRow->addWidget(new LayoutSwitch(m_actions->layouts->actions(), corner));
    QWidget* edge = makeRule(Qt::Vertical, corner);
    edge->setFixedHeight(16);
    cornerRow->addWidget(edge);
    cornerRow->addWidget(keys);
    menuBar()->setCornerWidget(corner);

    buildParts();
    connectFile();
    connectView();
    connectRun();
    connectEngine();
    connectTimeline();
    connectRecordings();
    connectDiagnose();
    connectLessons();
    connectUndo();
    connectCursors();
    connectNotes();
    connectPresent();
    connectLayouts();
    connectFirst();
    connectAccess();
    m_keyMap = new KeyMap(this, menuBar(), m_sessionMemory.notesFile());
    refreshRunActions();
    m_board->canvas()->setFocus(Qt::OtherFocusReason);  // otherwise the first button of the menu bar would have the focus ring
}

MainWindow::~MainWindow() {
    m_undo->disconnect(this);  // its destructor emits signals when it is cleared
}

void MainWindow::buildParts() {
    m_desk = new QStackedWidget(this);
    setCentralWidget(m_desk);
    auto* shell = new QWidget(m_desk);
    m_desk->addWidget(shell);
    auto* column = new QVBoxLayout(shell);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);

    m_topBar = new TopBar(m_session, *m_actions, shell);
    column->addWidget(m_topBar);

    m_panels = new PanelHost(shell);
    m_runs = new RunsDock(m_session, m_engine, m_panels);
    m_captured = new CapturedModel(m_session, this);
    m_measurements = new Measurements(m_session, this);
    m_diagnoseDock = new DiagnoseDock(m_session, m_engine, m_captured, m_measurements, m_panels);
    m_centre = new QWidget(m_panels);
    m_centre->setProperty("kind", "surface");
    m_centre->setAttribute(Qt::WA_StyledBackground);
    auto* centre = new QVBoxLayout(m_centre);
    centre->setContentsMargins(0, 0, 0, 0);
    centre->setSpacing(0);
    m_messages = new MessageOverlay(m_centre);
    m_lostBanner = new Banner(m_messages);
    m_notice = new Banner(m_messages);
    m_recovered = new Banner(m_messages, Banner::Kind::Note);
    m_readOnly = new Banner(m_messages, Banner::Kind::Note);
    m_putAway = new Banner(m_messages, Banner::Kind::Note);
    for (Banner* banner : {m_lostBanner, m_notice, m_recovered, m_readOnly, m_putAway}) m_messages->add(banner);
    m_lookFor = new LookForStrip(m_session, m_centre);
    centre->addWidget(m_lookFor);
    m_board = new PlotBoard(m_session, m_centre);
    centre->addWidget(m_board, 1);
    m_messages->cover(m_board);
    m_lessonMemory = new QWidget(m_centre);
    m_lessonMemory->setProperty("kind", "surface");
    m_lessonMemory->setAttribute(Qt::WA_StyledBackground);
    auto* lessonMemory = new QVBoxLayout(m_lessonMemory);
    lessonMemory->setContentsMargins(12, 10, 12, 10);
    centre->addWidget(m_lessonMemory);
    m_panels->setCentralWidget(m_centre);
    m_body = new QHBoxLayout;
    m_body->setSpacing(0);
    m_body->addWidget(m_panels, 1);
    m_player = new LessonPlayer(m_session, m_engine, this);
    m_lessonPanel = new LessonPanel(m_session, m_player, shell);
    m_lessonPanel->hide();
    m_body->addWidget(m_lessonPanel);
    column->addLayout(m_body, 1);
    buildPanels();
    m_present = new PresentPage(m_session, *m_actions, m_desk);
    m_desk->addWidget(m_present);

    m_events = new EventBar(m_session, shell);
    m_status = new StatusLine(m_session, shell);
    m_footer = new QGridLayout;
    m_footer->setSpacing(0);
    m_footer->setColumnStretch(0, 1);
    m_footer->addWidget(m_events, 0, 0);
    m_footer->addWidget(m_status, 1, 0);
    column->addLayout(m_footer);
    connect(m_events, &EventBar::expandedChanged, this, &MainWindow::placeStatus);
}

void MainWindow::layOut(bool compact) {
    m_isCompact = compact;
    m_topBar->setCompact(compact);
    m_runs->setSlim(compact);
    m_board->setCompact(compact && m_layout != WindowLayout::Present);
    m_readout->setCompact(compact);
    m_present->setSlim(compact);
    if (m_present->side()) m_lessonPanel->setPresenting(true, compact);
    m_status->setCompact(compact);
    placeStatus();
    m_layouts->setSlim(compact);
}

/// At a small height the two lines at the bottom share one row, unless the events are listed.
void MainWindow::placeStatus() {
    const bool isBeside = m_isCompact && !m_events->isExpanded();
    m_footer->addWidget(m_status, isBeside ? 0 : 1, isBeside ? 1 : 0);
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    // The contents of a panel change their size with the runs.
    const bool isSlot = watched == m_readoutSlot || watched == m_verdictSlot || watched == m_memorySlot || watched == m_textSlot;
    if (isSlot && event->type() == QEvent::LayoutRequest) QMetaObject::invokeMethod(this, &MainWindow::levelPanels, Qt::QueuedConnection);
    return QMainWindow::eventFilter(watched, event);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    const bool compact = width() < kFullSize.width() || height() < kFullSize.height();
    if (compact != m_isCompact || !event->oldSize().isValid()) layOut(compact);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    m_layouts->keep();
    if (m_layout != WindowLayout::Present) m_layouts->memory().noteValue(QStringLiteral("place"), saveGeometry());
    m_engine->quit();
    m_sessionMemory.noteEnd();
    event->accept();
}

}  // namespace mantissa::gui
