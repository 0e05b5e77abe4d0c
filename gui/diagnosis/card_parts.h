// SPDX-License-Identifier: GPL-3.0-or-later
// Creates the parts of the cards in the Diagnose layout. GUI thread only.
#pragma once

#include <QButtonGroup>
#include <QFrame>
#include <QTableView>

#include "gui/controls/parts.h"

namespace mantissa::gui {

/// Creates the placeholder of a page whose run has no tensor statistics yet.
QLabel* makeNotMeasured(QWidget* parent);

/// Creates one of several exclusive buttons, as wide as it is when checked.
QPushButton* makeSegment(const QString& text, const QString& accessibleName, QWidget* parent);
/// Creates exclusive segments in `row`, the first of which is checked; their ids are their indices. `name`: the accessible name of the
/// group.
QButtonGroup* makeSegments(const QStringList& texts, const QString& name, QLayout* row, QWidget* parent);

/// Gives a table and its header the small sizes of type.
void setTableFonts(QTableView* table);
/// Fixes the widths of a table's columns, which the caller sets, except of one that takes the rest (-1: none), and the header's height. Set
/// the model before.
void fixColumns(QTableView* table, int headPixels, int stretched = -1);

/// Removes and deletes everything in a layout.
void emptyLayout(QLayout* layout);

/// Creates an empty card.
QFrame* makeCard(QWidget* parent, const QString& accessibleName = {});
/// A card with a title row and one column below it.
struct TitledCard {
    QFrame* frame = nullptr;
    QHBoxLayout* head = nullptr;  // after the title
    QVBoxLayout* column = nullptr;
};
TitledCard makeTitledCard(const QString& title, QWidget* parent);

/// A card of two parts. This is the first: a row with a title, a headline, and a sentence below it. The caller provides the second part and
/// arranges both.
struct SplitCard {
    QBoxLayout* split = nullptr;
    QHBoxLayout* head = nullptr;  // after the title
    QVBoxLayout* words = nullptr;
    QLabel *title = nullptr, *headline = nullptr, *sentence = nullptr;
};
SplitCard makeSplitCard(QFrame* frame, const QString& title);

}  // namespace mantissa::gui
