// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/card_parts.h"

#include <QHeaderView>

#include "gui/controls/number_text.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

/// The style sheet makes a checked segment bold without counting that in its width.
class Segment : public QPushButton {
public:
    using QPushButton::QPushButton;
    QSize sizeHint() const override {
        constexpr int kEdges = 18;  // border and padding of both sides
        return {QFontMetrics(pixelFont(font(), kTickPixels, true)).horizontalAdvance(text()) + kEdges, QPushButton::sizeHint().height()};
    }
    QSize minimumSizeHint() const override { return sizeHint(); }
};

}  // namespace

QLabel* makeNotMeasured(QWidget* parent) {
    QLabel* label = makeWrappedLabel(QObject::tr("No tensor of this run was measured yet. Choose “sampled” or “each step” under Measure "
                                                 "tensors, and train a few steps."),
                                     "secondary", parent);
    label->setAlignment(Qt::AlignCenter);
    return label;
}

QPushButton* makeSegment(const QString& text, const QString& accessibleName, QWidget* parent) {
    auto* button = new Segment(text, parent);
    button->setAccessibleName(accessibleName);
    button->setFocusPolicy(Qt::TabFocus);
    button->setProperty("look", "segment");
    button->setCheckable(true);
    return button;
}

QButtonGroup* makeSegments(const QStringList& texts, const QString& name, QLayout* row, QWidget* parent) {
    auto* group = new QButtonGroup(parent);
    for (int i = 0; i < texts.size(); ++i) {
        QPushButton* button = makeSegment(texts[i], QObject::tr("%1: %2").arg(name, texts[i]), parent);
        button->setChecked(i == 0);
        group->addButton(button, i);
        row->addWidget(button);
    }
    return group;
}

void setTableFonts(QTableView* table) {
    const QFont own = table->parentWidget()->font();
    table->setFont(pixelFont(own, kTickPixels));
    table->horizontalHeader()->setFont(pixelFont(own, kTagPixels));
}

void fixColumns(QTableView* table, int headPixels, int stretched) {
    QHeaderView* header = table->horizontalHeader();
    header->setFixedHeight(headPixels);
    header->setMinimumSectionSize(20);
    header->setSectionResizeMode(QHeaderView::Fixed);
    if (stretched >= 0) header->setSectionResizeMode(stretched, QHeaderView::Stretch);
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

QFrame* makeCard(QWidget* parent, const QString& accessibleName) {
    auto* card = new QFrame(parent);
    card->setProperty("kind", "card");
    card->setAccessibleName(accessibleName);
    return card;
}

TitledCard makeTitledCard(const QString& title, QWidget* parent) {
    TitledCard card{makeCard(parent, title), makeRow(8), nullptr};
    card.column = makeColumn(6, {12, 8, 12, 8}, card.frame);
    card.head->addWidget(makeLabel(title, "title", card.frame));
    card.column->addLayout(card.head);
    return card;
}

SplitCard makeSplitCard(QFrame* frame, const QString& title) {
    frame->setProperty("kind", "card");
    frame->setAccessibleName(title);
    SplitCard card{makeRow(16, {12, 10, 12, 12}, frame), makeRow(8), makeColumn(6)};
    card.title = makeLabel(title, "title", frame);
    card.head->addWidget(card.title);
    card.words->addLayout(card.head);
    card.headline = makeWrappedLabel({}, "lead", frame);
    card.words->addWidget(card.headline);
    card.sentence = makeWrappedLabel({}, "body2", frame);
    card.words->addWidget(card.sentence);
    return card;
}

}  // namespace mantissa::gui
