// SPDX-License-Identifier: Apache-2.0
// Search for silent failures of a finite step, compared with FP32. One thread at a time.
#pragma once

#include <functional>
#include <vector>

#include "engine/diagnosis/examination.h"
#include "engine/diagnosis/run_comparison.h"
#include "engine/training/step_trials.h"

namespace mantissa {

/// The weights that a step changes, of all parameters in order, and the factor of clipping.
struct StepMoves {
    std::vector<bool> moves;
    std::vector<std::pair<std::string, std::size_t>> ends;  // of each parameter: its layer, and the end of its range in `moves`
    double leftByClipping = 1;
};
/// Trains the next step and returns the weights that it changed.
StepMoves movesOfNextStep(Trainer& trainer);

/// Returns the largest magnitude over the root mean square of the others; 0 if all others are 0.
double outlierOf(const std::vector<float>& values);

inline constexpr std::int64_t kStepsToProgress = 50;  // by which a run should have made progress
inline constexpr double kFullRate = 0.5;              // of the learning rate; steps with a lower rate are not judged
/// Whether the loss has not decreased after kStepsToProgress steps. For a run with weights from a file, which may have little to learn,
/// only if the loss is also not better than guessing.
bool hasNoProgress(const RunPast& past, const Trainer& trainer);

/// Returns settings that prevent learning in any format.
std::vector<SilentFinding> defeatingSettings(const TrainingSettings& settings, std::int64_t step);

/// Appends to `findings`, which must outlive the object.
class SilentFindings {
public:
    explicit SilentFindings(std::vector<SilentFinding>& findings) : m_findings(findings) {}

    /// Finds the first forward tensor that is lost, which explains those after it.
    void compareTensors(const StepTensors& used, const StepTensors& wide);
    /// Finds lost gradients. `trial`: the step as used, compared with FP32. `hasLearned`: whether gradients may well be lost, because the
    /// run has learned its data.
    void judgeGradients(const TrainingSettings& settings, const Trial& trial, bool hasLearned);
    void compareUpdates(const TrainingSettings& settings, const StepMoves& own, const StepMoves& wide);
    void judgeLoss(const RunPast& past);

    void judgeSettings(const TrainingSettings& settings, std::int64_t step);
    /// Finds outliers and flushed weights. `trainer`: before the step.
    void judgeWeights(const Trainer& trainer);
    /// Finds failures that occur in FP32 too. `gradients`: of all parameters in order; `loss`: of this step. Both in FP32.
    void judgeWide(const StepTensors& wide, const Trainer& trainer, const std::vector<float>& gradients, double loss);
    /// Finds a learning rate so low that FP32's update does not change weights with a gradient.
    void judgeRate(const StepMoves& wide, const std::vector<float>& gradients, double loss);
    void judgeProgress(const RunPast& past, const Trainer& trainer);

private:
    std::vector<SilentFinding>& m_findings;
    void note(SilentKind kind, double value, std::string tensor = "");
};

/// Returns all findings about a finite step, the gravest first; those so far if `isStopped` returns true. `tried` begins with the step as
/// used; FP32's trial is appended.
std::vector<SilentFinding> findWhatIsLost(StepTrials& trials, std::vector<Trial>& tried, const RunPast& past,
                                          const std::vector<std::string>& brokenStatistics, const std::function<bool()>& isStopped);

}  // namespace mantissa
