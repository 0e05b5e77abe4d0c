// SPDX-License-Identifier: GPL-3.0-or-later
// Displays the instruments' data. They are built in instruments_build.cpp; lists of elements are in instruments_elements.cpp.
#include "gui/diagnosis/instruments.h"

#include <QEvent>
#include <QStandardItemModel>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "gui/app/theme.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/diagnosis/examination_text.h"

namespace mantissa::gui {
namespace {

constexpr int kInstrumentMs = 200;  // pictures that change faster cannot be read
// Entries for groups of tensors, above the single tensors.
const QString kAllGradients = QStringLiteral("*gradients"), kAllValues = QStringLiteral("*values"),
              kAllUpdates = QStringLiteral("*updates");

/// log2 of a scale, rounded to an integer.
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

Instruments::Instruments(const SessionModel* session, const Measurements* measurements, QWidget* parent)
    : QWidget(parent), m_session(session), m_measurements(measurements) {
    m_grid = new QGridLayout(this);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(8);
    m_microscopeCard = makeMicroscope();
    m_stripCard = makeStrip();
    m_usableScalesCard = makeUsableScales();
    m_elements = new ElementsPanel(this);
    connect(m_elements, &ElementsPanel::closed, this, [this] { listElements(ElementsFrom::None); });
    connect(m_elements, &ElementsPanel::requested, this, &Instruments::elementsRequested);
    m_empty = makeNotMeasured(this);
    m_grid->addWidget(m_empty, 2, 0, 1, 3);
    arrange();
    showCards();
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &Instruments::refreshNow);
    // Closes lists of elements whose steps no longer exist.
    const auto closeList = [this] { listElements(ElementsFrom::None); };
    connect(session, &SessionModel::experimentLoaded, this, closeList);
    connect(session, &SessionModel::seriesReset, this, closeList);
    connect(session, &SessionModel::runRewound, this, [this, closeList](int run, qint64 step) {
        if (run == m_elements->subject().run && step <= m_elements->subject().step) closeList();
    });
    connect(measurements, &Measurements::measured, this, [this](int run) {
        if (run != m_run) return;
        if (m_isEmpty == hasStats()) {
            showCards();
            emit statsChanged();
        }
        later();
    });
}

void Instruments::showCards() {
    m_isEmpty = !hasStats();
    m_empty->setVisible(m_isEmpty);
    const auto isOpen = [this](ElementsFrom from) { return m_elementsFrom == ElementsFrom::None || m_elementsFrom == from; };
    m_microscopeCard->setVisible(!m_isEmpty && isOpen(ElementsFrom::Microscope));
    m_stripCard->setVisible(!m_isEmpty && isOpen(ElementsFrom::Strip));
    m_usableScalesCard->setVisible(!m_isEmpty && m_elementsFrom == ElementsFrom::None);
    m_elements->setVisible(!m_isEmpty && m_elementsFrom != ElementsFrom::None);
}

void Instruments::later() {
    if (m_timer.isActive()) return;
    // After a pause, new data is shown at once.
    const qint64 since = m_sinceRefresh.isValid() ? m_sinceRefresh.elapsed() : kInstrumentMs;
    m_timer.start(static_cast<int>(std::clamp<qint64>(kInstrumentMs - since, 0, kInstrumentMs)));
}

void Instruments::show(RunId run, std::int64_t step) {
    if (run != m_run) {
        m_isTrying = false;
        m_layer.clear();
        m_tensorNames.clear();
        listElements(ElementsFrom::None);
        if (const RunState* state = m_session->run(run)) {
            m_tensorFormat = windowFormat(state->info.policy);
            m_format->setCurrentIndex(m_format->findData(static_cast<int>(m_tensorFormat)));
        }
    }
    m_run = run;
    m_step = step;
    showCards();
    refreshNow();
}

const StepStats* Instruments::stats() const {
    const RunMeasurements* measured = m_measurements->of(m_run);
    return measured ? measured->nearest(m_step) : nullptr;
}

QString Instruments::inPart(bool isPart, const QString& whole) {
    return isPart ? tr("%1, one block in eight").arg(whole) : whole;
}

std::optional<BlockFormat> Instruments::blockFormat() const {
    const QVariant chosen = m_format->currentData();
    return chosen.typeId() == QMetaType::QString ? blockFormatFromName(chosen.toString().toStdString()) : std::nullopt;
}

void Instruments::fillTensors(const StepStats& stats) {
    QStringList names;
    for (const TensorStats& tensor : stats.tensors) names << QString::fromStdString(tensor.tensor);
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

Instruments::Chosen Instruments::chosenTensors(const StepStats& stats) const {
    const QString chosen = m_tensor->currentData().toString();
    const std::string chosenName = chosen.toStdString();
    Chosen sum;
    for (const TensorStats& tensor : stats.tensors) {
        const bool isWanted = chosen == kAllGradients ? tensor.role == TensorRole::WeightGradient
                              : chosen == kAllValues  ? isOf(StripGroup::Forward, tensor)
                              : chosen == kAllUpdates ? tensor.role == TensorRole::Update
                                                      : tensor.tensor == chosenName;
        if (!isWanted) continue;
        if (sum.names.empty()) sum.isScaled = tensor.isScaled;
        if (tensor.isScaled != sum.isScaled) continue;  // all tensors in one histogram have one scale
        addCells(sum.numbers, tensor.magnitudes);
        sum.classes.zero += tensor.classes.zero;
        sum.classes.absMax = std::max(sum.classes.absMax, tensor.classes.absMax);
        sum.classes.positiveInf += tensor.classes.positiveInf;
        sum.classes.negativeInf += tensor.classes.negativeInf;
        sum.classes.nan += tensor.classes.nan;
        sum.names.push_back(nameOf(tensor));
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
    m_usableScalesPlot->setChosen(layer);
    // The microscope shows the group that the strip shows.
    const StripGroup group = shownGroup();
    const StepStats* seen = stats();
    if (!seen) return;
    const TensorStats* best = nullptr;
    for (const TensorStats& tensor : seen->tensors) {
        if (QString::fromStdString(tensor.layer) != layer || !isOf(group, tensor)) continue;
        if (!best || tensor.role == TensorRole::WeightGradient) best = &tensor;
        if (best->role == TensorRole::WeightGradient) break;
    }
    if (best) m_tensor->setCurrentIndex(std::max(0, m_tensor->findData(QString::fromStdString(best->tensor))));
    refreshMicroscope();
}

void Instruments::refreshNow() {
    m_timer.stop();
    m_sinceRefresh.start();
    const StepStats* seen = stats();
    if (!seen) return;
    m_used = powerOf(seen->lossScale);
    if (!m_isTrying) m_tried = m_used;
    fillTensors(*seen);
    refreshMicroscope();
    refreshLayers();
}

void Instruments::refreshMicroscope() {
    const StepStats* seen = stats();
    if (!seen) return;
    const Chosen tensors = chosenTensors(*seen);
    refreshNote(*seen);
    const RunState* run = m_session->run(m_run);
    const bool canScale = tensors.isScaled && run;
    std::optional<BlockWindow> block;
    if (const auto chosen = blockFormat(); chosen && tensors.classes.absMax > 0) block = blockWindow(*chosen, tensors.classes.absMax);
    const bool canTry = canScale && !block;  // blocks follow the scale
    m_microscope->show(
        {binsOf(tensors.numbers), m_tensorFormat, canTry, m_used, m_tried, listedBar(*seen, tensors), tensors.classes, block});
    m_counts->setRowCount(0);
    const auto add = [&](const QString& name, int shift) {
        const StoredCounts stored = storedIn(m_tensorFormat, tensors.numbers, shift);
        QList<QStandardItem*> cells{new QStandardItem(name)};
        for (const std::int64_t count : {stored.flushed, stored.subnormal, stored.normal, stored.overflowed, tensors.classes.zero}) {
            cells << new QStandardItem(groupedText(count));
        }
        if (block) {  // how numbers share blocks is not known here
            cells[1]->setText(u'\u2264' + groupedText(atMostFlushed(*block, tensors.numbers)));
            for (QStandardItem* cell : {cells[2], cells[3], cells[4]}) cell->setText(QStringLiteral("\u2013"));
            for (QStandardItem* cell : cells)
                cell->setToolTip(
                    tr("Upper bound: all numbers are treated as if they shared the block of the largest one. The page “Blocks” has exact "
                       "counts."));
        }
        if (stored.overflowed > 0 && !block) cells[4]->setForeground(Theme::current().danger);
        // Values that are Inf were too large at the scale used; their size at another scale is unknown.
        cells << new QStandardItem(shift == 0 ? groupedText(tensors.classes.nonFinite()) : QStringLiteral("\u2013"));
        if (shift == 0 && tensors.classes.nonFinite() > 0) cells.back()->setForeground(Theme::current().danger);
        for (QStandardItem* cell : cells) {
            cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            cell->setEditable(false);
        }
        m_counts->appendRow(cells);
    };
    add(canScale ? tr("used %1").arg(powerOfTwoText(m_used)) : tr("as it is"), 0);
    if (canTry && m_tried != m_used) add(tr("try %1").arg(powerOfTwoText(m_tried)), m_tried - m_used);
    m_use->setVisible(canScale && run->isLive() && run->info.scalerPreset != "none");
    m_use->setEnabled(m_tried != m_used);
}

/// A step that was skipped because of its loss scale, but not measured, still gives a bound: half of that scale.
std::optional<UsableScales> Instruments::boundOfSkip(Dtype ownFormat) const {
    const RunState* run = m_session->run(m_run);
    if (!run || run->isRecorded() || m_tensorFormat != ownFormat) return std::nullopt;
    if (!std::binary_search(run->skippedSteps.begin(), run->skippedSteps.end(), m_step)) return std::nullopt;
    const double scale = run->lossScale.value(run->placeIn(run->lossScale, m_step));
    if ((run->flagsAt(m_step) & kFlagLossNonFinite) || !(scale > 1) || !std::isfinite(scale)) return std::nullopt;
    const Examination* found = run->examinationAt(m_step);
    if (found && found->verdict.kind != StepVerdict::ScaleTooHigh) return std::nullopt;
    const std::string step = tr("step %1").arg(groupedText(m_step)).toStdString();
    return UsableScales{.format = ownFormat,
                        .highest = scale / 2,
                        .highestBy = step,
                        .headroom = std::numeric_limits<double>::infinity(),
                        .overflowedBy = step};
}

void Instruments::refreshLayers() {
    const RunMeasurements* measured = m_measurements->of(m_run);
    if (!measured) return;
    fitHeights();
    const StripGroup group = shownGroup();
    m_strip->show(measured, group, static_cast<StripMeasure>(std::max(0, m_measure->checkedId())));
    const bool isPart =
        std::any_of(measured->samples.begin(), measured->samples.end(), [](const StepStats& each) { return each.isPartial(); });
    m_stripNote->setText(inPart(isPart, formatText(measured->format)));
    if (auto* flushed = m_measure->button(1)) flushed->setText(group == StripGroup::Updates ? tr("lost") : tr("flushed"));
    const StepStats* seen = stats();
    const bool isOfStep = seen && seen->step == m_step;  // that step alone: later steps must not hide the reason for its skip
    const std::span<const StepStats> samples = isOfStep                    ? std::span(seen, 1)
                                               : measured->samples.empty() ? std::span<const StepStats>(measured->asked)
                                                                           : std::span<const StepStats>(measured->samples);
    UsableScalesSettings settings{.mostFlushed = m_mostFlushed->currentData().toDouble(), .format = m_tensorFormat};
    if (const RunState* run = m_session->run(m_run)) settings.failedSteps = failedSteps(*run, samples);
    std::vector<UsableScales> usableScales = usableScalesOf(samples, settings);
    UsableScales common = intersectionOf(usableScales);
    if (const auto skip = isOfStep ? std::nullopt : boundOfSkip(measured->format)) common = intersectionOf(std::array{common, *skip});
    // A scale of 0, or gradients without a finite number, give no bounds.
    if (!(samples.back().lossScale > 0) || (!usableScales.empty() && !(common.highest > 0))) {
        m_sentence->setText(tr("These gradients are not finite, so no loss scale follows from them."));
        return m_usableScalesPlot->show({}, {}, m_used, m_tried);
    }
    const QString of = isOfStep              ? tr("At step %1:").arg(groupedText(m_step))
                       : samples.size() == 1 ? tr("In one sample of tensor statistics:")
                                             : tr("Over the last %1 samples of tensor statistics:").arg(samples.size());
    const bool isBroken =
        std::all_of(samples.begin(), samples.end(), [&](const StepStats& each) { return isForwardBroken(each, settings.failedSteps); });
    m_sentence->setText(isBroken               ? of + u' ' + tr("the forward pass is not finite, and no loss scale changes that")
                        : usableScales.empty() ? tr("No gradient of this run carries a loss scale.")
                                               : of + u' ' + engineText(common.sentence));
    m_usableScalesPlot->show(std::move(usableScales), common, m_used, m_tried);
}

void Instruments::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) later();
}

}  // namespace mantissa::gui
