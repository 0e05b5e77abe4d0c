// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/elements_panel.h"

#include <QHeaderView>
#include <cmath>

#include "gui/app/theme.h"
#include "gui/bits/bits_window.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/diagnosis/examination_text.h"

namespace mantissa::gui {
namespace {

constexpr int kElementPixels = 20;
constexpr int kStorageWidth = 46, kIndexWidth = 66, kNumberWidth = 70;
constexpr int kFormatWidths[] = {62, 0, 70, 66, 74, 56, 62, 70, 70};

CopyTable* makeTable(QAbstractItemModel* model, int stretched, const QString& name, QWidget* parent) {
    auto* table = new CopyTable(name, kElementPixels, parent);
    table->setModel(model);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    setTableFonts(table);
    fixColumns(table, kElementPixels, stretched);
    return table;
}

/// Width of the column of bits, for the widest format.
int bitsWidth() {
    return QFontMetrics(FormatsModel::bitFont()).horizontalAdvance(QString(34, u'0')) + 8;
}

ElementRequest elementRequest(const ElementSubject& subject, ElementChoice choice) {
    ElementRequest request;
    request.tensors = subject.tensors;
    if (choice == ElementChoice::Bar) {
        request.from = std::ldexp(1.0, subject.bar.value_or(0));
        request.below = 2 * request.from;
    }
    constexpr std::pair<ElementChoice, StoredAs> kRanges[] = {{ElementChoice::Overflow, StoredAs::Overflowed},
                                                              {ElementChoice::Normal, StoredAs::Normal},
                                                              {ElementChoice::Subnormal, StoredAs::Subnormal},
                                                              {ElementChoice::Flushed, StoredAs::Flushed}};
    for (const auto& [ranged, stored] : kRanges) {
        if (choice != ranged) continue;
        const MagnitudeRange range = storedRange(subject.format, stored);
        request.from = range.from;
        request.below = range.below;
    }
    constexpr std::pair<ElementChoice, ElementKind> kKinds[] = {{ElementChoice::Zero, ElementKind::Zero},
                                                                {ElementChoice::Lost, ElementKind::Flushed},
                                                                {ElementChoice::NonFinite, ElementKind::NonFinite}};
    for (const auto& [special, kind] : kKinds)
        if (choice == special) request.kind = kind;
    return request;
}

}  // namespace

ElementsPanel::ElementsPanel(QWidget* parent) : QFrame(parent), m_elements(new ElementsModel(this)), m_formats(new FormatsModel(this)) {
    setProperty("kind", "card");
    setAccessibleName(tr("Elements"));
    auto* column = makeColumn(6, {12, 8, 12, 8}, this);
    buildHead(column);
    m_body = makeRow(16);
    buildList();
    buildFormats();
    column->addLayout(m_body, 1);
}

void ElementsPanel::buildHead(QVBoxLayout* column) {
    auto* head = makeRow(8);
    head->addWidget(makeLabel(tr("Elements"), "title", this));
    m_about = makeLabel({}, "secondary", this);
    m_about->setMinimumWidth(40);
    head->addWidget(m_about, 1);
    m_choice = new ComboBox(tr("Which elements are listed"), this);
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    head->addWidget(m_choice);
    QPushButton* close = makeButton(tr("Close"), {}, tr("Close the list of elements"), this);
    close->setToolTip(tr("Back to the other instruments"));
    head->addWidget(close);
    column->addLayout(head);
    m_sentence = makeWrappedLabel({}, "body2", this);
    column->addWidget(m_sentence);
    connect(close, &QPushButton::clicked, this, &ElementsPanel::closed);
    connect(m_choice, &QComboBox::activated, this, &ElementsPanel::send);
}

void ElementsPanel::buildList() {
    m_list = makeTable(m_elements, ElementsModel::TensorColumn, tr("Elements"), this);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->setColumnWidth(ElementsModel::StorageColumn, kStorageWidth);
    m_list->setColumnWidth(ElementsModel::IndexColumn, kIndexWidth);
    m_list->setColumnWidth(ElementsModel::ValueColumn, kNumberWidth);
    m_list->setColumnWidth(ElementsModel::WideColumn, kNumberWidth);
    m_list->setMinimumWidth(380);
    m_list->setMinimumHeight(5 * kElementPixels);
    m_body->addWidget(m_list, 1);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ElementsPanel::showNumber);
}

void ElementsPanel::buildFormats() {
    m_numberPart = new QWidget(this);
    auto* part = makeColumn(4, {}, m_numberPart);
    auto* row = makeRow(8);
    m_number = makeLabel({}, "title", m_numberPart);
    m_number->setMinimumWidth(40);
    row->addWidget(m_number, 1);
    auto* which = makeRow(0);
    m_which = makeSegments({tr("value"), tr("in FP32")}, tr("Number shown in all formats"), which, m_numberPart);
    m_which->button(1)->setChecked(true);
    row->addLayout(which);
    QPushButton* inspect = makeButton(tr("Inspect"), {}, tr("Open the number in the inspector"), m_numberPart);
    inspect->setToolTip(tr("Flip its bits, and see it on its number line"));
    row->addWidget(inspect);
    connect(inspect, &QPushButton::clicked, this, [this] {
        const Element& element = m_elements->row(m_list->currentIndex().row());
        const bool isWide = m_which->checkedId() == 1;
        const GivenNumber number = isWide ? GivenNumber{static_cast<float>(element.wide)} : givenBits(element.storage, element.bits);
        BitsWindow* bits = BitsWindow::of(window());
        bits->showInspector();
        bits->inspector()->inspect(number, element.storage);
    });
    part->addLayout(row);
    m_table = makeTable(m_formats, FormatsModel::BitsColumn, tr("The chosen element in every format"), m_numberPart);
    int width = bitsWidth() + 2;
    for (int column = 0; column < FormatsModel::ColumnCount; ++column) {
        m_table->setColumnWidth(column, column == FormatsModel::BitsColumn ? bitsWidth() : kFormatWidths[column]);
        width += kFormatWidths[column];
    }
    m_table->setFixedHeight(kElementPixels * (static_cast<int>(kAllDtypes.size()) + 1) + 2);
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setMinimumWidth(width);
    part->addWidget(m_table);
    part->addStretch(1);
    m_body->addWidget(m_numberPart, 0);
    connect(m_which, &QButtonGroup::idClicked, this, [this](int id) {
        m_prefersWide = id == 1;
        showNumber();
    });
}

