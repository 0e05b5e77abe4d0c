// SPDX-License-Identifier: Apache-2.0
#include "engine/training/silent_findings.h"

#include <algorithm>
#include <cmath>

#include "engine/diagnosis/verdict.h"
#include "engine/models/builder.h"

namespace mantissa {
namespace {

/// Above these a tensor, or the gradients, are not FP32's any more; what formats do otherwise stays far below, fp8's too.
constexpr double kForeignTensor = 0.6, kForeignGradients = 0.9, kFlushed = 0.25, kLostUpdates = 0.9, kLeftByClipping = 1e-4;
/// A weight this many times its tensor's root mean square is none that training makes; trained transformers stay below a thousand.
constexpr double kOutlier = 1e4;
constexpr double kFlushedWeights = 0.5, kSaturated = 0.99, kAtLimit = 1e-4, kStanding = 0.9;
/// Below this loss a run has learned what there is: gradients vanish, and nothing moves.
constexpr double kLearned = 1e-2;
constexpr std::int64_t kStepsToProgress = 50;
constexpr double kNoProgress = 0.99;

/// Whether the derivative of the activation function is 0 there.
bool isAtLimit(const std::string& activation, float y) {
    if (activation == "sigmoid") return y < kAtLimit || y > 1 - kAtLimit;
    if (activation == "tanh") return std::abs(y) > 1 - kAtLimit;
    return y == 0;
}

/// By the part before the last dot.
std::string layerOf(const std::string& tensor) {
    return tensor.substr(0, tensor.rfind('.'));
}

}  // namespace

void SilentFindings::note(SilentKind kind, double value, std::string tensor) {
    const std::string layer = tensor.empty() ? "" : layerOf(tensor);
    m_findings.push_back({.kind = kind, .layer = layer, .tensor = std::move(tensor), .value = value});
}

StepMoves movesOfNextStep(Trainer& trainer) {
    const std::vector<NamedTensor> before = trainer.weights();
    const StepRecord record = trainer.step();
    const std::vector<NamedTensor> after = trainer.weights();
    StepMoves result;
    if (const std::optional<double> bound = trainer.settings().clipGradNorm) result.leftByClipping = *bound / record.gradNorm;
    for (std::size_t t = 0; t < trainer.plan().parameterBuffers.size(); ++t) {  // running statistics come after them
        for (std::size_t i = 0; i < before[t].values.size(); ++i) result.moves.push_back(before[t].values[i] != after[t].values[i]);
    }
    return result;
}

void SilentFindings::compareTensors(const TwinStep& used, const TwinStep& wide) {
    for (const LayerDifference& each : tensorDifferences(used, wide)) {
        if (each.role != TensorRole::Value || each.broken > 0 || !(each.relative() > kForeignTensor)) continue;
        const auto own = std::find_if(used.begin(), used.end(), [&](const TwinTensor& t) { return t.tensor == each.tensor; });
        const bool isZero = own != used.end() && std::all_of(own->values.begin(), own->values.end(), [](float v) { return v == 0; });
        m_findings.push_back({isZero ? SilentKind::AllZero : SilentKind::TensorDiffers, each.layer, each.tensor, each.relative()});
        return;
    }
}

void SilentFindings::judgeGradients(const TrainingSettings& settings, const Trial& trial) {
    if (settings.unscale == "after_clip" && settings.clipGradNorm && trial.scale > 1)
        note(SilentKind::ClippedScaled, *settings.clipGradNorm / trial.scale);
    else if (trial.flushedShare == 1)
        note(SilentKind::GradientsAllZero, 1);
    else if (trial.flushedShare >= kFlushed)
        note(SilentKind::GradientsFlushed, trial.flushedShare);
    else if (trial.difference >= kForeignGradients)
        note(SilentKind::GradientsDiffer, trial.difference);
}

void SilentFindings::compareUpdates(const TrainingSettings& settings, const StepMoves& own, const StepMoves& wide) {
    std::int64_t meant = 0, lost = 0;
    for (std::size_t i = 0; i < own.moves.size() && i < wide.moves.size(); ++i) {
        meant += wide.moves[i] ? 1 : 0;
        lost += wide.moves[i] && !own.moves[i] ? 1 : 0;
    }
    const double share = meant == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(meant);
    const bool isNearest = settings.precision.weightUpdate == WeightUpdate::NearestEven;  // others lose none in the mean
    if (share >= kLostUpdates && isNearest) note(SilentKind::UpdatesLost, share);
    if (own.leftByClipping < kLeftByClipping) note(SilentKind::Clipped, own.leftByClipping);
}

void SilentFindings::judgeLoss(const RunPast& past) {
    if (past.latestMean >= kGrownLoss * past.highestLoss && past.latestMean >= past.firstLoss)
        note(SilentKind::LossHasGrown, past.latestMean / past.highestLoss);
}

void SilentFindings::judgeWeights(const Trainer& trainer) {
    const Plan& plan = trainer.plan();
    if (trainer.settings().model.labelSmoothing == 1) note(SilentKind::LabelsIgnored, 1);
    const std::vector<NamedTensor> weights = trainer.weights();
    for (std::size_t t = 0; t < plan.parameterBuffers.size(); ++t) {
        const NamedTensor& weight = weights[t];
        double largest = 0, squares = 0;  // of all but the largest
        std::int64_t nonZero = 0, small = 0;
        const Dtype format = computeDtype(plan.policy, OpKind::Linear, layerOf(weight.name), Dtype::F32);
        for (const float w : weight.values) {
            const double magnitude = std::abs(static_cast<double>(w));
            const double smaller = std::min(magnitude, largest);
            squares += smaller * smaller;
            largest = std::max(largest, magnitude);
            nonZero += w != 0 ? 1 : 0;
            small += w != 0 && magnitude < facts(format).minNormal ? 1 : 0;
        }
        const double others = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(2, weight.values.size()) - 1));
        if (others > 0 && largest / others > kOutlier) note(SilentKind::WeightOutlier, largest / others, weight.name);
        const double share = nonZero == 0 ? 0 : static_cast<double>(small) / static_cast<double>(nonZero);
        if (weight.shape.size() > 1 && share >= kFlushedWeights) note(SilentKind::WeightsFlushed, share, weight.name);
    }
}

