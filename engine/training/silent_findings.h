// SPDX-License-Identifier: Apache-2.0
// What a finite step has lost beside FP32, as findings. One thread at a time.
#pragma once

#include <functional>
#include <vector>

#include "engine/diagnosis/examination.h"
#include "engine/diagnosis/run_comparison.h"
#include "engine/training/step_trials.h"

namespace mantissa {

/// Which weights a step moves, of all parameters one after another, and the share of the gradients that clipping leaves.
struct StepMoves {
    std::vector<bool> moves;
    std::vector<std::pair<std::string, std::size_t>> ends;  // of each parameter: its layer, and the weights up to its last one
    double leftByClipping = 1;
};
/// Trains the next step.
StepMoves movesOfNextStep(Trainer& trainer);

/// The largest magnitude over the root mean square of the others; 0 where all others are 0.
double outlierOf(const std::vector<float>& values);

inline constexpr std::int64_t kStepsToProgress = 50;  // by which a run should have learned something
inline constexpr double kFullRate = 0.5;              // of the learning rate; schedules begin and end with less on purpose
/// Whether the loss is where it was at the beginning after so many steps. Of a run that began with weights from a file, which may have
/// little to learn, only where that is the loss of guessing too.
bool hasNoProgress(const RunPast& past, const Trainer& trainer);

/// Settings with which nothing can be learned, whatever the format.
std::vector<SilentFinding> defeatingSettings(const TrainingSettings& settings, std::int64_t step);

/// Appends to `findings`, which must outlive it.
class SilentFindings {
public:
    explicit SilentFindings(std::vector<SilentFinding>& findings) : m_findings(findings) {}

    /// The first tensor of the forward pass that is lost: it explains those after it.
    void compareTensors(const StepTensors& used, const StepTensors& wide);
    /// `trial`: the step as it is, compared with FP32.
    void judgeGradients(const TrainingSettings& settings, const Trial& trial);
    void compareUpdates(const TrainingSettings& settings, const StepMoves& own, const StepMoves& wide);
    void judgeLoss(const RunPast& past);

    void judgeSettings(const TrainingSettings& settings, std::int64_t step);
    /// `trainer`: before the step, as it is.
    void judgeWeights(const Trainer& trainer);
    /// Finds faults that FP32's step shows too. `gradients`: of all parameters, one after another; `loss`: of the same step.
    void judgeWide(const StepTensors& wide, const Trainer& trainer, const std::vector<float>& gradients, double loss);
    /// Whether FP32's update moves the weights that have a gradient.
    void judgeRate(const StepMoves& wide, const std::vector<float>& gradients, double loss);
    void judgeProgress(const RunPast& past, const Trainer& trainer);

private:
    std::vector<SilentFinding>& m_findings;
    void note(SilentKind kind, double value, std::string tensor = "");
};

/// All of it for a step that is finite, the gravest first; what was found so far where it `isStopped`. `tried` begins with the step as it
/// is, and gets FP32's.
std::vector<SilentFinding> findWhatIsLost(StepTrials& trials, std::vector<Trial>& tried, const RunPast& past,
                                          const std::vector<std::string>& brokenStatistics, const std::function<bool()>& isStopped);

}  // namespace mantissa
