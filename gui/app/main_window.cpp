// SPDX-License-Identifier: GPL-3.0-or-later
// Parts and their room. What the parts do is in main_window_commands.cpp.
#include "gui/app/main_window.h"

#include <QCloseEvent>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QVBoxLayout>

#include "gui/controls/number_text.h"

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

}  // namespace

MainWindow::MainWindow(Lab* lab, EngineClient* engine, ThemeSwitch* theme, StartOptions options)
    : m_lab(lab), m_engine(engine), m_theme(theme), m_options(std::move(options)), m_wantsTraining(!m_options.startsPaused) {
    setWindowTitle(tr("Mantissa"));
    setMinimumSize(1000, 600);
    m_actions = std::make_unique<Actions>(this);
    m_actions->fillMenuBar(menuBar());
    menuBar()->setFixedHeight(32);
    menuBar()->setNativeMenuBar(false);
    QPushButton* keys = makeButton(tr("Keys"), QStringLiteral("info"), tr("List of keys"), menuBar());
    keys->setProperty("look", "fold");
    connect(keys, &QPushButton::clicked, m_actions->keys, &QAction::trigger);
    menuBar()->setCornerWidget(keys);

    buildParts();
    connectFile();
    connectView();
    connectRun();
    connectEngine();
    refreshRunActions();
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
    messages->addWidget(m_lostBanner);
    messages->addWidget(m_notice);
    centre->addLayout(messages);
    m_board = new PlotBoard(m_lab, m_centre);
    centre->addWidget(m_board, 1);
    body->addWidget(m_centre, 1);

    m_rightDock = buildRightDock();
    body->addWidget(m_rightDock);
    column->addLayout(body, 1);

    m_memoryFold = buildMemoryFold();
    m_events = new EventBar(m_lab, shell);
    m_status = new StatusLine(m_lab, shell);
    column->addWidget(m_events);
    column->addWidget(m_status);
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
    m_rightColumn = new QVBoxLayout;
    m_rightColumn->setContentsMargins(0, 0, 0, 0);
    m_rightColumn->setSpacing(0);
    row->addLayout(m_rightColumn, 1);
    m_readout = new ReadoutPanel(m_lab, dock);
    m_verdict = new VerdictPanel(m_lab, dock);
    m_memory = new MemoryPanel(m_lab, dock);
    m_rightColumn->addWidget(m_readout);
    m_rightColumn->addWidget(makeRule(dock));
    m_rightColumn->addWidget(m_verdict);
    m_rightColumn->addWidget(makeRule(dock));
    m_rightColumn->addWidget(m_memory);
    m_rightColumn->addStretch(1);
    return dock;
}

QWidget* MainWindow::buildMemoryFold() {
    auto* fold = new QWidget(this);
    auto* row = new QHBoxLayout(fold);
    row->setContentsMargins(10, 0, 12, 4);
    m_memoryButton = makeButton(tr("Memory"), QStringLiteral("chevron-right"), tr("Memory by purpose"), fold);
    m_memoryButton->setProperty("look", "fold");
    m_memoryButton->setIconSize({12, 12});
    m_memorySummary = makeLabel({}, "secondary", fold);
    row->addWidget(m_memoryButton);
    row->addStretch(1);
    row->addWidget(m_memorySummary);
    connect(m_memoryButton, &QPushButton::clicked, this, [this] {
        m_isMemoryUnfolded = !m_isMemoryUnfolded;
        layOut(m_isCompact);
    });
    fold->hide();
    return fold;
}

void MainWindow::layOut(bool compact) {
    m_isCompact = compact;
    m_topBar->setCompact(compact);
    m_runs->setSlim(compact);
    m_board->setCompact(compact);
    m_rightDock->setVisible(!compact);
    if (compact) {
        // Before the stretch that ends the slim column.
        QVBoxLayout* panels = m_runs->slimPanels();
        for (QWidget* panel : {static_cast<QWidget*>(m_readout), m_memoryFold, static_cast<QWidget*>(m_memory)})
            panels->insertWidget(panels->count() - 1, panel);
    } else {
        m_rightColumn->insertWidget(0, m_readout);
        m_rightColumn->insertWidget(m_rightColumn->count() - 1, m_memory);
    }
    m_readout->show();
    m_memoryFold->setVisible(compact);
    m_memory->setVisible(!compact || m_isMemoryUnfolded);
    m_memoryButton->setIcon(
        themedIcon(m_isMemoryUnfolded ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"), IconInk::Ink2));
    refreshMemoryFold();
}

void MainWindow::refreshMemoryFold() {
    // "571, 571, 494, 494 kB": one unit for all, so that they compare.
    QStringList parts;
    for (const auto& run : m_lab->runs()) parts << groupedText((run->info.memory.total() + 500) / 1000);
    m_memorySummary->setText(parts.isEmpty() ? QString() : tr("%1 kB").arg(parts.join(QStringLiteral(", "))));
    m_memoryButton->setAccessibleName(tr("Memory by purpose: %1").arg(m_memorySummary->text()));
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    const bool compact = width() < kFullSize.width() || height() < kFullSize.height();
    if (compact != m_isCompact || !event->oldSize().isValid()) layOut(compact);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    m_engine->quit();
    event->accept();
}

}  // namespace mantissa::gui
