// SPDX-License-Identifier: Apache-2.0
// Search for remedies of a step with a verdict, by training copies of its run with other settings. One thread at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/diagnosis/verdict.h"
#include "engine/training/examination_time.h"
#include "engine/training/step_trials.h"

namespace mantissa {

/// Appends to the examination's remedies, and judges the step again with their results. The arguments must outlive the object.
class RemedySearch {
public:
    RemedySearch(StepTrials& trials, const ExaminerOptions& options, ExaminationTime& time, std::function<StepEvidence()> evidence,
                 Examination& found)
        : m_trials(trials), m_options(options), m_time(time), m_evidence(std::move(evidence)), m_found(found) {}

    void proposeForStep();
    /// Proposes remedies for an update that writes non-finite values.
    void proposeForUpdate();

private:
    StepTrials& m_trials;
    const ExaminerOptions& m_options;
    ExaminationTime& m_time;
    std::function<StepEvidence()> m_evidence;
    Examination& m_found;

    void judge() { m_found.verdict = judgeStep(m_found.card, m_found.trials, m_evidence()); }
    bool hasFailed(const std::string& policy) const;
    bool changesAnything(const Remedy& remedy) const;
    Remedy tried(Remedy remedy);
    bool mayTry(const Remedy& remedy);
    void propose(Remedy remedy);
    void tryRemedy(Remedy& remedy, std::optional<double> scale);
    /// The options, with this step's fp32 loss as the bound of remedies if no earlier loss is known.
    ExaminerOptions optionsHere() const;
    /// Proposes the largest of a few scales that also works for the next batches, else the one that this step needs.
    void proposeScale(double safe);
    /// Proposes the format's default scaler, if the settings differ.
    void proposeUsualScaler();
    /// Whether the step makes running statistics unusable.
    bool breaksStatistics();
    Remedy overrideOf(const std::vector<std::string>& places);
    /// Returns the cheapest override that helps, else the first one.
    std::optional<Remedy> searchOverride();
    void proposeOtherFormats();
    /// Accepts a remedy of a silent failure only if it trains better than no change.
    void keepWhatGainsOnLeavingIt();
    /// Judges remedies by validation, because means of very uneven losses are unreliable.
    void judgeByValidation();
    void proposeClipping();
    /// Whether the gradients of this step, or of occasional steps, are far above the usual ones.
    bool areGradientsSpread() const;
    void proposeAgainstLosses();
    /// Proposes a remedy from this step on, and from where the fault may have begun.
    void proposeHereAndFromStart(const Remedy& remedy);
    /// Proposes FP32 from the last healthy step on, which shows whether the format is the cause, and smaller updates.
    void proposeOtherUpdates();
    /// Proposes smaller updates from this step on, and from before the step `from`.
    void proposeSmallerUpdates(std::int64_t from);
    double lowestHelpingLoss() const;
    bool isProposed(const Remedy& remedy) const;
    void proposeFromHealthy(const Remedy& remedy);
    void proposeFrom(std::int64_t step, Remedy remedy);
};

}  // namespace mantissa
