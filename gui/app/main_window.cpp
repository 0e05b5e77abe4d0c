// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/main_window.h"

#include <QCloseEvent>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QScrollArea>
#include <QStackedWidget>
#include <QUndoStack>

#include "gui/app/diagnose_controller.h"
#include "gui/app/file_controller.h"
#include "gui/app/help_controller.h"
#include "gui/app/help_pages.h"
#include "gui/app/key_map.h"
#include "gui/app/layout_controller.h"
#include "gui/app/layout_undo.h"
#include "gui/app/lesson_controller.h"
#include "gui/app/present_controller.h"
#include "gui/app/recovery_controller.h"
#include "gui/app/timeline_controller.h"
#include "gui/app/training_controller.h"
#include "gui/app/undo_controller.h"
#include "gui/app/view_controller.h"
#include "gui/controls/experiment_words.h"
#include "gui/plots/canvas.h"

namespace mantissa::gui {
namespace {

constexpr QSize kFirstSize{1600, 960};
constexpr int kLeastVisible = 120;  // px; with less of the window on a screen it is moved back

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

}  // namespace

MainWindow::MainWindow(SessionModel* session, EngineClient* engine, ThemeSwitch* theme, StartOptions options)
    : WindowParts(this, session, engine, theme, std::move(options)) {
    setWindowTitle(tr("Mantissa"));
    setMinimumSize(kLeastSize);
    setAcceptDrops(true);
    buildMenuBar();
    buildParts();
    buildControllers();
    m_keyMap = new KeyMap(this, menuBar(), m_sessionMemory->notesFile());
    m_training->refresh();
    m_board->canvas()->setFocus(Qt::OtherFocusReason);  // otherwise the first button of the menu bar would have the focus ring
}

MainWindow::~MainWindow() = default;

void MainWindow::buildMenuBar() {
    m_actions->fillMenuBar(menuBar());
    menuBar()->setFixedHeight(32);
    menuBar()->setNativeMenuBar(false);
    QPushButton* keys = makeButton(tr("Keys"), QStringLiteral("info"), tr("List of keys"), nullptr);
    keys->setProperty("look", "fold");
    connect(keys, &QPushButton::clicked, m_actions->keys, &QAction::trigger);
    auto* corner = new QWidget(menuBar());
    auto* cornerRow = makeRow(10, {0, 3, 8, 0}, corner);  // aligned with the menus' text
    cornerRow->addWidget(new LayoutSwitch(m_actions->layouts->actions(), corner));
    QWidget* edge = makeRule(Qt::Vertical, corner);
    edge->setFixedHeight(16);
    addWidgets(cornerRow, {edge, keys});
    menuBar()->setCornerWidget(corner);
    connect(m_actions->keys, &QAction::triggered, this, [this] { showKeysPage(this, m_keyMap); });
    connect(m_actions->quit, &QAction::triggered, this, &QWidget::close);
}

void MainWindow::buildParts() {
    m_desk = new QStackedWidget(this);
    setCentralWidget(m_desk);
    auto* shell = new QWidget(m_desk);
    m_desk->addWidget(shell);
    auto* column = makeColumn(0, {}, shell);

    m_topBar = new TopBar(m_session, *m_actions, shell);
    column->addWidget(m_topBar);

    m_panels = new PanelHost(shell);
    m_runs = new RunsDock(m_session, m_engine, m_panels);
    m_captured = new CapturedModel(m_session, this);
    m_measurements = new Measurements(m_session, this);
    m_diagnoseDock = new DiagnoseDock(m_session, m_engine, m_captured, m_measurements, m_panels);
    buildCentre();
    m_body = makeRow(0);
    m_body->addWidget(m_panels, 1);
    m_player = new LessonPlayer(m_session, m_engine, this);
    m_lessonPanel = new LessonPanel(m_session, m_player, shell);
    m_lessonPanel->hide();
    m_body->addWidget(m_lessonPanel);
    column->addLayout(m_body, 1);
    buildPanels();
    m_present = new PresentPage(m_session, *m_actions, m_desk);
    m_desk->addWidget(m_present);
    m_timeline = new Timeline(m_session, m_engine, this);
    m_undo = new QUndoStack(this);
    m_layouts = new Layouts(m_panels, *m_actions, m_sessionMemory->notes(), this);
    new LayoutUndo(m_layouts, m_panels, *m_actions, m_undo);

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

void MainWindow::buildCentre() {
    m_centre = new QWidget(m_panels);
    paintAs(m_centre, "surface");
    auto* centre = makeColumn(0, {}, m_centre);
    m_messages = new MessageOverlay(m_centre);
    m_lostBanner = new Banner(m_messages);
    m_notice = new Banner(m_messages);
    m_recovered = new Banner(m_messages, Banner::Kind::Note);
    m_readOnly = new Banner(m_messages, Banner::Kind::Note);
    m_putAway = new Banner(m_messages, Banner::Kind::Note);
    for (Banner* banner : {m_lostBanner, m_notice, m_recovered, m_readOnly, m_putAway}) m_messages->layout()->addWidget(banner);
    m_lookFor = new LookForStrip(m_session, m_centre);
    centre->addWidget(m_lookFor);
    m_board = new PlotBoard(m_session, m_centre);
    centre->addWidget(m_board, 1);
    m_messages->cover(m_board);
    m_lessonMemory = new QWidget(m_centre);
    paintAs(m_lessonMemory, "surface");
    auto* lessonMemory = new QVBoxLayout(m_lessonMemory);
    lessonMemory->setContentsMargins(12, 10, 12, 10);
    centre->addWidget(m_lessonMemory);
    m_panels->setCentralWidget(m_centre);
}

void MainWindow::buildPanels() {
    m_panels->addPanel(QStringLiteral("runsPanel"), tr("Runs"), m_runs,
                       {Qt::LeftDockWidgetArea, RunsDock::kWidth, RunsDock::kSlimWidth, PanelPlace::InExplore | PanelPlace::InSlimExplore});
    m_panels->addPanel(QStringLiteral("capturedPanel"), tr("Captured steps"), m_diagnoseDock,
                       {Qt::LeftDockWidgetArea, DiagnoseDock::kWidth, DiagnoseDock::kWidth, PanelPlace::InDiagnose});
    const auto addRight = [this](const QString& id, const QString& title, QWidget*& slot) {
        slot = makeSlot(m_panels);
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
    m_text = new TextPanel(m_session, m_textSlot);
    m_verdictSlot->layout()->addWidget(m_verdict);
    m_textSlot->layout()->addWidget(m_text);
    m_textPanel->setHasContent(false);
}

void MainWindow::buildControllers() {
    const WindowParts& parts = *this;
    m_training = std::make_unique<TrainingController>(parts);
    m_recovery = std::make_unique<RecoveryController>(parts, m_training.get());
    connect(m_session, &SessionModel::experimentLoaded, this, &MainWindow::refreshTitle);
    m_view = std::make_unique<ViewController>(parts);
    m_files = std::make_unique<FileController>(parts, m_training.get());
    m_diagnosis = std::make_unique<DiagnoseController>(parts, m_training.get());
    m_changes = std::make_unique<UndoController>(parts, m_training.get());
    m_presentation = std::make_unique<PresentController>(parts);
    m_arrangement = std::make_unique<LayoutController>(parts, m_diagnosis.get(), m_presentation.get());
    m_lessons = std::make_unique<LessonController>(parts, m_training.get(), m_files.get(), m_arrangement.get(), m_presentation.get());
    m_steps = std::make_unique<TimelineController>(parts, m_training.get(), m_diagnosis.get());
    m_presentation->restoreTheme();
    restorePlace();
    m_view->keepAxes();
    m_layouts->show(m_layouts->memory().current());
    m_help = std::make_unique<HelpController>(parts, m_files.get(), m_diagnosis.get());
}

void MainWindow::begin() {
    m_board->setFocus();  // shortcuts reach the plots, not the first button
    m_engine->setRecordingsFolder(m_sessionMemory->recordingsFolder(), m_sessionMemory->wantsRecording());
    if (!m_options.lesson.isEmpty()) return openLesson(m_options.lesson);
    if (m_options.listensAt) {
        m_training->setWantsTraining(false);
        m_engine->watch(*m_options.listensAt);
        return m_files->showWatching();
    }
    if (m_options.experiment.isEmpty() && !m_sessionMemory->unfinished().isEmpty()) return m_files->recover();
    openExperiment(m_options.experiment.isEmpty() ? kDefaultExperiment : m_options.experiment);
}

void MainWindow::openExperiment(const QString& nameOrPath) {
    m_files->openExperiment(nameOrPath);
}

void MainWindow::openLesson(const QString& nameOrPath) {
    m_lessons->open(nameOrPath);
}

void MainWindow::openFile(const QString& path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (QFileInfo(path).fileName() == QStringLiteral("trainer_state.json")) return m_files->importRuns(path);
    if (suffix == QStringLiteral("json")) return openExperiment(path);
    if (suffix == QStringLiteral("mantissa")) return m_files->openRecording(path);
    if (suffix == QStringLiteral("md")) return openLesson(path);
    m_files->importRuns(path);
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

void MainWindow::refreshTitle() {
    const QString title = m_session->experiment().title.empty() ? QString() : shownWords(m_session->experiment()).title;
    setWindowTitle(title.isEmpty() ? tr("Mantissa") : tr("%1 - Mantissa").arg(title));
}

void MainWindow::layOut(bool compact) {
    m_isCompact = compact;
    m_topBar->setCompact(compact);
    m_runs->setSlim(compact);
    m_board->setCompact(compact && m_layouts->base() != WindowLayout::Present);
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

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    const bool compact = width() < kFullSize.width() || height() < kFullSize.height();
    if (compact != m_isCompact || !event->oldSize().isValid()) layOut(compact);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    m_layouts->keep();
    if (m_layouts->base() != WindowLayout::Present) m_layouts->memory().noteValue(QStringLiteral("place"), saveGeometry());
    m_engine->quit();
    m_sessionMemory->noteEnd();
    event->accept();
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    const int number = event->key() - Qt::Key_1;
    if (event->modifiers() == Qt::NoModifier && number >= 0 && number < 9) return m_training->selectAt(number);
    QMainWindow::keyPressEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) openFile(url.toLocalFile());
    event->acceptProposedAction();
}

}  // namespace mantissa::gui
