// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/present_controller.h"

#include <QMenuBar>
#include <QStackedWidget>
#include <algorithm>

#include "gui/app/view_controller.h"

namespace mantissa::gui {
namespace {

const QString kTheme = QStringLiteral("theme"), kPresentTheme = QStringLiteral("presentTheme"), kContrast = QStringLiteral("contrast"),
              kPresentContrast = QStringLiteral("presentContrast"), kPresentPlots = QStringLiteral("presentPanels");

}  // namespace

PresentController::PresentController(const WindowParts& parts) : WindowParts(parts) {
    const std::pair<QAction*, ThemeChoice> kThemes[] = {{m_actions->themeLight, ThemeChoice::Light},
                                                        {m_actions->themeDark, ThemeChoice::Dark},
                                                        {m_actions->themeSystem, ThemeChoice::System}};
    for (const auto& [action, choice] : kThemes)
        connect(action, &QAction::triggered, this, [this, choice = choice] {
            // Present and desk keep separate themes, because their lighting differs.
            m_layouts->memory().noteValue(m_layouts->base() == WindowLayout::Present ? kPresentTheme : kTheme, static_cast<int>(choice));
            m_hasTheme = false;
            m_theme->choose(choice);
            refreshThemes();
        });
    connect(m_actions->highContrast, &QAction::triggered, this, [this](bool isHigh) {
        m_layouts->memory().noteValue(m_layouts->base() == WindowLayout::Present ? kPresentContrast : kContrast, isHigh);
        m_theme->setContrast(isHigh ? Contrast::High : Contrast::Normal);
    });
    connect(m_actions->leavePresent, &QAction::triggered, this, [this] { m_layouts->goBack(); });
    connect(m_actions->otherRun, &QAction::triggered, this, &PresentController::showOtherRun);
    connect(m_actions->allRuns, &QAction::triggered, this, &PresentController::showAllRuns);
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

void PresentController::restoreTheme() {
    const LayoutMemory& memory = m_layouts->memory();
    if (const QVariant theme = memory.value(kTheme); theme.isValid() && !m_hasTheme)
        m_theme->choose(static_cast<ThemeChoice>(std::clamp(theme.toInt(), 0, static_cast<int>(ThemeChoice::System))));
    if (memory.value(kContrast).toBool()) m_theme->setContrast(Contrast::High);
    refreshThemes();
}

void PresentController::refreshThemes() {
    QAction* const kActions[] = {m_actions->themeLight, m_actions->themeDark, m_actions->themeSystem};
    kActions[static_cast<std::size_t>(m_theme->choice())]->setChecked(true);
    m_actions->highContrast->setChecked(m_theme->contrast() == Contrast::High);
}

std::vector<std::string> PresentController::keptPlots() const {
    return keptPlotKeys(m_layouts->memory().value(kPresentPlots));
}

void PresentController::enter() {
    m_layouts->memory().noteValue(QStringLiteral("place"), m_window->saveGeometry());
    m_deskTheme = m_theme->choice();
    m_deskContrast = m_theme->contrast();
    const LayoutMemory& memory = m_layouts->memory();
    if (!m_hasTheme) {
        // Default for Present: black on white.
        const QVariant isHigh = memory.value(kPresentContrast);
        m_theme->choose(static_cast<ThemeChoice>(std::clamp(memory.value(kPresentTheme).toInt(), 0, static_cast<int>(ThemeChoice::System))),
                        !isHigh.isValid() || isHigh.toBool() ? Contrast::High : Contrast::Normal);
    }
    refreshThemes();
    m_present->setPlots(keptPlots());
    m_present->take(m_board);
    m_putAway->hide();  // no unrequested message covers the plots of Present
    emit boardMoved();
    m_desk->setCurrentWidget(m_present);
    for (PanelDock* panel : m_panels->panels())
        if (panel->isFloating()) panel->hide();  // floating panels are not part of the page
    m_window->menuBar()->hide();
    m_actions->leavePresent->setEnabled(true);
    m_window->setWindowState(m_window->windowState() | Qt::WindowFullScreen);
}

void PresentController::leave() {
    m_actions->leavePresent->setEnabled(false);
    m_present->release();
    auto* centre = static_cast<QVBoxLayout*>(m_centre->layout());
    centre->insertWidget(1, m_board, 1);  // below the strip of hints
    emit boardMoved();
    m_desk->setCurrentIndex(0);
    m_window->menuBar()->show();
    m_theme->choose(m_deskTheme, m_deskContrast);
    refreshThemes();
    m_window->setWindowState(m_window->windowState() & ~Qt::WindowFullScreen);
}

void PresentController::showOtherRun() {
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

void PresentController::showAllRuns() {
    for (const auto& run : m_session->runs()) {
        const bool wasShown = m_shownBefore.empty() || std::ranges::find(m_shownBefore, run->id) != m_shownBefore.end();
        if (wasShown) m_session->setHidden(run->id, false, false);
    }
    m_pair.clear();
    m_shownBefore.clear();
}

}  // namespace mantissa::gui
