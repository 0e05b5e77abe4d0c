// SPDX-License-Identifier: GPL-3.0-or-later
// Accessibility: values as a table, announcements; and the choice of a language.
#include "gui/app/language.h"
#include "gui/app/main_window.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/health_line.h"
#include "gui/controls/spoken.h"

namespace mantissa::gui {

void MainWindow::connectAccess() {
    connect(m_actions->dataTable, &QAction::triggered, this, &MainWindow::showDataTable);
    fillLanguages();

    connect(m_board, &PlotBoard::steppedByKey, this, [this] { sayAloud(m_readout, m_readout->spokenText()); });
    // Announces a burst of skips or a non-finite run once, when it begins.
    connect(m_session, &SessionModel::recordsAppended, this, [this] {
        for (const auto& run : m_session->runs()) {
            if (run->isWithheld || m_session->isQuestionOpen()) continue;  // announced at the reveal
            const Health health = healthOf(*run);
            const Severity before = std::exchange(m_toldSeverity[run->id], health.severity);
            if (health.severity == Severity::Bad && before != Severity::Bad)
                m_status->say(tr("%1: %2", "run, what happened to it").arg(run->name(), engineText(health.title)));
        }
    });
    connect(m_session, &SessionModel::experimentLoaded, this, [this] { m_toldSeverity.clear(); });
}

void MainWindow::fillLanguages() {
    // The choice is stored for the next start, which needs a data folder.
    m_actions->language->setEnabled(!m_options.dataFolder.isEmpty());
    auto* group = new QActionGroup(this);
    const QString noted = notedLanguage(m_options.dataFolder);
    const auto add = [&](const QString& code, const QString& name) {
        QAction* action = m_actions->language->addAction(name);
        action->setCheckable(true);
        action->setChecked(code == noted);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, code, name] {
            noteLanguage(m_options.dataFolder, code);
            m_status->say(tr("Language: %1, from the next start on.").arg(name));
        });
    };
    add(kSystemLanguage, tr("As the system"));
    for (const Language& language : languages()) add(language.code, language.name);
}

void MainWindow::showDataTable() {
    if (!m_dataTable) m_dataTable = new DataTable(m_session, m_board, m_board->pointedPanel(), this);
    m_dataTable->show();
    m_dataTable->raise();
    m_dataTable->activateWindow();
}

}  // namespace mantissa::gui
