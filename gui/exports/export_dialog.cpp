// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/exports/export_dialog.h"

#include <QStackedWidget>
#include <QTabBar>

#include "gui/controls/parts.h"
#include "gui/exports/data_page.h"
#include "gui/exports/picture_page.h"
#include "gui/exports/program_page.h"

namespace mantissa::gui {

ExportDialog::ExportDialog(SessionModel* session, EngineClient* engine, const PlotBoard* board, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Export"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = makeColumn(14, {20, 14, 20, 16}, this);
    m_tabs = new QTabBar(this);
    m_tabs->setAccessibleName(tr("What to export"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_pages = new QStackedWidget(this);
    const std::pair<QString, QWidget*> pages[] = {{tr("Plots as a picture"), new PicturePage(session, board, m_pages)},
                                                  {tr("Data of the recording"), new DataPage(session, engine, m_pages)},
                                                  {tr("A run as a program"), new ProgramPage(session, engine, m_pages)}};
    for (const auto& [name, page] : pages) {
        m_tabs->addTab(name);
        m_pages->addWidget(page);
    }
    column->addWidget(m_tabs);
    column->addWidget(m_pages, 1);
    connect(m_tabs, &QTabBar::currentChanged, m_pages, &QStackedWidget::setCurrentIndex);
    resize(960, 620);
}

void ExportDialog::showPage(Page page) {
    m_tabs->setCurrentIndex(page);
}

}  // namespace mantissa::gui
