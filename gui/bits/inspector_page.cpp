// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/bits/inspector_page.h"

#include "engine/telemetry/number_format.h"
#include "gui/bits/bits_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/diagnosis/examination_text.h"

namespace mantissa::gui {
namespace {

constexpr int kFieldWidth = 230;

/// Text of the field for a number that was not typed.
QString fieldText(const GivenNumber& number) {
    return QString::fromStdString(shortest(number.value));
}

/// Accepts thin spaces and the minus sign U+2212.
std::string plainText(QString typed) {
    typed.replace(QChar(u'\u2212'), u'-');
    typed.remove(QChar(u'\u202F'));
    typed.remove(QChar(u'\u2009'));
    return typed.toStdString();
}

}  // namespace

InspectorPage::InspectorPage(QWidget* parent) : QWidget(parent) {
    auto* column = makeColumn(8, {}, this);
    column->addLayout(buildEntry());
    m_note = makeWrappedLabel({}, "secondary", this);
    m_note->setMinimumHeight(m_note->fontMetrics().height() + 2);
    column->addLayout(buildQuick());
    column->addWidget(m_note);
    m_rows = new FormatRows(this);
    column->addWidget(m_rows);
    column->addWidget(buildLine());
    column->addStretch(1);
    connect(m_rows, &FormatRows::given, this, &InspectorPage::give);
    connect(m_rows, &FormatRows::formatChosen, this, [this](Dtype format) {
        m_format = format;
        refresh();
    });
    connect(m_line, &NumberLineView::chosen, this, [this](float value) { give({value}); });
    inspect(m_number, m_format);
    readField();
}

QLayout* InspectorPage::buildEntry() {
    auto* row = makeRow(8);
    row->addWidget(makeLabel(tr("Value"), "title", this));
    m_field = new QLineEdit(this);
    m_field->setAccessibleName(tr("Value, as a number or as bits of the chosen format"));
    m_field->setToolTip(tr("0.1, 1/3, pi, 2^-24, 0x1.8p-3, inf, nan; or bits: 0x3c00, 0 01111 0000000000"));
    m_field->setFixedWidth(kFieldWidth);
    row->addWidget(m_field);
    row->addSpacing(16);
    row->addWidget(makeLabel(tr("rounded"), "body2", this));
    m_rounding = new ComboBox(tr("How it is rounded"), this);
    m_rounding->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    for (const Rounding rounding : kAllRoundings) m_rounding->addItem(roundingText(rounding), static_cast<int>(rounding));
    row->addWidget(m_rounding);
    m_again = makeButton(tr("Draw again"), {}, tr("Draw again: round stochastically with other random bits"), this);
    row->addWidget(m_again);
    m_saturate = new CheckBox(tr("saturating"), this);
    m_saturate->setToolTip(tr("What is beyond the largest number becomes that number"));
    row->addWidget(m_saturate);
    row->addStretch(1);
    connect(m_field, &QLineEdit::textEdited, this, &InspectorPage::readField);
    connect(m_field, &QLineEdit::returnPressed, m_field, &QLineEdit::selectAll);
    connect(m_rounding, &QComboBox::activated, this, &InspectorPage::refresh);
    connect(m_saturate, &QCheckBox::toggled, this, &InspectorPage::refresh);
    connect(m_again, &QPushButton::clicked, this, [this] {
        ++m_draw;
        refresh();
    });
    return row;
}

QPushButton* InspectorPage::addQuick(QBoxLayout* row, const QString& text, const QString& hint) {
    QPushButton* button = makeButton(text, {}, hint, this);
    button->setProperty("look", "segment");
    button->setToolTip(hint);
    row->addWidget(button);
    return button;
}

QLayout* InspectorPage::buildQuick() {
    auto* row = makeRow(4);
    m_quickName = makeLabel({}, "secondary", this);
    m_quickName->setMinimumWidth(62);
    row->addWidget(m_quickName);
    const auto extreme = [&](const QString& text, const QString& hint, auto value) {
        QPushButton* button = addQuick(row, text, hint);
        connect(button, &QPushButton::clicked, this, [this, value] { give({static_cast<float>(value(facts(m_format)))}); });
        return button;
    };
    extreme(tr("largest"), tr("The chosen format's largest number"), [](const DtypeFacts& f) { return f.maxFinite; });
    extreme(tr("smallest normal"), tr("The chosen format's smallest normal number"), [](const DtypeFacts& f) { return f.minNormal; });
    m_smallest = extreme(tr("smallest subnormal"), tr("The chosen format's smallest subnormal number"),
                         [](const DtypeFacts& f) { return f.minSubnormal; });
    extreme(tr("1 + ε"), tr("The next number above 1 in the chosen format"), [](const DtypeFacts& f) { return 1 + f.epsilon; });
    row->addSpacing(16);
    row->addWidget(makeLabel(tr("any:"), "secondary", this));
    for (const char* text : {"pi", "1/3", "0.1", "11.09", "65504", "65520", "inf", "nan"}) {
        const QString shown = QLatin1String(text) == QLatin1String("pi") ? QStringLiteral("π") : QLatin1String(text);
        QPushButton* button = addQuick(row, shown, tr("Show %1").arg(shown));
        connect(button, &QPushButton::clicked, this, [this, text] {
            m_field->setText(QLatin1String(text));
            readField();
        });
    }
    row->addStretch(1);
    return row;
}

QWidget* InspectorPage::buildLine() {
    QFrame* card = makeCard(this);
    auto* column = makeColumn(0, {12, 8, 12, 6}, card);
    m_sentence = makeWrappedLabel({}, "body2", card);
    m_sentence->setMinimumHeight(2 * m_sentence->fontMetrics().lineSpacing());
    m_sentence->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(m_sentence);
    m_line = new NumberLineView(card);
    column->addWidget(m_line);
    return card;
}

RoundingMode InspectorPage::mode() const {
    return {.rounding = static_cast<Rounding>(m_rounding->currentData().toInt()), .saturate = m_saturate->isChecked(), .seed = m_draw};
}

void InspectorPage::readField() {
    const auto typed = readNumber(plainText(m_field->text()), m_format);
    setStyleProperty(m_field, "state", typed ? "" : "refused");
    if (!typed) {
        setStyleProperty(m_note, "kind", "danger");
        m_note->setText(m_field->text().trimmed().isEmpty()
                            ? tr("Enter a number.")
                            : tr("Enter a number, or %1 bits for %2.").arg(facts(m_format).codeBits()).arg(formatText(m_format)));
        return;
    }
    setStyleProperty(m_note, "kind", "secondary");
    m_note->setText(typedNote(*typed));
    m_number = typed->number;
    refresh();
}

void InspectorPage::give(const GivenNumber& number) {
    m_number = number;
    m_field->setText(fieldText(number));
    setStyleProperty(m_field, "state", "");
    setStyleProperty(m_note, "kind", "secondary");
    m_note->setText(number.heldIn ? tr("From the bits of %1.").arg(formatText(*number.heldIn)) : QString());
    refresh();
}

void InspectorPage::inspect(const GivenNumber& number, Dtype format) {
    m_format = format;
    give(number);
}

void InspectorPage::refresh() {
    const RoundingMode rounding = mode();
    m_again->setVisible(rounding.rounding == Rounding::Stochastic);
    m_quickName->setText(tr("%1:").arg(formatText(m_format)));
    m_smallest->setEnabled(facts(m_format).isSigned);  // e8m0 has no subnormal numbers
    m_rows->choose(m_format);
    m_rows->show(m_number, rounding);
    NumberLine line = numberLine(m_format, m_number.value, rounding);
    line.rounded = m_rows->number(m_format).rounded;
    const QString sentence = lineSentence(m_format, line, rounding);
    m_sentence->setText(sentence);
    m_line->show(m_format, std::move(line), rounding, sentence);
}

}  // namespace mantissa::gui
