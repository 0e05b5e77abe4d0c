// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/bits/number_card.h"

#include <QEvent>
#include <QGridLayout>
#include <algorithm>
#include <cmath>

#include "gui/bits/bits_text.h"
#include "gui/controls/parts.h"
#include "gui/diagnosis/examination_text.h"

namespace mantissa::gui {
namespace {

constexpr double kLeastCardZoom = 0.8, kMostCardZoom = 1.7;
constexpr int kCardMargin = 20, kCardGap = 12;  // px

}  // namespace

NumberCard::NumberCard(QWidget* covered) : QWidget(covered->parentWidget()), m_covered(covered) {
    setAccessibleName(tr("A number in four formats"));
    setProperty("kind", "surface");
    setAttribute(Qt::WA_StyledBackground);
    auto* column = makeColumn(16, {kCardMargin, kCardMargin, kCardMargin, kCardMargin}, this);
    column->addStretch(1);
    m_title = makeLabel({}, "question", this);
    column->addWidget(m_title);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(kCardGap);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(2, 1);
    m_head = new BitHead(this);
    grid->addWidget(m_head, 0, 1);
    grid->addWidget(makeLabel(tr("becomes"), "large", this), 0, 2);
    for (std::size_t i = 0; i < kFormats.size(); ++i) addRow(grid, i);
    column->addLayout(grid);
    m_sentence = makeWrappedLabel({}, "large", this);
    m_sentence->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(m_sentence);
    m_line = new NumberLineView(this);
    column->addWidget(m_line);
    column->addStretch(2);
    connect(m_line, &NumberLineView::chosen, this, [this](float value) { give({value}); });
    covered->installEventFilter(this);
    hide();
}

void NumberCard::addRow(QGridLayout* grid, std::size_t index) {
    const Dtype format = kFormats[index];
    const int line = static_cast<int>(index) + 1;
    Row& row = m_rows[index];
    row.name = makeLabel(formatText(format), "lead", this);
    grid->addWidget(row.name, line, 0);
    row.strip = new BitStrip(format, this);
    grid->addWidget(row.strip, line, 1);
    row.becomes = makeLabel({}, "lead", this);
    grid->addWidget(row.becomes, line, 2);
    connect(row.strip, &BitStrip::flipped, this, [this, index](int bit) { give(withFlippedBit(m_rows[index].number, bit)); });
    connect(row.strip, &BitStrip::leftTo, this, [this, index](int direction, int column) {
        const auto next = index + static_cast<std::size_t>(direction);  // beyond the first it is a large number
        if (next >= m_rows.size()) return;
        m_rows[next].strip->enterColumn(column);
        m_rows[next].strip->setFocus(Qt::TabFocusReason);
    });
}

const NumberCard::Row& NumberCard::row(Dtype format) const {
    return m_rows.at(static_cast<std::size_t>(std::find(kFormats.begin(), kFormats.end(), format) - kFormats.begin()));
}

QString NumberCard::becomes(Dtype format) const {
    return row(format).becomes->text();
}

BitStrip* NumberCard::strip(Dtype format) const {
    return row(format).strip;
}

void NumberCard::inspect(const GivenNumber& number, Dtype format) {
    m_format = format;
    give(number);
    m_isUsed = true;
    fit();
}

void NumberCard::putAway() {
    m_isUsed = false;
    hide();
}

void NumberCard::give(const GivenNumber& number) {
    m_title->setText(valueText(static_cast<double>(number.value)));
    for (std::size_t i = 0; i < kFormats.size(); ++i) {
        Row& row = m_rows[i];
        row.number = numberBits(number, kFormats[i]);
        row.strip->show(row.number.bits);
        row.becomes->setText(valueText(static_cast<double>(row.number.rounded)));
        setStyleProperty(row.becomes, "state", std::isfinite(row.number.rounded) ? "" : "broken");
    }
    NumberLine line = numberLine(m_format, number.value);
    line.rounded = numberBits(number, m_format).rounded;
    const QString sentence = lineSentence(m_format, line, {});
    m_sentence->setText(sentence);
    m_line->show(m_format, std::move(line), {}, sentence);
}

void NumberCard::fit() {
    if (!m_isUsed) return;
    if (parentWidget() != m_covered->parentWidget()) setParent(m_covered->parentWidget());
    setGeometry(m_covered->geometry());
    setVisible(!m_covered->isHidden());
    raise();
    const Row& widest = row(Dtype::BF16);
    const int words = widest.name->sizeHint().width() + widest.becomes->fontMetrics().horizontalAdvance(QStringLiteral("0.000000000"));
    const double zoom =
        std::clamp((width() - words - 2.0 * (kCardMargin + kCardGap)) / BitStrip::plainWidth(), kLeastCardZoom, kMostCardZoom);
    m_head->setZoom(zoom);
    for (const Row& row : m_rows) row.strip->setZoom(zoom);
    m_line->setZoom(zoom);
}

bool NumberCard::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::Resize:
        case QEvent::Move:
        case QEvent::ParentChange:
        case QEvent::ShowToParent:
        case QEvent::HideToParent:
            if (watched == m_covered) fit();
            break;
        default:
            break;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace mantissa::gui
