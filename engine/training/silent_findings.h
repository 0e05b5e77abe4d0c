// SPDX-License-Identifier: Apache-2.0
// What a finite step has lost beside FP32, as findings. One thread at a time.
#pragma once

#include <vector>

#include "engine/diagnosis/examination.h"
#include "engine/diagnosis/twins.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// Which weights a step moves, of all parameters one after another, and the share of the gradients that clipping leaves.
struct StepMoves {
    std::vector<bool> moves;
    double leftByClipping = 1;
};
/// Trains the next step.
StepMoves movesOfNextStep(Trainer& trainer);

/// Appends to `findings`, which must outlive it.
class SilentFindings {
public:
    explicit SilentFindings(std::vector<SilentFinding>& findings) : m_findings(findings) {}

    /// The first tensor of the forward pass that is lost: it explains those after it.
    void compareTensors(const TwinStep& used, const TwinStep& wide);
    /// `trial`: the step as it is, compared with FP32.
    void judgeGradients(const TrainingSettings& settings, const Trial& trial);
    void compareUpdates(const TrainingSettings& settings, const StepMoves& own, const StepMoves& wide);
    void judgeLoss(const RunPast& past);

    /// `trainer`: before the step, as it is.
    void judgeWeights(const Trainer& trainer);
    /// What FP32's step has lost too. `gradients`: of all parameters, one after another; `loss`: that they are of.
    void judgeWide(const TwinStep& wide, const Trainer& trainer, const std::vector<float>& gradients, double loss);
    /// Whether FP32's update moves the weights that have a gradient. `rate`: what the schedule leaves of the learning rate.
    void judgeRate(const StepMoves& wide, const std::vector<float>& gradients, double loss, double rate);
    void judgeProgress(const RunPast& past, std::int64_t step);

private:
    std::vector<SilentFinding>& m_findings;
    void note(SilentKind kind, double value, std::string tensor = "");
};

}  // namespace mantissa
