// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/forecast_page.h"

#include <cmath>

#include "engine/diagnosis/usable_scales.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/diagnosis/examination_text.h"

namespace mantissa::gui {
namespace {

constexpr int kForecastMs = 200;  // tables that change faster cannot be read
constexpr Dtype kFormats[] = {Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2};

}  // namespace

ForecastPage::ForecastPage(const SessionModel* session, const Measurements* measurements, QWidget* parent)
    : QWidget(parent), m_session(session), m_measurements(measurements), m_timer(kForecastMs) {
    auto* all = makeColumn(0, {}, this);
    m_empty = makeNotMeasured(this);
    all->addWidget(m_empty);
    const auto [card, head, column] = makeTitledCard(tr("Before a switch"), this);
    m_card = card;
    all->addWidget(card, 1);
    buildHead(head);
    auto* words = makeRow(10, {0, 6, 0, 0});
    m_icon = new IconLabel(card, 18);
    m_sentence = makeWrappedLabel({}, "lead", card);
    words->addWidget(m_icon);
    words->addWidget(m_sentence, 1);
    column->addLayout(words);
    m_note = makeWrappedLabel({}, "secondary", card);
    column->addWidget(m_note);
    m_model = new ForecastModel(this);
    column->addWidget(new ForecastTable(m_model, card), 1);

    connect(&m_timer, &Delay::timeout, this, &ForecastPage::refreshNow);
    connect(measurements, &Measurements::measured, this, [this](int run) {
        if (run == m_run && isVisible()) m_timer.begin();
    });
    refreshNow();
}

void ForecastPage::buildHead(QHBoxLayout* head) {
    head->addStretch(1);
    QStringList names;
    for (const Dtype format : kFormats) names << formatText(format);
    auto* formats = makeRow(0);
    m_formats = makeSegments(names, tr("Target format"), formats, this);
    head->addLayout(formats);
    auto* blocks = makeButton(tr("Block formats"), {}, tr("Block formats: on the page “Blocks”"), this);
    blocks->setToolTip(tr("MXFP8, NVFP4 and the others: the page “Blocks” repeats a step as after a switch"));
    connect(blocks, &QPushButton::clicked, this, &ForecastPage::blockFormatsChosen);
    head->addSpacing(8);
    head->addWidget(blocks);
    head->addSpacing(12);
    m_scaleLabel = makeLabel(tr("Loss scale"), "secondary", this);
    m_halve = makeButton(QStringLiteral("/2"), {}, tr("Half the tried loss scale"), this);
    m_spin = new ScaleSpin(tr("Tried loss scale"), this);
    m_double = makeButton(QStringLiteral("×2"), {}, tr("Twice the tried loss scale"), this);
    m_safe = makeButton({}, {}, tr("Try the loss scale that is safe"), this);
    for (QWidget* part : std::initializer_list<QWidget*>{m_scaleLabel, m_halve, m_spin, m_double, m_safe}) head->addWidget(part);
    connect(m_formats, &QButtonGroup::idClicked, this, &ForecastPage::refreshNow);
    connect(m_spin, &ScaleSpin::requested, this, &ForecastPage::tryScale);
    connect(m_spin, &ScaleSpin::stepped, this, [this](int powers) { tryScale(std::ldexp(m_scale, powers)); });
    connect(m_halve, &QPushButton::clicked, this, [this] { tryScale(m_scale / 2); });
    connect(m_double, &QPushButton::clicked, this, [this] { tryScale(m_scale * 2); });
    connect(m_safe, &QPushButton::clicked, this, [this] {
        m_isTrying = false;
        refreshNow();
    });
}

Dtype ForecastPage::format() const {
    return kFormats[std::max(0, m_formats->checkedId())];
}

void ForecastPage::chooseFormat(Dtype format) {
    for (int i = 0; i < static_cast<int>(std::size(kFormats)); ++i)
        if (kFormats[i] == format) m_formats->button(i)->setChecked(true);
    refreshNow();
}

void ForecastPage::tryScale(double scale) {
    if (!isUsableScale(scale)) return;
    m_scale = scale;
    m_isTrying = true;
    refreshNow();
}

void ForecastPage::show(RunId run, std::int64_t step) {
    m_step = step;
    if (run != std::exchange(m_run, run)) {
        m_isTrying = false;
        // Suggests a format that the run does not use.
        const RunState* state = m_session->run(run);
        return chooseFormat(state && state->info.policy == "fp16" ? Dtype::BF16 : Dtype::F16);
    }
    refreshNow();
}

void ForecastPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refreshNow();
}

