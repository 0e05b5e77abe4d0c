// SPDX-License-Identifier: Apache-2.0
// A watched run's past: restored from a recording, and queried.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "engine/attach/watched_run.h"
#include "engine/attach/watched_tensors.h"

namespace mantissa {

void WatchedRun::recall(const Event& event) {
    if (const auto* steps = std::get_if<StepsRecorded>(&event)) {
        for (const StepRecord& record : steps->records) {
            if (record.step < m_nextStep) continue;
            noteFact(record, (record.flags & kFlagLossNonFinite) == 0);
            noteRow(record.step, isFlaggedBad(record));
            m_hasSteps = true;
            m_nextStep = record.step + 1;
            m_seconds = record.wallSeconds;
            m_skipped = record.skippedTotal;
            if (hasMetric(record, Metric::LossScale)) m_nextScale = record.lossScale;
            noteProgress(record);
        }
    } else if (const auto* measured = std::get_if<TensorsMeasured>(&event)) {
        double largest = 0;
        bool areGradientsKnown = true;
        for (const TensorStats& tensor : measured->stats.tensors) {
            if (!isGradient(tensor.role)) continue;
            areGradientsKnown &= isLargestKnown(tensor, measured->stats.lossScale);
            const double unscaled = tensor.classes.absMax / (tensor.isScaled ? measured->stats.lossScale : 1);
            const bool isWide = isFp16() && unscaled * measured->stats.lossScale > facts(Dtype::F16).maxFinite;
            if (!isWide && !isComputedInFp32(tensor.role, tensor.operation)) largest = std::max(largest, unscaled);
        }
        if (areGradientsKnown) noteGradient(measured->stats.step, largest);
        keep(measured->stats);
    } else if (const auto* examined = std::get_if<StepExamined>(&event)) {
        const Examination& found = examined->examination;
        const auto fact = std::ranges::lower_bound(m_facts, found.step, {}, &ScaleFact::step);
        const bool isLost = found.wasSkipped && !found.card.tensor.empty() && found.card.phase == "forward";
        if (isLost && fact != m_facts.end() && fact->step == found.step) fact->isLost = true, fact->isOverflow = false;
        keep(found);
    } else if (std::holds_alternative<NonFiniteFound>(event)) {
        m_hasEmittedNonFinite = true;
    } else if (const auto* changed = std::get_if<RunChanged>(&event)) {
        m_info = changed->info;
        if (!m_hasSteps) m_nextStep = m_info.firstStep;
        if (isOpen(m_info.watch.link)) m_info.watch.link = WatchLink::Lost;
    }
}

const StepStats* WatchedRun::statisticsOf(std::int64_t step) const {
    if (m_statistics.empty()) return nullptr;
    const auto after = m_statistics.upper_bound(step);
    return after == m_statistics.begin() ? &after->second : &std::prev(after)->second;
}

const Examination* WatchedRun::examinationOf(std::int64_t step) const {
    const auto found = m_examinations.find(step);
    return found == m_examinations.end() ? nullptr : &found->second;
}

std::vector<StepThreshold> WatchedRun::thresholds(std::int64_t firstStep, std::int64_t count) const {
    const auto begin = std::ranges::lower_bound(m_facts, firstStep, {}, &ScaleFact::step);
    double latest = 0;  // largest gradient of the nearest measured step before, else of the first one after
    for (auto fact = m_facts.begin(); fact != m_facts.end() && (latest == 0 || fact < begin); ++fact)
        if (fact->gradientMax > 0) latest = fact->gradientMax;
    if (latest == 0) return {};
    std::vector<StepThreshold> thresholds;
    for (const ScaleFact& fact : std::span(begin, m_facts.end())) {
        if (fact.step - firstStep >= count) break;
        if (fact.gradientMax > 0) latest = fact.gradientMax;
        if (fact.isLost) {
            thresholds.push_back({.step = fact.step, .gradientMax = latest});
            continue;
        }
        const double used = fact.scale;
        double from = facts(Dtype::F16).overflowFrom / latest;
        // In formats other than FP16 a finite step implies nothing for FP16.
        if (fact.isOverflow && used > 0) from = std::min(from, used);
        if (isFp16() && !fact.isOverflow && from <= used) from = std::nextafter(used, kHighestLossScale);
        const double highest = std::exp2(std::ceil(std::log2(from)) - 1);
        thresholds.push_back(
            {.step = fact.step, .highest = std::min(highest, kHighestLossScale), .overflowFrom = from, .gradientMax = latest});
    }
    return thresholds;
}

}  // namespace mantissa
