// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/instruments.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "gui/app/theme.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr int kInstrumentMs = 200;  // pictures that change faster cannot be read
constexpr int kCountPixels = 20, kCardPixels = 348;
constexpr int kAroundRows = 150, kNamedRow = 15;  // px of a card without its rows; of a row whose name can be read
// Choices of tensors before the single ones.
const QString kAllGradients = QStringLiteral("*gradients"), kAllValues = QStringLiteral("*values"),
              kAllUpdates = QStringLiteral("*updates");

/// log2 of a scale, to the nearest power of two.
int powerOf(double scale) {
    return scale > 0 && std::isfinite(scale) ? static_cast<int>(std::lround(std::log2(scale))) : 0;
}

void addCells(Histogram& sum, const Histogram& part) {
    std::vector<Histogram::Cell> merged;
    merged.reserve(sum.cells.size() + part.cells.size());
    auto a = sum.cells.begin();
    for (const Histogram::Cell& cell : part.cells) {
        while (a != sum.cells.end() && a->index < cell.index) merged.push_back(*a++);
        if (a != sum.cells.end() && a->index == cell.index)
            merged.push_back({cell.index, (a++)->count + cell.count});
        else
            merged.push_back(cell);
    }
    merged.insert(merged.end(), a, sum.cells.end());
    sum.cells = std::move(merged);
}

}  // namespace

Instruments::Instruments(const Lab* lab, const Measurements* measurements, QWidget* parent)
    : QWidget(parent), m_lab(lab), m_measurements(measurements) {
    m_grid = new QGridLayout(this);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(8);
    m_microscopeCard = makeMicroscope();
    m_stripCard = makeStrip();
    m_corridorCard = makeCorridor();
    m_empty = makeNotMeasured(this);
    m_grid->addWidget(m_empty, 2, 0, 1, 3);
    setNarrow(false);
    showCards();
    m_timer.setSingleShot(true);
    m_timer.setInterval(kInstrumentMs);
    connect(&m_timer, &QTimer::timeout, this, &Instruments::refreshNow);
    connect(measurements, &Measurements::measured, this, [this](int run) {
        if (run != m_run) return;
        if (m_isEmpty == hasLooks()) {
            showCards();
            emit looksChanged();
        }
        later();
    });
}

void Instruments::setNarrow(bool narrow) {
    m_isNarrow = narrow;
    for (QFrame* card : {m_microscopeCard, m_stripCard, m_corridorCard}) m_grid->removeWidget(card);
    m_grid->addWidget(m_microscopeCard, 0, 0, 1, narrow ? 2 : 1);
    m_grid->addWidget(m_stripCard, narrow ? 1 : 0, narrow ? 0 : 1);
    m_grid->addWidget(m_corridorCard, narrow ? 1 : 0, narrow ? 1 : 2);
    for (int column = 0; column < 3; ++column) m_grid->setColumnStretch(column, narrow && column == 2 ? 0 : 1);
    fitHeights();
}

void Instruments::fitHeights() {
    const RunMeasurements* measured = m_measurements->of(m_run);
    std::size_t rows = 0;
    if (measured && m_isNarrow)
        for (const auto& layers : measured->layers) rows = std::max(rows, layers.size());
    m_microscopeCard->setMinimumHeight(kCardPixels);
    for (QFrame* card : {m_stripCard, m_corridorCard})
        card->setMinimumHeight(std::max(kCardPixels, kAroundRows + static_cast<int>(rows) * kNamedRow));
}

void Instruments::showCards() {
    m_isEmpty = !hasLooks();
    m_empty->setVisible(m_isEmpty);
    for (QFrame* card : {m_microscopeCard, m_stripCard, m_corridorCard}) card->setVisible(!m_isEmpty);
}

void Instruments::later() {
    if (!m_timer.isActive()) m_timer.start();
}

