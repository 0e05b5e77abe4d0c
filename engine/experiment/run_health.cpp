// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/run_health.h"

#include <algorithm>
#include <cmath>

#include "engine/precision/scaler.h"

namespace mantissa {
namespace {

constexpr double kUsualBackoff = 0.5, kRoundoff = 0.99;
constexpr double kLossMemory = 0.9;     // of the moving average, each step
constexpr double kLearnedShare = 0.01;  // of the first loss: from here on updates may well be too small

Health healthFrom(const SilentMatter& matter) {
    return {Verdict::SilentFailure, Severity::Bad, matter.title, matter.headline() + matter.sentence};
}

}  // namespace

/// Records may be thinned: skips are counted by the total.
void RunHealth::ScaleHistory::add(const StepRecord& record) {
    const double scale = std::abs(record.lossScale);
    const std::int64_t skipsBefore = record.skippedTotal - (record.skipped() ? 1 : 0);
    const bool hasSkipped = skipsBefore != skipsBeforeLast;
    // What the scaler itself makes of it: half of it for each skip, with the usual factor.
    const double backedOff = last * std::pow(kUsualBackoff, static_cast<double>(skipsBefore - skipsBeforeLast));
    const bool isByHand = (record.flags & kFlagSettingChanged) != 0 && (scale < kRoundoff * backedOff || (scale > last && !hasGrown));
    if (!hasSteps || isByHand) {
        hasSteps = isSearch = true;
        searchFrom = record.step;
        skipsBeforeSearch = skipsBefore;
    } else if (scale > last) {
        isSearch = false;
    }
    if (isByHand || (scale < last && !hasSkipped) || !(scale < highest)) {
        highest = scale;
        skipsBeforeHighest = skipsBefore;
    }
    last = scale;
    skipsBeforeLast = skipsBefore;
    hasGrown = (record.flags & kFlagScaleGrew) != 0;
    if (isSearch && record.skipped() && record.step - searchFrom < 2 * (record.skippedTotal - skipsBeforeSearch)) highest = 0;
}

void RunHealth::add(const StepRecord& record) {
    m_scale.add(record);
    m_input.steps = record.step + 1;
    m_input.skippedTotal = record.skippedTotal;
    m_input.consecutiveSkips = record.skipped() ? m_input.consecutiveSkips + 1 : 0;
    if (record.skipped()) {
        m_input.lastSkip = record.step;
        m_input.lastSkipRow = m_input.consecutiveSkips;
        m_input.lastGrowthBeforeSkip = m_input.lastGrowth;
    }
    if ((record.flags & kFlagScaleGrew) != 0) m_input.lastGrowth = record.step;
    // A value that a watched run does not report is not a failure.
    m_input.isLastLossFinite = std::isfinite(record.loss) || !hasMetric(record, Metric::Loss);
    m_input.isLastNormFinite = std::isfinite(record.gradNorm) || !hasMetric(record, Metric::GradNorm);
    if (std::isfinite(record.loss)) {
        m_usualLoss = m_firstLoss == 0 ? record.loss : kLossMemory * m_usualLoss + (1 - kLossMemory) * record.loss;
        if (m_firstLoss == 0) m_firstLoss = record.loss;
    }
    if (record.validated()) m_isLastValidationFinite = std::isfinite(record.validationLoss);
}

std::optional<FirstNonFinite> RunHealth::cause(std::span<const Examination> examinations,
                                               const std::optional<FirstNonFinite>& first) const {
    const std::int64_t from = m_input.steps - m_input.consecutiveSkips;
    const auto found = std::find_if(examinations.begin(), examinations.end(),
                                    [&](const Examination& each) { return each.step >= from && !each.card.tensor.empty(); });
    if (!first || first->step >= from || found == examinations.end()) return first;
    const ProvenanceCard& card = found->card;
    return FirstNonFinite{found->step, card.layer, card.operation, card.phase, card.tensor, card.cls};
}

Health RunHealth::verdict(const RunInfo& info, double nextScale, std::int64_t cleanSteps, const std::optional<FirstNonFinite>& first,
                          const std::string& stopReason, const std::optional<SilentMatter>& matter) const {
    HealthInput input = m_input;
    input.preset = info.scalerPreset;
    input.isDynamic = info.scalerIsDynamic;
    input.growthInterval = resolvedScaler(info.settings.training.scaler).growthInterval;
    input.scale = nextScale;
    input.cleanSteps = cleanSteps;
    const double backedOff = m_input.consecutiveSkips == 0 ? m_scale.last : kUsualBackoff * m_scale.last;
    const bool isSetByHand = std::abs(nextScale) < kRoundoff * backedOff;
    if (!isSetByHand) {
        input.highestScale = m_scale.highest;
        input.skipsSinceHighest = m_input.skippedTotal - m_scale.skipsBeforeHighest;
    }
    input.stopReason = stopReason;
    const bool isWatched = info.kind == RunKind::Watched;
    input.isOver = isWatched && !isOpen(info.watch.link);
    if (first) {
        input.firstNonFiniteStep = first->step;
        for (const std::string& part : {first->layer, first->operation, first->phase})
            if (!part.empty()) input.firstNonFiniteWhere += (input.firstNonFiniteWhere.empty() ? "" : ", ") + part;
        input.isFirstNonFiniteForward = first->phase == "forward";
    }
    Health health = judge(input);
    const bool isLost = isWatched && info.watch.link == WatchLink::Lost;
    const bool isOfNow =
        health.severity == Severity::Good || health.verdict == Verdict::Calibrating || health.verdict == Verdict::NotStarted;
    if (isLost && isOfNow && !matter)
        return {Verdict::Stopped, Severity::Note, "Interrupted"_text, "The training's process no longer reports."_text};
    const bool isLastFinite = input.consecutiveSkips == 0 && input.isLastLossFinite && input.isLastNormFinite;
    if (input.steps == 0 || !isLastFinite || health.severity == Severity::Bad) return health;
    if (!matter) return health;
    if (!matter->isOfUpdates || !(m_usualLoss < kLearnedShare * m_firstLoss)) return healthFrom(*matter);
    health.severity = Severity::Note;
    health.sentence = {"The loss is %1 of the first one. By now some updates are too small to change a weight."_text,
                       Percent{m_usualLoss / m_firstLoss}};
    return health;
}

}  // namespace mantissa
