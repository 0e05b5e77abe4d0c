// SPDX-License-Identifier: GPL-3.0-or-later
// Builds and arranges the instruments.
#include <QHeaderView>
#include <QStandardItemModel>
#include <algorithm>
#include <cmath>

#include "gui/app/theme.h"
#include "gui/controls/engine_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/diagnosis/examination_text.h"
#include "gui/diagnosis/instruments.h"

namespace mantissa::gui {
namespace {

constexpr int kCountPixels = 20, kCardPixels = 348, kCountWidth = 50, kBoundWidth = 64;
constexpr int kAroundRows = 150, kNamedRow = 15;  // px of a card without its rows; of a row with a readable name

}  // namespace

QFrame* Instruments::makeMicroscope() {
    const auto [card, head, column] = makeTitledCard(tr("Microscope"), this);
    m_stepNote = makeLabel({}, "secondary", card);
    head->addWidget(m_stepNote, 1);
    m_tensor = new ComboBox(tr("Tensors under the microscope"), card);
    m_tensor->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_tensor->setMinimumContentsLength(14);
    m_format = new ComboBox(tr("Format whose window is drawn"), card);
    for (const Dtype dtype : {Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2})
        m_format->addItem(formatText(dtype), static_cast<int>(dtype));
    m_format->insertSeparator(m_format->count());
    for (const BlockFormat& each : blockFormats()) m_format->addItem(nameText(each.screenName), nameText(each.name));
    m_format->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_format->setMinimumContentsLength(8);
    head->addWidget(m_tensor);
    head->addWidget(m_format);
    column->addWidget(makeAskRow(card));
    m_microscope = new Microscope(card);
    column->addWidget(m_microscope, 1);
    m_counts = new QStandardItemModel(0, 7, this);
    m_counts->setHorizontalHeaderLabels(
        {tr("scale"), tr("flushed"), tr("subnormal"), tr("normal"), tr("too large"), tr("exact 0"), tr("Inf, NaN")});
    m_counts->horizontalHeaderItem(4)->setToolTip(tr("Finite numbers that overflow in this format"));
    m_counts->horizontalHeaderItem(6)->setToolTip(tr("Numbers that are stored as Inf or NaN, such as those that have overflowed"));
    auto* counts = new CopyTable(tr("Elements by what the format makes of them"), kCountPixels, card);
    counts->setModel(m_counts);
    counts->horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setTableFonts(counts);
    fixColumns(counts, kCountPixels, 0);
    // As wide as their headers: widths that follow the numbers would change during training.
    for (int count = 1; count < m_counts->columnCount(); ++count) {
        const QString name = m_counts->headerData(count, Qt::Horizontal).toString();
        const int width = QFontMetrics(pixelFont(font(), kTagPixels)).horizontalAdvance(name) + 14;
        const int least = count == 1 ? kBoundWidth : kCountWidth;  // flushed: a bound in block formats
        counts->setColumnWidth(count, std::max(least, width));
    }
    counts->setFixedHeight(3 * kCountPixels + 2);
    counts->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    counts->setToolTip(tr("A click on a count of the first row lists its elements"));
    column->addWidget(counts);
    m_use = makeButton(tr("Use it"), {}, tr("Use the tried loss scale from the next step on"), card);
    m_use->setToolTip(m_use->accessibleName());
    column->addWidget(m_use, 0, Qt::AlignRight);  // beside the table it would cut off the first column
    connect(counts, &QTableView::clicked, this, [this](const QModelIndex& cell) { listCount(cell.row(), cell.column()); });
    connect(counts, &QTableView::activated, this, [this](const QModelIndex& cell) { listCount(cell.row(), cell.column()); });
    connect(m_microscope, &Microscope::scaleTried, this, &Instruments::tryScale);
    connect(m_microscope, &Microscope::binChosen, this, &Instruments::listBar);
    connect(m_tensor, &QComboBox::activated, this, &Instruments::refreshMicroscope);
    connect(m_format, &QComboBox::activated, this, [this] {
        if (!blockFormat()) m_tensorFormat = static_cast<Dtype>(m_format->currentData().toInt());
        refreshMicroscope();
        refreshLayers();
    });
    connect(m_use, &QPushButton::clicked, this, [this] { emit scaleRequested(m_run, std::exp2(m_tried)); });
    return card;
}

QButtonGroup* Instruments::makeChoice(const QStringList& texts, const QString& name, QLayout* row) {
    QButtonGroup* group = makeSegments(texts, name, row, this);
    connect(group, &QButtonGroup::idClicked, this, &Instruments::refreshLayers);
    return group;
}

QFrame* Instruments::makeStrip() {
    const auto [card, head, column] = makeTitledCard(tr("Precision strip"), this);
    m_stripNote = makeLabel({}, "secondary", card);
    head->addWidget(m_stripNote, 1);
    auto* groups = makeRow(0);
    m_group = makeChoice({tr("gradients"), tr("forward"), tr("updates")}, tr("Tensors of the strip"), groups);
    head->addLayout(groups);
    auto* measures = makeRow(0);
    m_measure = makeChoice({tr("headroom"), tr("flushed"), tr("subnormal"), tr("overflow"), tr("non-finite")}, tr("Measure of the strip"),
                           measures);
    measures->addStretch(1);
    column->addLayout(measures);
    m_strip = new PrecisionStrip(card);
    column->addWidget(m_strip, 1);
    connect(m_strip, &LayerPlot::layerChosen, this, &Instruments::chooseLayer);
    connect(m_strip, &PrecisionStrip::cellChosen, this, &Instruments::listCell);
    return card;
}

QFrame* Instruments::makeUsableScales() {
    const auto [card, head, column] = makeTitledCard(tr("Usable loss scales"), this);
    head->addWidget(makeLabel(tr("gradients"), "secondary", card), 1);
    m_mostFlushed = new ComboBox(tr("Share of gradients that may be flushed to zero"), card);
    for (const int percent : {1, 2, 5, 10}) m_mostFlushed->addItem(tr("at most %1\u202F% flushed").arg(percent), percent / 100.0);
    m_mostFlushed->setCurrentIndex(1);
    head->addWidget(m_mostFlushed);
    m_sentence = makeWrappedLabel({}, "body2", card);
    m_sentence->setAlignment(Qt::AlignTop);
    m_sentence->setMinimumHeight(kSentence);
    column->addWidget(m_sentence);
    m_usableScalesPlot = new UsableScalesPlot(card);
    column->addWidget(m_usableScalesPlot, 1);
    connect(m_usableScalesPlot, &LayerPlot::layerChosen, this, &Instruments::chooseLayer);
    connect(m_mostFlushed, &QComboBox::activated, this, &Instruments::refreshLayers);
    return card;
}

/// Shows values that no bar counts, the step of the statistics if it is not the chosen one, and a button to measure the chosen step.
QWidget* Instruments::makeAskRow(QWidget* card) {
    m_askRow = new QWidget(card);
    auto* row = makeRow(8, {}, m_askRow);
    m_askNote = makeLabel({}, "secondary", m_askRow);
    m_ask = makeButton({}, {}, tr("Measure this step"), m_askRow);
    m_ask->setToolTip(tr("Trains a copy of the run up to that step and measures all of its tensors"));
    row->addWidget(m_askNote);
    row->addStretch(1);
    row->addWidget(m_ask);
    connect(m_ask, &QPushButton::clicked, this, [this] { emit measureRequested(m_run, m_step); });
    return m_askRow;
}

void Instruments::setNarrow(bool narrow) {
    if (narrow == m_isNarrow) return;
    m_isNarrow = narrow;
    arrange();
}

/// A list of elements replaces the other instruments beside the one it was opened from.
void Instruments::arrange() {
    const bool isListing = m_elementsFrom != ElementsFrom::None;
    for (QFrame* card : {m_microscopeCard, m_stripCard, m_usableScalesCard, static_cast<QFrame*>(m_elements)}) m_grid->removeWidget(card);
    m_elements->setNarrow(m_isNarrow);
    const int first = m_isNarrow ? 1 : 0;  // row of the cards beside or below the first card
    if (isListing) {
        m_grid->addWidget(m_elementsFrom == ElementsFrom::Strip ? m_stripCard : m_microscopeCard, 0, 0, 1, m_isNarrow ? 3 : 1);
        m_grid->addWidget(m_elements, first, m_isNarrow ? 0 : 1, 1, m_isNarrow ? 3 : 2);
    } else {
        m_grid->addWidget(m_microscopeCard, 0, 0, 1, m_isNarrow ? 2 : 1);
        m_grid->addWidget(m_stripCard, first, m_isNarrow ? 0 : 1);
        m_grid->addWidget(m_usableScalesCard, first, m_isNarrow ? 1 : 2);
    }
    // a list needs more width than its instrument
    constexpr int kEven[] = {1, 1, 1}, kTwo[] = {1, 1, 0}, kList[] = {10, 13, 13};
    for (int column = 0; column < 3; ++column) m_grid->setColumnStretch(column, (m_isNarrow ? kTwo : isListing ? kList : kEven)[column]);
    fitHeights();
}

void Instruments::fitHeights() {
    const RunMeasurements* measured = m_measurements->of(m_run);
    std::size_t rows = 0;
    if (measured && m_isNarrow)
        for (const auto& layers : measured->layers) rows = std::max(rows, layers.size());
    for (QFrame* card : {m_microscopeCard, static_cast<QFrame*>(m_elements)}) card->setMinimumHeight(kCardPixels);
    for (QFrame* card : {m_stripCard, m_usableScalesCard})
        card->setMinimumHeight(std::max(kCardPixels, kAroundRows + static_cast<int>(rows) * kNamedRow));
}

}  // namespace mantissa::gui