void ElementsPanel::setNarrow(bool narrow) {
    m_body->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

QString ElementsPanel::choiceText(ElementChoice choice) const {
    const QString format = formatText(m_subject.format);
    const int bar = m_subject.bar.value_or(0);
    const QString texts[] = {tr("from %1 to %2").arg(powerOfTwoText(bar), powerOfTwoText(bar + 1)),
                             tr("all finite but 0"),
                             tr("overflow in %1").arg(format),
                             tr("normal in %1").arg(format),
                             tr("subnormal in %1").arg(format),
                             tr("flushed by %1").arg(format),
                             tr("exactly 0"),
                             tr("0 here, not in FP32"),
                             tr("not finite")};
    return texts[static_cast<std::size_t>(choice)];
}

void ElementsPanel::fillChoices(ElementChoice chosen) {
    m_choice->clear();
    for (int i = m_subject.bar ? 0 : 1; i <= static_cast<int>(ElementChoice::NonFinite); ++i)
        m_choice->addItem(choiceText(static_cast<ElementChoice>(i)), i);
    m_choice->setCurrentIndex(m_choice->findData(static_cast<int>(chosen)));
}

void ElementsPanel::ask(const ElementSubject& subject, ElementChoice choice) {
    m_subject = subject;
    fillChoices(choice);
    send();
}

void ElementsPanel::send() {
    m_elements->show({});
    showNumber();
    m_about->setText(tr("step %1, %2").arg(groupedText(m_subject.step), m_subject.name));
    m_sentence->setText(tr("Reading: the step is repeated, as it was and in FP32."));
    emit requested(ReadElements{m_subject.run, m_subject.step, elementRequest(m_subject, choice())});
}

QString ElementsPanel::summary(const ElementsRead& read) const {
    const ElementsFound& found = read.found;
    const auto listed = static_cast<std::int64_t>(found.elements.size());
    if (found.total == 0) return tr("No element is like that: %1.").arg(choiceText(choice()));
    const QString order = choice() == ElementChoice::Lost                                           ? tr("the largest in FP32 first")
                          : choice() == ElementChoice::Zero || choice() == ElementChoice::NonFinite ? tr("in their order")
                                                                                                    : tr("the largest first");
    QString text = listed < found.total ? tr("%1 of %2 elements, %3.").arg(groupedText(listed), groupedText(found.total), order)
                   : found.total == 1   ? tr("One element.")
                                        : tr("%1 elements, %2.").arg(groupedText(found.total), order);
    const bool isScaled = std::any_of(found.elements.begin(), found.elements.end(), [](const Element& each) { return each.isScaled; });
    if (isScaled && found.lossScale != 1)
        text += u' ' + tr("Both columns carry the loss scale, %1.").arg(scaleText(found.lossScale));
    else
        text += u' ' + tr("They carry no loss scale.");
    return text;
}

void ElementsPanel::show(const ElementsRead& read) {
    if (read.run != m_subject.run || read.step != m_subject.step) return;
    m_elements->show(read.found.elements);
    m_sentence->setText(summary(read));
    if (m_elements->rowCount() > 0) chooseElement(0);
    showNumber();
}

void ElementsPanel::refuse(const QString& sentence) {
    m_elements->show({});
    showNumber();
    m_sentence->setText(tr("These elements cannot be read: %1.").arg(sentence));
}

void ElementsPanel::chooseElement(int row) {
    m_list->setCurrentIndex(m_elements->index(row, 0));
}

void ElementsPanel::showNumber() {
    const int row = m_list->currentIndex().row();
    const bool hasElement = row >= 0 && row < m_elements->rowCount();
    m_numberPart->setVisible(hasElement);
    if (!hasElement) return m_formats->show(std::nullopt, Dtype::F32);
    const Element& element = m_elements->row(row);
    const bool hasWide = !std::isnan(element.wide);
    m_which->button(1)->setEnabled(hasWide);
    m_which->button(1)->setToolTip(hasWide ? QString() : tr("It is NaN in FP32 as well, or there is no such tensor"));
    const bool isWide = hasWide && m_prefersWide;
    m_which->button(isWide ? 1 : 0)->setChecked(true);
    const double value = isWide ? element.wide : element.value;
    m_number->setText(tr("%1 rounded to each format").arg(numberText(value, 9)));
    m_formats->show(static_cast<float>(value), element.storage);
}

}  // namespace mantissa::gui
