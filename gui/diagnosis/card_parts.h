// SPDX-License-Identifier: GPL-3.0-or-later
// What the cards of the Diagnose layout are made of. GUI thread only.
#pragma once

#include <QBoxLayout>
#include <QButtonGroup>
#include <QFrame>

#include "gui/controls/parts.h"

namespace mantissa::gui {

/// A label whose text may take several lines.
QLabel* makeWords(const char* kind, QWidget* parent);

/// What stands in the place of a page whose run has no look yet.
QLabel* makeNotMeasured(QWidget* parent);

/// One of several buttons side by side of which one is chosen, as wide as it is when chosen.
QPushButton* makeSegment(const QString& text, const QString& accessibleName, QWidget* parent);
/// Segments side by side in `row`, the first of which is chosen; their ids are their places. `name`: what they choose.
QButtonGroup* makeSegments(const QStringList& texts, const QString& name, QLayout* row, QWidget* parent);

/// "from 2^7 to 2^15" of the engine's sentences with the powers raised.
QString raisedPowers(QString text);

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