void ForecastPage::refreshScale(const RunMeasurements& measured, const StepStats& stats) {
    const bool hasOwnScales = isFp8(format()), isKnown = stats.lossScale > 0 && std::isfinite(stats.lossScale);
    const std::vector<StepStats>& samples = measured.samples.empty() ? measured.asked : measured.samples;
    const RunState* run = m_session->run(m_run);
    UsableScalesSettings settings{.format = format()};
    if (run) settings.failedSteps = failedSteps(*run, samples);
    const UsableScales usable = intersectionOf(usableScalesOf(samples, settings));
    // A last scale of 0, or gradients without a finite number, give no bounds.
    const bool isBounded = samples.back().lossScale > 0 && usable.highest > 0;
    const double safe = !isKnown ? 1 : isBounded ? scaleFrom(usable, stats.lossScale) : stats.lossScale;
    if (!m_isTrying) m_scale = safe;
    // The counts describe only scales that differ by a power of two.
    if (isKnown) m_scale = std::ldexp(stats.lossScale, static_cast<int>(std::lround(std::log2(m_scale / stats.lossScale))));
    m_spin->setScale(m_scale);
    const bool isUsed = usable.holds(stats.lossScale) || !usable.isKnown();
    m_safe->setText((isUsed                                             ? tr("used: %1")
                     : !usable.isEmpty() && usable.overflowedBy.empty() ? tr("safe: %1")
                                                                        : tr("try: %1"))
                        .arg(scaleText(safe)));
    m_safe->setAccessibleName(tr("Try the loss scale %1").arg(scaleText(safe)));
    const QString sentence = engineText(usable.sentence);
    m_safe->setToolTip(samples.size() == 1
                           ? tr("In one sample of tensor statistics, as %1: %2").arg(formatText(format()), sentence)
                           : tr("Over the last %1 samples of tensor statistics, as %2: %3")
                                 .arg(groupedText(static_cast<std::int64_t>(samples.size())), formatText(format()), sentence));
    m_safe->setEnabled(isKnown && m_scale != safe);
    for (QWidget* part : {static_cast<QWidget*>(m_halve), static_cast<QWidget*>(m_spin), static_cast<QWidget*>(m_double)}) {
        part->setEnabled(isKnown);
        part->setVisible(!hasOwnScales);
    }
    m_safe->setVisible(!hasOwnScales);
    m_scaleLabel->setText(hasOwnScales ? tr("each tensor has its own scale") : tr("Loss scale"));
}

void ForecastPage::refreshNow() {
    m_timer.stop();
    const RunMeasurements* measured = m_measurements->of(m_run);
    const StepStats* stats = measured ? measured->nearest(m_step) : nullptr;
    const RunState* run = m_session->run(m_run);
    m_card->setVisible(stats && run);
    m_empty->setVisible(!stats || !run);
    if (!stats || !run) return;
    refreshScale(*measured, *stats);
    const bool isKnown = stats->lossScale > 0 && std::isfinite(stats->lossScale);
    const auto settings =
        ForecastSettings::of(format(), isKnown ? static_cast<int>(std::lround(std::log2(m_scale / stats->lossScale))) : 0);
    const ForecastVerdict verdict = forecastVerdict(*stats, settings);
    m_icon->setIcon(verdict.severity == Severity::Good  ? QStringLiteral("check")
                    : verdict.severity == Severity::Bad ? QStringLiteral("warning")
                                                        : QStringLiteral("info"),
                    verdict.severity == Severity::Bad ? IconInk::Danger : IconInk::Ink2);
    m_sentence->setText(engineText(verdict.sentence));
    const QString caveat = !verdict.caveat.empty() ? engineText(verdict.caveat)
                           : run->isWatched()
                               ? tr("The measured tensors of this step are in FP32.")
                               : tr("Exact: this step kept everything in FP32. To see how training would continue, make a fork.");
    m_note->setText(
        tr("Step %1 of %2, as if %3 stored every tensor. %4").arg(groupedText(stats->step), run->name(), formatText(format()), caveat));
    m_model->show(forecastRows(forecast(*stats, settings)));
}

}  // namespace mantissa::gui
