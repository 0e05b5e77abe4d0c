// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/copy_table.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>

namespace mantissa::gui {

CopyTable::CopyTable(const QString& accessibleName, int rowPixels, QWidget* parent) : QTableView(parent) {
    setAccessibleName(accessibleName);
    verticalHeader()->setMinimumSectionSize(rowPixels);
    makePlain(this, rowPixels);
    setFrameShape(QFrame::NoFrame);
    setWordWrap(false);
    setSelectionBehavior(SelectRows);
    setVerticalScrollMode(ScrollPerItem);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    horizontalHeader()->setSectionsClickable(false);
    horizontalHeader()->setHighlightSections(false);
}

QString CopyTable::selectedText() const {
    if (!model()) return {};
    const bool takesAll = !selectionModel() || !selectionModel()->hasSelection();
    QStringList lines, heads;
    for (int column = 0; column < model()->columnCount(); ++column)
        heads << model()->headerData(column, Qt::Horizontal).toString().replace(u'\n', u' ');
    lines << heads.join(u'\t');
    for (int row = 0; row < model()->rowCount(); ++row) {
        if (!takesAll && !selectionModel()->isRowSelected(row)) continue;
        QStringList cells;
        for (int column = 0; column < model()->columnCount(); ++column) cells << model()->index(row, column).data().toString();
        lines << cells.join(u'\t');
    }
    return lines.join(u'\n');
}

void CopyTable::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        QGuiApplication::clipboard()->setText(selectedText());
    else
        QTableView::keyPressEvent(event);
}

void makePlain(QTableView* table, int rowPixels) {
    table->setShowGrid(false);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setTabKeyNavigation(false);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(rowPixels);
}

void makeBare(QTableView* table, int rowPixels, int headPixels) {
    constexpr int kLeastSection = 20;
    table->setCornerButtonEnabled(false);
    table->setStyleSheet(QStringLiteral("QTableCornerButton::section { background: transparent; border: none; }"));
    table->setShowGrid(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table->setTabKeyNavigation(false);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    for (QHeaderView* header : {table->horizontalHeader(), table->verticalHeader()}) header->setMinimumSectionSize(kLeastSection);
    table->verticalHeader()->setDefaultSectionSize(rowPixels);
    table->horizontalHeader()->setFixedHeight(headPixels);
}

}  // namespace mantissa::gui