QFrame* Instruments::makeMicroscope() {
    const auto [card, head, column] = makeTitledCard(tr("Microscope"), this);
    m_lookNote = makeLabel({}, "secondary", card);
    head->addWidget(m_lookNote, 1);
    m_tensor = new ComboBox(tr("Tensors under the microscope"), card);
    m_tensor->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_tensor->setMinimumContentsLength(14);
    m_format = new ComboBox(tr("Format whose window is drawn"), card);
    for (const Dtype dtype : {Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2}) {
        const std::string_view name = facts(dtype).screenName;
        m_format->addItem(QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size())), static_cast<int>(dtype));
    }
    m_format->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_format->setMinimumContentsLength(5);
    head->addWidget(m_tensor);
    head->addWidget(m_format);
    m_microscope = new Microscope(card);
    column->addWidget(m_microscope, 1);
    m_counts = new QStandardItemModel(0, 6, this);
    m_counts->setHorizontalHeaderLabels({tr("scale"), tr("flushed"), tr("subnormal"), tr("normal"), tr("overflow"), tr("exact 0")});
    auto* counts = new CopyTable(tr("Elements by what the format makes of them"), kCountPixels, card);
    counts->setModel(m_counts);
    counts->setFont(pixelFont(font(), kTickPixels));
    counts->horizontalHeader()->setFont(pixelFont(font(), kTagPixels));
    counts->horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    counts->horizontalHeader()->setMinimumSectionSize(20);
    counts->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    counts->horizontalHeader()->setFixedHeight(kCountPixels);
    counts->setFixedHeight(3 * kCountPixels + 2);
    counts->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* foot = new QHBoxLayout;
    foot->setSpacing(8);
    foot->addWidget(counts, 1);
    m_use = makeButton(tr("Use it"), {}, tr("Use the tried loss scale from the next step on"), card);
    m_use->setToolTip(m_use->accessibleName());
    foot->addWidget(m_use, 0, Qt::AlignBottom);
    column->addLayout(foot);
    connect(m_microscope, &Microscope::scaleTried, this, &Instruments::tryScale);
    connect(m_tensor, &QComboBox::activated, this, &Instruments::refreshMicroscope);
    connect(m_format, &QComboBox::activated, this, [this] {
        refreshMicroscope();
        refreshLayers();
    });
    connect(m_use, &QPushButton::clicked, this, [this] { emit scaleWished(m_run, std::exp2(m_tried)); });
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
    auto* groups = new QHBoxLayout;
    groups->setSpacing(0);
    m_group = makeChoice({tr("gradients"), tr("forward"), tr("updates")}, tr("Tensors of the strip"), groups);
    head->addLayout(groups);
    auto* measures = new QHBoxLayout;
    measures->setSpacing(0);
    m_measure = makeChoice({tr("headroom"), tr("flushed"), tr("subnormal"), tr("overflow"), tr("non-finite")}, tr("Measure of the strip"),
                           measures);
    measures->addStretch(1);
    column->addLayout(measures);
    m_strip = new PrecisionStrip(card);
    column->addWidget(m_strip, 1);
    connect(m_strip, &LayerPlot::layerChosen, this, &Instruments::chooseLayer);
    return card;
}

QFrame* Instruments::makeCorridor() {
    const auto [card, head, column] = makeTitledCard(tr("Scale corridor"), this);
    head->addWidget(makeLabel(tr("gradients"), "secondary", card), 1);
    m_mostFlushed = new ComboBox(tr("Share of gradients that may be flushed to zero"), card);
    for (const int percent : {1, 2, 5, 10}) m_mostFlushed->addItem(tr("at most %1\u202F% flushed").arg(percent), percent / 100.0);
    m_mostFlushed->setCurrentIndex(1);
    head->addWidget(m_mostFlushed);
    m_sentence = makeLabel({}, "body2", card);
    m_sentence->setWordWrap(true);
    m_sentence->setMinimumHeight(20);  // level with the strip's rows
    column->addWidget(m_sentence);
    m_corridor = new CorridorPlot(card);
    column->addWidget(m_corridor, 1);
    connect(m_corridor, &LayerPlot::layerChosen, this, &Instruments::chooseLayer);
    connect(m_mostFlushed, &QComboBox::activated, this, &Instruments::refreshLayers);
    return card;
}

void Instruments::show(RunId run, std::int64_t step) {
    if (run != m_run) {
        m_isTrying = false;
        m_layer.clear();
        m_tensorNames.clear();
        if (const RunState* state = m_lab->run(run))
            m_format->setCurrentIndex(m_format->findData(static_cast<int>(windowFormat(state->info.policy))));
    }
    m_run = run;
    m_step = step;
    showCards();
    refreshNow();
}

const StepCensus* Instruments::look() const {
    const RunMeasurements* measured = m_measurements->of(m_run);
    return measured ? measured->nearest(m_step) : nullptr;
}

Dtype Instruments::format() const {
    return static_cast<Dtype>(m_format->currentData().toInt());
}

void Instruments::fillTensors(const StepCensus& look) {
    QStringList names;
    for (const TensorCensus& tensor : look.tensors) names << QString::fromStdString(tensor.tensor);
    if (names == m_tensorNames) return;
    m_tensorNames = names;
    const QString before = m_tensor->currentData().toString();
    m_tensor->clear();
    m_tensor->addItem(tr("all weight gradients"), kAllGradients);
    m_tensor->addItem(tr("all forward tensors"), kAllValues);
    m_tensor->addItem(tr("all updates"), kAllUpdates);
    m_tensor->insertSeparator(3);
    for (const QString& name : names)
        if (m_tensor->findData(name) < 0) m_tensor->addItem(name, name);
    m_tensor->setCurrentIndex(std::max(0, m_tensor->findData(before)));
}

Histogram Instruments::chosenTensors(const StepCensus& look, bool& isScaled, std::int64_t& zeros) const {
    const QString chosen = m_tensor->currentData().toString();
    Histogram sum;
    isScaled = false;
    zeros = 0;
    bool isFirst = true;
    for (const TensorCensus& tensor : look.tensors) {
        const bool isWanted = chosen == kAllGradients ? tensor.role == TensorRole::WeightGradient
                              : chosen == kAllValues  ? tensor.role == TensorRole::Value
                              : chosen == kAllUpdates ? tensor.role == TensorRole::Update
                                                      : QString::fromStdString(tensor.tensor) == chosen;
        if (!isWanted) continue;
        if (isFirst) isScaled = tensor.isScaled;
        isFirst = false;
        if (tensor.isScaled != isScaled) continue;  // one picture, one scale
        addCells(sum, tensor.magnitudes);
        zeros += tensor.classes.zero;
        if (!chosen.startsWith(u'*')) break;
    }
    return sum;
}

