// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/card_parts.h"

namespace mantissa::gui {

QLabel* makeWords(const char* kind, QWidget* parent) {
    QLabel* label = makeLabel({}, kind, parent);
    label->setWordWrap(true);
    return label;
}

QLabel* makeNotMeasured(QWidget* parent) {
    QLabel* label = makeWords("secondary", parent);
    label->setText(QObject::tr("No tensor of this run was measured yet. Choose \u201Csampled\u201D or \u201Cfull\u201D under Measure "
                               "tensors, and train a few steps."));
    label->setAlignment(Qt::AlignCenter);
    return label;
}

void emptyLayout(QLayout* layout) {
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
}

TitledCard makeTitledCard(const QString& title, QWidget* parent) {
    TitledCard card{new QFrame(parent), new QHBoxLayout, nullptr};
    card.frame->setProperty("kind", "card");
    card.frame->setAccessibleName(title);
    card.column = new QVBoxLayout(card.frame);
    card.column->setContentsMargins(12, 8, 12, 8);
    card.column->setSpacing(6);
    card.head->setSpacing(8);
    card.head->addWidget(makeLabel(title, "title", card.frame));
    card.column->addLayout(card.head);
    return card;
}

SplitCard makeSplitCard(QFrame* frame, const QString& title) {
    frame->setProperty("kind", "card");
    frame->setAccessibleName(title);
    SplitCard card{new QBoxLayout(QBoxLayout::LeftToRight, frame), new QHBoxLayout, new QVBoxLayout};
    card.split->setContentsMargins(12, 10, 12, 12);
    card.split->setSpacing(16);
    card.words->setSpacing(6);
    card.head->setSpacing(8);
    card.title = makeLabel(title, "title", frame);
    card.head->addWidget(card.title);
    card.words->addLayout(card.head);
    card.headline = makeWords("lead", frame);
    card.words->addWidget(card.headline);
    card.sentence = makeWords("body2", frame);
    card.words->addWidget(card.sentence);
    return card;
}

}  // namespace mantissa::gui
