// SPDX-License-Identifier: GPL-3.0-or-later
// Enters and leaves the Present layout, with its theme and the switch between two runs.
#include <QMenuBar>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/app/main_window.h"

namespace mantissa::gui {
namespace {

const QString kTheme = QStringLiteral("theme"), kPresentTheme = QStringLiteral("presentTheme"), kContrast = QStringLiteral("contrast"),
              kPresentContrast = QStringLiteral("presentContrast"), kPresentPlots = QStringLiteral("presentPanels");

}  // namespace

void MainWindow::connectPresent() {
    const std::pair<QAction*, ThemeChoice> kThemes[] = {{m_actions->themeLight, ThemeChoice::Light},
                                                        {m_actions->themeDark, ThemeChoice::Dark},
                                                        {m_actions->themeSystem, ThemeChoice::System}};
    for (const auto& [action, choice] : kThemes)
        connect(action, &QAction::triggered, this, [this, choice = choice] {
            // Present and desk keep separate themes, because their lighting differs.
            m_layouts->memory().noteValue(m_layout == WindowLayout::Present ? kPresentTheme : kTheme, static_cast<int>(choice));
            m_options.hasTheme = false;
            m_theme->choose(choice);
            refreshThemes();
        });
    connect(m_actions->highContrast, &QAction::triggered, this, [this](bool isHigh) {
        m_layouts->memory().noteValue(m_layout == WindowLayout::Present ? kPresentContrast : kContrast, isHigh);
        m_theme->setContrast(isHigh ? Contrast::High : Contrast::Normal);
    });
    connect(m_actions->leavePresent, &QAction::triggered, this, [this] { m_layouts->goBack(); });
    // The shortcut also leaves Present. Layouts handles the press after this.
    connect(m_actions->layoutPresent, &QAction::triggered, this, [this] {
        if (m_layout == WindowLayout::Present) QMetaObject::invokeMethod(m_layouts, &Layouts::goBack, Qt::QueuedConnection);
    });
    connect(m_actions->otherRun, &QAction::triggered, this, &MainWindow::showOtherRun);
    connect(m_actions->allRuns, &QAction::triggered, this, &MainWindow::showAllRuns);
    connect(m_session, &SessionModel::experimentLoaded, this, [this] {
        m_pair.clear();
        m_shownBefore.clear();
    });
    connect(m_present, &PresentPage::plotsChosen, this, [this](const std::vector<std::string>& keys) {
        if (m_player->isPlaying()) return;  // the lesson chose the plots
        QStringList list;
        for (const std::string& key : keys) list << QString::fromStdString(key);
        m_layouts->memory().noteValue(kPresentPlots, list);
    });
}

void MainWindow::refreshThemes() {
    QAction* const kActions[] = {m_actions->themeLight, m_actions->themeDark, m_actions->themeSystem};
    kActions[static_cast<std::size_t>(m_theme->choice())]->setChecked(true);
    m_actions->highContrast->setChecked(m_theme->contrast() == Contrast::High);
}

/// Plots chosen for Present; empty: the experiment's suggestion.
std::vector<std::string> MainWindow::keptPresentPlots() const {
    return keptPlotKeys(m_layouts->memory().value(kPresentPlots));
}

void MainWindow::enterPresent() {
    m_layouts->memory().noteValue(QStringLiteral("place"), saveGeometry());
    m_deskTheme = m_theme->choice();
    m_deskContrast = m_theme->contrast();
    const LayoutMemory& memory = m_layouts->memory();
    if (!m_options.hasTheme) {
        // Default for Present: black on white.
        const QVariant isHigh = memory.value(kPresentContrast);
        m_theme->choose(static_cast<ThemeChoice>(std::clamp(memory.value(kPresentTheme).toInt(), 0, static_cast<int>(ThemeChoice::System))),
                        !isHigh.isValid() || isHigh.toBool() ? Contrast::High : Contrast::Normal);
    }
    refreshThemes();
    m_present->setPlots(keptPresentPlots());
    m_present->take(m_board);
    m_putAway->hide();  // no unrequested message covers the plots of Present
    placeLessonPanel();
    m_desk->setCurrentWidget(m_present);
    for (PanelDock* panel : m_panels->panels())
        if (panel->isFloating()) panel->hide();  // floating panels are not part of the page
    menuBar()->hide();
    m_actions->leavePresent->setEnabled(true);
    setWindowState(windowState() | Qt::WindowFullScreen);
}

void MainWindow::leavePresent() {
    m_actions->leavePresent->setEnabled(false);
    m_present->release();
    auto* centre = static_cast<QVBoxLayout*>(m_centre->layout());
    centre->insertWidget(1, m_board, 1);  // below the strip of hints
    placeLessonPanel();
    m_desk->setCurrentIndex(0);
    menuBar()->show();
    m_theme->choose(m_deskTheme, m_deskContrast);
    refreshThemes();
    setWindowState(windowState() & ~Qt::WindowFullScreen);
}

void MainWindow::showOtherRun() {
    std::vector<RunId> shown;
    for (const auto& run : m_session->runs())
        if (!run->isHidden) shown.push_back(run->id);
    const bool isBetween = m_pair.size() == 2 && shown.size() == 1 && (shown[0] == m_pair[0] || shown[0] == m_pair[1]) &&
                           m_session->run(m_pair[0]) && m_session->run(m_pair[1]);
    if (!isBetween) {
        if (shown.size() < 2) return m_status->say(tr("Before and after need two runs that are shown."));
        m_pair = {shown[0], shown[1]};
        m_shownBefore = shown;
    }
    // The first press shows the first run of the pair, each further press the other.
    const RunId next = isBetween && shown[0] == m_pair[0] ? m_pair[1] : m_pair[0];
    m_session->setHidden(next, false, false);
    for (const RunId run : shown)
        if (run != next) m_session->setHidden(run, true, false);
    m_session->select(next);
}

void MainWindow::showAllRuns() {
    for (const auto& run : m_session->runs()) {
        const bool wasShown =
            m_shownBefore.empty() || std::find(m_shownBefore.begin(), m_shownBefore.end(), run->id) != m_shownBefore.end();
        if (wasShown) m_session->setHidden(run->id, false, false);
    }
    m_pair.clear();
    m_shownBefore.clear();
}

}  // namespace mantissa::gui
