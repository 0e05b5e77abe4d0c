// SPDX-License-Identifier: GPL-3.0-or-later
// What the cards of the Diagnose layout are made of. GUI thread only.
#pragma once

#include <QBoxLayout>
#include <QFrame>

#include "gui/controls/parts.h"

namespace mantissa::gui {

/// A label whose text may take several lines.
QLabel* makeWords(const char* kind, QWidget* parent);

/// What stands in the place of a page whose run has no look yet.
QLabel* makeNotMeasured(QWidget* parent);

/// Takes everything out of a layout, and away.
void emptyLayout(QLayout* layout);

/// A card of one column below a row with its title.
struct TitledCard {
    QFrame* frame = nullptr;
    QHBoxLayout* head = nullptr;  // behind the title
    QVBoxLayout* column = nullptr;
};
TitledCard makeTitledCard(const QString& title, QWidget* parent);

/// A card of two parts, of which this is the first: a row with a title, what is to be read first, and a sentence below it. The second part
/// and the way the two stand are the caller's.
struct SplitCard {
    QBoxLayout* split = nullptr;
    QHBoxLayout* head = nullptr;  // behind the title
    QVBoxLayout* words = nullptr;
    QLabel *title = nullptr, *headline = nullptr, *sentence = nullptr;
};
SplitCard makeSplitCard(QFrame* frame, const QString& title);

}  // namespace mantissa::gui
