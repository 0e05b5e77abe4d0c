// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/bits/bits_window.h"

#include <QStackedWidget>

namespace mantissa::gui {

BitsWindow::BitsWindow(QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Number inspector"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = makeColumn(10, {20, 12, 20, 14}, this);
    m_tabs = new QTabBar(this);
    m_tabs->setAccessibleName(tr("A number, or a dot product"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    auto* pages = new QStackedWidget(this);
    m_inspector = new InspectorPage(pages);
    m_bench = new DotPage(pages);
    m_tabs->addTab(tr("One number"));
    m_tabs->addTab(tr("A dot product"));
    pages->addWidget(m_inspector);
    pages->addWidget(m_bench);
    column->addWidget(m_tabs);
    column->addWidget(pages, 1);
    connect(m_tabs, &QTabBar::currentChanged, pages, &QStackedWidget::setCurrentIndex);
    // Enter in the field must not press the first button.
    for (QPushButton* button : findChildren<QPushButton*>()) button->setAutoDefault(false);
    resize(1220, 640);
}

BitsWindow* BitsWindow::of(QWidget* window) {
    auto* bits = window->findChild<BitsWindow*>(QString(), Qt::FindDirectChildrenOnly);
    if (!bits) bits = new BitsWindow(window);
    bits->show();
    bits->raise();
    bits->activateWindow();
    return bits;
}

}  // namespace mantissa::gui
