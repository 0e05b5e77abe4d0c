// SPDX-License-Identifier: Apache-2.0
#include "engine/training/silent_findings.h"

#include <algorithm>

#include "engine/diagnosis/verdict.h"

namespace mantissa {
namespace {

/// Above these a tensor, or the gradients, are not FP32's any more; what formats do otherwise stays far below, fp8's too.
constexpr double kForeignTensor = 0.6, kForeignGradients = 0.9, kFlushed = 0.25, kLostUpdates = 0.9, kLeftByClipping = 1e-4;

}  // namespace

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

}  // namespace mantissa