void SilentFindings::judgeWide(const TwinStep& wide, const Trainer& trainer, const std::vector<float>& gradients, double loss) {
    if (!(loss > kLearned)) return;
    for (const TwinTensor& each : wide) {
        if (each.role != TensorRole::Value || each.values.empty() || !isActivation(each.operation)) continue;
        const auto atLimit = std::count_if(each.values.begin(), each.values.end(), [&](float y) { return isAtLimit(each.operation, y); });
        const double share = static_cast<double>(atLimit) / static_cast<double>(each.values.size());
        if (share >= kSaturated) note(SilentKind::Saturated, share, each.tensor);
    }
    if (std::all_of(gradients.begin(), gradients.end(), [](float g) { return g == 0; })) return note(SilentKind::NoGradient, 1);
    const Plan& plan = trainer.plan();
    auto first = gradients.begin();
    for (const int buffer : plan.parameterBuffers) {
        const Buffer& parameter = plan.buffers[static_cast<std::size_t>(buffer)];
        const auto end = first + elementCount(parameter.shape);
        if (std::all_of(first, end, [](float g) { return g == 0; })) note(SilentKind::NoGradient, 1, parameter.name);
        first = end;
    }
}

void SilentFindings::judgeRate(const StepMoves& wide, const std::vector<float>& gradients, double loss, double rate) {
    if (!(loss > kLearned) || rate < 0.5) return;
    std::int64_t meant = 0, moved = 0;
    for (std::size_t i = 0; i < gradients.size() && i < wide.moves.size(); ++i) {
        meant += gradients[i] != 0 ? 1 : 0;
        moved += gradients[i] != 0 && wide.moves[i] ? 1 : 0;
    }
    const double share = meant == 0 ? 0 : 1 - static_cast<double>(moved) / static_cast<double>(meant);
    if (share >= kStanding) note(SilentKind::NothingMoves, share);
}

void SilentFindings::judgeProgress(const RunPast& past, std::int64_t step) {
    const bool hasLearned = past.firstMean < kLearned;
    if (step < kStepsToProgress || hasLearned || !(past.latestMean >= kNoProgress * past.firstMean)) return;
    note(SilentKind::NoProgress, past.latestMean / past.firstMean);
}

}  // namespace mantissa