void Instruments::tryScale(int exponent) {
    m_isTrying = exponent != m_used;
    m_tried = exponent;
    refreshMicroscope();
    refreshLayers();
}

void Instruments::chooseLayer(const QString& layer) {
    m_layer = layer;
    m_strip->setChosen(layer);
    m_corridor->setChosen(layer);
    // Under the microscope goes what the strip shows of it.
    const auto group = static_cast<StripGroup>(m_group->checkedId() == 0 ? 1 : m_group->checkedId() == 1 ? 0 : 2);
    const StepCensus* seen = look();
    if (!seen) return;
    const TensorCensus* best = nullptr;
    for (const TensorCensus& tensor : seen->tensors) {
        if (QString::fromStdString(tensor.layer) != layer || !isOf(group, tensor.role)) continue;
        if (!best || tensor.role == TensorRole::WeightGradient) best = &tensor;
        if (best->role == TensorRole::WeightGradient) break;
    }
    if (best) m_tensor->setCurrentIndex(std::max(0, m_tensor->findData(QString::fromStdString(best->tensor))));
    refreshMicroscope();
}

void Instruments::refreshNow() {
    m_timer.stop();
    const StepCensus* seen = look();
    if (!seen) return;
    m_used = powerOf(seen->lossScale);
    if (!m_isTrying) m_tried = m_used;
    fillTensors(*seen);
    refreshMicroscope();
    refreshLayers();
}

void Instruments::refreshMicroscope() {
    const StepCensus* seen = look();
    if (!seen) return;
    m_lookNote->setText(tr("step %1").arg(groupedText(seen->step)));
    bool isScaled = false;
    std::int64_t zeros = 0;
    const Histogram numbers = chosenTensors(*seen, isScaled, zeros);
    const RunState* run = m_lab->run(m_run);
    const bool canScale = isScaled && run;
    m_microscope->show({binsOf(numbers), format(), canScale, m_used, m_tried});
    m_counts->setRowCount(0);
    const auto add = [&](const QString& name, int shift) {
        const StoredCounts stored = storedIn(format(), numbers, shift);
        QList<QStandardItem*> cells{new QStandardItem(name)};
        for (const std::int64_t count : {stored.flushed, stored.subnormal, stored.normal, stored.overflowed, zeros}) {
            auto* cell = new QStandardItem(groupedText(count));
            cells << cell;
        }
        for (QStandardItem* cell : cells) {
            cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            cell->setEditable(false);
        }
        if (stored.overflowed > 0) cells[4]->setForeground(Theme::current().danger);
        m_counts->appendRow(cells);
    };
    add(canScale ? tr("used %1").arg(powerOfTwoText(m_used)) : tr("as it is"), 0);
    if (canScale && m_tried != m_used) add(tr("try %1").arg(powerOfTwoText(m_tried)), m_tried - m_used);
    m_use->setVisible(canScale && run->isLive() && run->info.scalerPreset != "none");
    m_use->setEnabled(m_tried != m_used);
}

void Instruments::refreshLayers() {
    const RunMeasurements* measured = m_measurements->of(m_run);
    if (!measured) return;
    fitHeights();
    const int id = m_group->checkedId();
    const StripGroup group = id == 0 ? StripGroup::Gradients : id == 1 ? StripGroup::Forward : StripGroup::Updates;
    m_strip->show(measured, group, static_cast<StripMeasure>(std::max(0, m_measure->checkedId())));
    const std::string_view name = facts(measured->format).screenName;
    m_stripNote->setText(QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size())));
    if (auto* flushed = m_measure->button(1)) flushed->setText(group == StripGroup::Updates ? tr("swallowed") : tr("flushed"));
    CorridorSettings settings{.mostFlushed = m_mostFlushed->currentData().toDouble(), .format = format()};
    std::vector<Corridor> corridors = corridorsOf(measured->looks, settings);
    const Corridor common = intersectionOf(corridors);
    // A scale of 0, or gradients without one finite number, bound nothing.
    if (!(measured->looks.back().lossScale > 0) || (!corridors.empty() && !(common.highest > 0))) {
        m_sentence->setText(tr("These gradients are not finite: they say nothing of a scale."));
        return m_corridor->show({}, {}, m_used, m_tried);
    }
    m_sentence->setText(
        corridors.empty()
            ? tr("No gradient of this run carries a loss scale.")
            : tr("Over the last %1 looks: %2").arg(measured->looks.size()).arg(raisedPowers(QString::fromStdString(common.sentence))));
    m_corridor->show(std::move(corridors), common, m_used, m_tried);
}

void Instruments::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) later();
}

}  // namespace mantissa::gui
