// SPDX-License-Identifier: Apache-2.0
// Non-finite steps of a watched run, and steps captured operation by operation.
#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

#include "engine/attach/watched_run.h"
#include "engine/attach/watched_tensors.h"
#include "engine/attach/watched_verdict.h"
#include "engine/precision/scaler.h"

namespace mantissa {
namespace {

constexpr std::size_t kMostExaminations = 400, kMostLinks = 200;

}  // namespace

/// Examines the first three steps of a row, and then the 4th, 8th, 16th, ...
void WatchedRun::examine(const ProbeStep& step, const StepRecord& record) {
    const auto row = static_cast<std::uint64_t>(m_badInARow);
    const bool isCaptured = m_captured && m_captured->step == step.step;
    if (row > 3 && !std::has_single_bit(row) && !isCaptured) return;
    Examination found{.step = step.step, .policy = m_info.policy, .lossScale = record.lossScale, .wasSkipped = record.skipped()};
    ProvenanceCard& card = found.card;
    const auto isLate = [&](std::int64_t each) { return each > record.step - WatchedEvidence::kLately && each < record.step; };
    WatchedEvidence evidence{.bad = step.firstBad,
                             .autocast = step.autocast,
                             .badWeights = step.badWeights,
                             .loss = step.loss,
                             .hasScaler = m_info.scalerIsDynamic,
                             .lossScale = record.lossScale,
                             .gradientMax = m_gradientMax,
                             .gradientStep = m_gradientStep,
                             .consecutiveSkips = m_badInARow,
                             .skipsLately = std::ranges::count_if(m_latestSkips, isLate) + (record.skipped() ? 1 : 0),
                             .stepsLately = std::min(record.step - m_firstTaken + 1, WatchedEvidence::kLately),
                             .hasTakenStep = m_firstTaken >= 0 || m_info.firstStep > 0};
    for (const auto& [id, magnitude] : step.magnitudes) {
        const auto tensor = m_tensors.find(id);
        const bool isOutput = tensor != m_tensors.end() && tensor->second.role == TensorRole::Value;
        if (isOutput && std::isfinite(magnitude)) evidence.largestOutput = std::max(evidence.largestOutput, static_cast<double>(magnitude));
    }
    const std::int64_t interval = resolvedScaler(m_info.settings.training.scaler).growthInterval;
    constexpr std::int64_t kOfEachGrowth = 3;  // skips, as in isHealthy (engine/diagnosis/healthy.cpp)
    if (interval > 0) evidence.usualSkips = std::max(evidence.usualSkips, 1 + kOfEachGrowth * (WatchedEvidence::kLately / interval));
    constexpr std::int64_t kRaisedLately = 10;
    evidence.usualLoss = m_usualLoss;
    evidence.latestLoss = m_latestLoss;
    if (!m_takenLosses.empty()) evidence.highestLoss = *std::max_element(m_takenLosses.begin(), m_takenLosses.end());
    // Steps that are bad in a row have one cause, before the first of them.
    if (m_lrStep >= 0 && m_lrStep < m_rowBegin && m_rowBegin - m_lrStep <= kRaisedLately) {
        evidence.lrStep = m_lrStep;
        evidence.lrBefore = m_lrBefore;
        evidence.lr = m_lrAfter;
    }
    if (step.firstBad) {
        card.layer = step.firstBad->module;
        card.tensor = step.firstBad->name;
        card.phase = phaseOf(step.firstBad->role);
        card.cls = step.firstBad->isNan ? "NaN" : "Inf";
        card.isProducer = step.firstBad->role == TensorRole::Value && step.firstBad->areInputsFinite == true;
        const auto tensor = step.firstBad->tensor ? m_tensors.find(*step.firstBad->tensor) : m_tensors.end();
        if (tensor != m_tensors.end()) {
            card.operation = evidence.operation = tensor->second.cls;
            card.format = card.storage = facts(tensor->second.dtype).name;
            card.shape = tensor->second.shape;
            card.elements = tensor->second.elements;
            evidence.format = tensor->second.dtype;
        }
        card.formatMax = facts(evidence.format).maxFinite;
    } else if ((record.flags & kFlagLossNonFinite) != 0) {
        card.tensor = "loss";
        card.phase = "forward";
        card.cls = std::isnan(record.loss) ? "NaN" : record.loss > 0 ? "+Inf" : "-Inf";
    } else {
        card.tensor = "gradients";
        card.phase = "backward";
        card.cls = "Inf";
    }
    found.verdict = judgeWatched(evidence);
    if (isCaptured) add(*m_captured, found);
    flush();
    if (!std::exchange(m_hasEmittedNonFinite, true))
        m_sink(NonFiniteFound{m_info.id, {step.step, card.layer, card.operation, card.phase, card.tensor, card.cls}});
    keep(found);
    m_sink(StepExamined{m_info.id, std::move(found)});
}

void WatchedRun::keep(const Examination& examination) {
    if (m_examinations.size() >= kMostExaminations) m_examinations.erase(std::next(m_examinations.begin(), kMostExaminations / 2));
    m_examinations.insert_or_assign(examination.step, examination);
}

/// Names the operation that made the first non-finite number, which is more precise than its module.
void WatchedRun::add(const OperationsCaptured& captured, Examination& found) {
    ProvenanceCard& card = found.card;
    SkipVerdict& verdict = found.verdict;
    const bool isJudged = !verdict.headline.empty();
    if (!captured.problem.empty()) {
        verdict.explanation += Text("The operations of this step could not be captured: %1."_text, captured.problem);
        if (!isJudged) verdict.headline = "Not every operation of this step was seen."_text;
    }
    // The operations up to the first non-finite one and two more; of a finite step the last ones.
    const std::size_t count = captured.operations.size();
    const std::size_t end = captured.firstBad < 0 ? count : std::min(count, static_cast<std::size_t>(captured.firstBad) + 3);
    const std::size_t begin = end > kMostLinks ? end - kMostLinks : 0;
    for (std::size_t i = begin; i < end; ++i) {
        const CapturedOperation& operation = captured.operations[i];
        card.chain.push_back({.layer = operation.module,
                              .operation = operation.operation,
                              .phase = operation.phase,
                              .tensor = operation.module + " " + operation.operation,
                              .format = operation.dtype,
                              .absMax = operation.absMax});
    }
    if (captured.firstBad >= 0) {
        const auto place = static_cast<std::size_t>(captured.firstBad);
        const CapturedOperation& first = captured.operations[place];
        card.chain[place - begin].nonFinite = 1;
        card.operation = first.operation;
        card.layer = first.module;
        card.phase = first.phase;
        card.format = card.storage = first.dtype;
        card.shape = first.shape;
        card.tensor = card.chain[place - begin].tensor;
        card.instruction = static_cast<std::int32_t>(place + 1);
        card.instructions = static_cast<std::int32_t>(count);
        verdict.explanation += Text("Of the operations of this step, %1 in %2 was the first that gave a number which is not finite."_text,
                                    first.operation, first.module.empty() ? Text("the model itself"_text) : Text::verbatim(first.module));
        if (!isJudged) verdict.headline = "An operation made a number that is not finite."_text;
    } else if (!isJudged && captured.problem.empty()) {
        verdict.kind = captured.leftOut > 0 ? StepVerdict::Unexplained : StepVerdict::Sound;
        verdict.headline = captured.leftOut > 0 ? "Not every operation of this step was seen."_text
                                                : "Every operation of this step gave finite numbers."_text;
        verdict.explanation = counted(static_cast<std::int64_t>(count), "%1 operation was seen."_text,
                                      "%1 operations were seen, in the order in which they ran."_text);
    }
    if (captured.leftOut > 0)
        verdict.explanation += counted(captured.leftOut, "%1 operation was not seen."_text, "%1 operations were not seen."_text);
}

/// The probe sends it before the step's own message, which is merged with it later.
void WatchedRun::take(OperationsCaptured&& captured) {
    if (m_captured && m_captured->step == captured.step) return;  // a repeated message
    Examination found{.step = captured.step, .policy = m_info.policy, .lossScale = m_nextScale};
    if (const auto before = m_examinations.find(captured.step); before != m_examinations.end()) found = before->second;
    if (!found.card.chain.empty()) return;
    add(captured, found);
    m_captured = std::move(captured);
    flush();
    keep(found);
    m_sink(StepExamined{m_info.id, std::move(found)});
}

}  // namespace mantissa
