// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/bits/dot_page.h"

#include <QHeaderView>
#include <algorithm>

#include "gui/bits/bits_text.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/diagnosis/examination_text.h"

namespace mantissa::gui {
namespace {

constexpr int kLengths[] = {16, 64, 256, 1024, 4096, 16384, 65536};
constexpr int kChunks[] = {16, 32, 64, 128, 256, 512};
constexpr Dtype kSumFormats[] = {Dtype::F32, Dtype::TF32, Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2};
constexpr int kWayPixels = 24, kWayWidth = 262, kResultWidth = 86, kErrorWidth = 74;
constexpr int kMostWays = 8;
constexpr int kRunDelayMs = 60;

}  // namespace

DotPage::DotPage(QWidget* parent)
    : QWidget(parent),
      m_model(new DotModel(this)),
      m_table(new CopyTable(tr("Ways to sum"), kWayPixels, this)),
      m_plot(nullptr),
      m_timer(kRunDelayMs) {
    auto* column = makeColumn(10, {}, this);
    column->addLayout(buildControls());
    m_sentence = makeWrappedLabel({}, "body2", this);
    column->addWidget(m_sentence);
    auto* body = makeRow(12);
    m_table->setModel(m_model);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->setColumnWidth(DotModel::WayColumn, kWayWidth);
    m_table->setColumnWidth(DotModel::ResultColumn, kResultWidth);
    for (const int error : {DotModel::ErrorColumn, DotModel::RelativeColumn, DotModel::UlpColumn})
        m_table->setColumnWidth(error, kErrorWidth);
    m_table->setFixedWidth(kWayWidth + kResultWidth + 3 * kErrorWidth + 4);
    auto* left = makeColumn(10);
    m_table->setFixedHeight(kWayPixels * (kMostWays + 1) + 4);
    left->addWidget(m_table);
    m_hint = makeWrappedLabel({}, "secondary", this);
    m_hint->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    left->addWidget(m_hint, 1);
    body->addLayout(left);
    QFrame* card = makeCard(this);
    m_plot = new DotPlot(card);
    makeColumn(0, {12, 10, 12, 8}, card)->addWidget(m_plot);
    body->addWidget(card, 1);
    column->addLayout(body, 1);
    connect(&m_timer, &Delay::timeout, this, &DotPage::run);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &DotPage::showChosen);
}

ComboBox* DotPage::addChoice(QBoxLayout* row, const QString& label, const QString& name) {
    auto* part = makeColumn(2);
    part->addWidget(makeLabel(label, "secondary", this));
    auto* choice = new ComboBox(name, this);
    choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    part->addWidget(choice);
    row->addLayout(part);
    connect(choice, &QComboBox::activated, &m_timer, qOverload<>(&QTimer::start));
    return choice;
}

QLayout* DotPage::buildControls() {
    auto* row = makeRow(12);
    const DotRequest usual;
    m_length = addChoice(row, tr("products"), tr("Length of the dot product"));
    for (const int length : kLengths) m_length->addItem(groupedText(length), length);
    m_length->setCurrentIndex(m_length->findData(usual.length));
    m_values = addChoice(row, tr("numbers"), tr("Which numbers are multiplied"));
    for (const DotValues values : kAllDotValues) m_values->addItem(dotValuesText(values), static_cast<int>(values));
    m_values->setCurrentIndex(static_cast<int>(usual.values));
    auto* seed = makeColumn(2);
    seed->addWidget(makeLabel(tr("seed"), "secondary", this));
    m_seed = new QSpinBox(this);
    m_seed->setAccessibleName(tr("Seed of the numbers"));
    m_seed->setRange(0, 9999);
    m_seed->setValue(static_cast<int>(usual.seed));
    m_seed->setButtonSymbols(QAbstractSpinBox::NoButtons);  // the arrow keys and the wheel change the value
    m_seed->setFixedWidth(64);
    seed->addWidget(m_seed);
    row->addLayout(seed);
    connect(m_seed, &QSpinBox::valueChanged, &m_timer, qOverload<>(&QTimer::start));
    m_input = addChoice(row, tr("factors in"), tr("Format of the factors"));
    for (const Dtype format : kAllDtypes)
        if (facts(format).isSigned) m_input->addItem(formatText(format), static_cast<int>(format));
    m_input->setCurrentIndex(m_input->findData(static_cast<int>(usual.input)));
    m_sums = addChoice(row, tr("sums in"), tr("Format of the sums"));
    for (const Dtype format : kSumFormats) m_sums->addItem(formatText(format), static_cast<int>(format));
    m_sums->setCurrentIndex(m_sums->findData(static_cast<int>(usual.sums)));
    m_chunk = addChoice(row, tr("chunk"), tr("Products in a chunk"));
    for (const int chunk : kChunks) m_chunk->addItem(QString::number(chunk), chunk);
    m_chunk->setCurrentIndex(m_chunk->findData(usual.chunk));
    m_core = addChoice(row, tr("tensor core"), tr("Which tensor core"));
    for (const Accumulator core : kAllAccumulators) {
        if (core == Accumulator::Fp32) continue;
        m_core->addItem(nameText(accumulatorScreenName(core)), static_cast<int>(core));
    }
    m_core->setCurrentIndex(m_core->findData(static_cast<int>(usual.core)));
    row->addStretch(1);
    return row;
}

DotRequest DotPage::request() const {
    const auto chosen = [](const ComboBox* box) { return box->currentData().toInt(); };
    return {.length = chosen(m_length),
            .values = static_cast<DotValues>(chosen(m_values)),
            .seed = static_cast<std::uint64_t>(m_seed->value()),
            .input = static_cast<Dtype>(chosen(m_input)),
            .sums = static_cast<Dtype>(chosen(m_sums)),
            .core = static_cast<Accumulator>(chosen(m_core)),
            .chunk = chosen(m_chunk)};
}

void DotPage::run() {
    m_timer.stop();
    m_model->show(runBench(request()));
    if (!m_table->currentIndex().isValid()) chooseWay(0);
    showChosen();
}

void DotPage::chooseWay(int row) {
    m_table->setCurrentIndex(m_model->index(row, 0));
}

void DotPage::showChosen() {
    const int row = std::max(0, m_table->currentIndex().row());
    if (m_model->rows().empty()) return;
    const DotRow& way = m_model->rows()[static_cast<std::size_t>(row)];
    m_sentence->setText(way.errors.empty() ? tr("%1: %2.").arg(wayText(way.way), way.why) : dotSentence(way.way, way.errors.back()));
    m_hint->setText(wayHint(way.way));
    m_plot->show(m_model->rows(), row);
}

void DotPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_model->rows().empty()) run();
}

}  // namespace mantissa::gui
