// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/bits/format_rows.h"

#include <cmath>

#include "gui/bits/bits_text.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"
#include "gui/diagnosis/examination_text.h"

namespace mantissa::gui {
namespace {

enum FormatColumn {
    NameAt,
    StripAt,
    RoundedAt,
    ErrorAt,
    RelativeAt,
    UlpAt,
    ClassGapAt,
    ClassAt,
    BelowAt,
    DownAt,
    StepUpAt,
    AboveAt,
    FormatColumnCount
};
constexpr int kLeastWidths[] = {72, 0, 116, 70, 70, 58, 6, 74, 106, 22, 22, 106};  // px
const char* const kCellNames[] = {"rounded", "error", "relative", "ulp", "class", "below", "above"};

QString numberOrDash(double value) {
    return std::isfinite(value) ? numberText(value, 3) : QStringLiteral("\u2013");
}

}  // namespace

FormatRows::FormatRows(QWidget* parent) : QWidget(parent), m_grid(new QGridLayout(this)), m_names(new QButtonGroup(this)) {
    setAccessibleName(tr("The number in every format"));
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(4);
    m_grid->setVerticalSpacing(0);
    for (int column = 0; column < FormatColumnCount; ++column) m_grid->setColumnMinimumWidth(column, kLeastWidths[column]);
    m_grid->setColumnStretch(RoundedAt, 2);
    for (const int column : {ErrorAt, RelativeAt, UlpAt, ClassAt, BelowAt, AboveAt}) m_grid->setColumnStretch(column, 1);
    buildHead();
    for (const Dtype format : kAllDtypes) buildRow(format);
    connect(m_names, &QButtonGroup::idClicked, this, [this](int id) { emit formatChosen(static_cast<Dtype>(id)); });
}

void FormatRows::buildHead() {
    m_grid->addWidget(makeLabel(tr("format"), "secondary", this), 0, NameAt);
    m_grid->addWidget(new BitHead(this), 0, StripAt);
    const std::pair<int, QString> heads[] = {{RoundedAt, tr("becomes")}, {ErrorAt, tr("error")}, {RelativeAt, tr("relative")},
                                             {UlpAt, tr("ulp")},         {ClassAt, tr("class")}, {BelowAt, tr("next below")},
                                             {AboveAt, tr("next above")}};
    for (const auto& [column, text] : heads) {
        QLabel* head = makeLabel(text, "secondary", this);
        head->setAlignment((column == ClassAt || column == AboveAt ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        m_grid->addWidget(head, 0, column);
    }
}

void FormatRows::buildRow(Dtype format) {
    Row& row = m_rows[static_cast<std::size_t>(format)];
    const int line = static_cast<int>(format) + 1;
    const QString name = formatText(format);
    row.name = makeButton(name, {}, tr("Examine %1").arg(name), this);
    row.name->setProperty("look", "layout");
    row.name->setCheckable(true);
    row.name->setToolTip(tr("The number line and the buttons above are this format's"));
    m_names->addButton(row.name, static_cast<int>(format));
    m_grid->addWidget(row.name, line, NameAt, Qt::AlignLeft);
    row.strip = new BitStrip(format, this);
    m_grid->addWidget(row.strip, line, StripAt);
    constexpr int kColumns[] = {RoundedAt, ErrorAt, RelativeAt, UlpAt, ClassAt, BelowAt, AboveAt};
    for (std::size_t cell = 0; cell < CellCount; ++cell) {
        QLabel* label = makeLabel({}, cell == Rounded ? "body" : "secondary", this);
        label->setAlignment((cell == Class || cell == Above ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setFocusPolicy(Qt::NoFocus);
        m_grid->addWidget(label, line, kColumns[cell]);
        row.cells[cell] = label;
    }
    for (const bool isUp : {false, true}) {
        QToolButton* button = makeFlatButton(isUp ? QStringLiteral("chevron-right") : QStringLiteral("chevron-left"),
                                             (isUp ? tr("Next number of %1 above") : tr("Next number of %1 below")).arg(name), this);
        m_grid->addWidget(button, line, isUp ? StepUpAt : DownAt);
        (isUp ? row.up : row.down) = button;
        connect(button, &QToolButton::clicked, this, [this, format, isUp] {
            const NumberBits& number = m_rows[static_cast<std::size_t>(format)].number;
            emit given({isUp ? number.above : number.below});
        });
    }
    connect(row.strip, &BitStrip::flipped, this,
            [this, format](int bit) { emit given(withFlippedBit(m_rows[static_cast<std::size_t>(format)].number, bit)); });
    connect(row.strip, &BitStrip::leftTo, this, [this, format](int direction, int column) {
        const int next = static_cast<int>(format) + direction;
        if (next < 0 || next >= static_cast<int>(m_rows.size())) return;
        BitStrip* strip = m_rows[static_cast<std::size_t>(next)].strip;
        strip->enterColumn(column);
        strip->setFocus(Qt::TabFocusReason);
    });
}

void FormatRows::show(const GivenNumber& number, const RoundingMode& mode) {
    for (const Dtype format : kAllDtypes) {
        Row& row = m_rows[static_cast<std::size_t>(format)];
        row.number = numberBits(number, format, mode);
        showRow(row, number);
    }
}

void FormatRows::showRow(Row& row, const GivenNumber& number) {
    const NumberBits& bits = row.number;
    row.strip->show(bits.bits);
    const std::string_view cls = numberClass(bits);
    const QString texts[] = {valueText(static_cast<double>(bits.rounded)),
                             numberOrDash(bits.error),
                             number.value == 0 ? QStringLiteral("\u2013") : numberOrDash(bits.relativeError(number.value)),
                             numberOrDash(bits.ulps),
                             engineText(std::string(cls)),
                             valueOrDash(static_cast<double>(bits.below)),
                             valueOrDash(static_cast<double>(bits.above))};
    const bool isBroken = !std::isfinite(bits.rounded);
    for (int cell = 0; cell < CellCount; ++cell) {
        QLabel* label = row.cells[static_cast<std::size_t>(cell)];
        label->setText(texts[cell]);
        label->setAccessibleName(tr("%1, %2: %3").arg(formatText(bits.dtype), QLatin1String(kCellNames[cell]), texts[cell]));
    }
    setStyleProperty(row.cells[Rounded], "kind", isBroken ? "danger" : "body");
    setStyleProperty(row.cells[Class], "kind", isBroken || bits.isSaturated ? "danger" : "secondary");
    row.down->setEnabled(!std::isnan(bits.below));
    row.up->setEnabled(!std::isnan(bits.above));
}

void FormatRows::choose(Dtype format) {
    m_names->button(static_cast<int>(format))->setChecked(true);
}

QToolButton* FormatRows::stepper(Dtype format, bool isUp) const {
    const Row& row = m_rows[static_cast<std::size_t>(format)];
    return isUp ? row.up : row.down;
}

QString FormatRows::text(Dtype format, const QString& column) const {
    const Row& row = m_rows[static_cast<std::size_t>(format)];
    for (std::size_t cell = 0; cell < CellCount; ++cell)
        if (column == QLatin1String(kCellNames[cell])) return row.cells[cell]->text();
    return {};
}

}  // namespace mantissa::gui
