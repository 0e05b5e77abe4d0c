// SPDX-License-Identifier: Apache-2.0
// Finds what would help a step that was judged, by training copies of its run with other settings. One thread at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/diagnosis/verdict.h"
#include "engine/training/examination_time.h"
#include "engine/training/step_trials.h"

namespace mantissa {

/// Appends to the examination's remedies, and judges the step again by what they came to. What it is given must outlive it.
class RemedySearch {
public:
    RemedySearch(StepTrials& trials, const ExaminerOptions& options, ExaminationTime& time, std::function<StepEvidence()> evidence,
                 Examination& found)
        : m_trials(trials), m_options(options), m_time(time), m_evidence(std::move(evidence)), m_found(found) {}

    void proposeForStep();
    /// For an update that writes what is not finite.
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
    /// Where no earlier loss is known, this step's own in fp32 is what a remedy must not exceed.
    ExaminerOptions optionsHere() const;
    /// The largest scale that serves the next batches too; where none of a few does, the one that this step would have needed.
    void proposeScale(double safe);
    /// The scaler that the format has by default, where the settings are others.
    void proposeUsualScaler();
    /// Whether the step leaves running statistics that cannot be used.
    bool breaksStatistics();
    Remedy overrideOf(const std::vector<std::string>& places);
    /// The cheapest override that helps; where none does, the first one.
    std::optional<Remedy> searchOverride();
    void proposeOtherFormats();
    /// What is lost is only mended by what trains better than leaving it.
    void keepWhatGainsOnLeavingIt();
    /// Where single losses are far above the others, their means are no measure, and the validation is.
    void judgeByValidation();
    void proposeClipping();
    /// Whether the step's gradients, or those of some steps in each row, are far above the usual ones.
    bool areGradientsSpread() const;
    void proposeAgainstLosses();
    /// In place, and from where the fault may have begun: what was lost since then is not lost.
    void proposeHereAndFromStart(const Remedy& remedy);
    /// Where FP32 from the last healthy step on is healthy too, it was the format after all.
    void proposeOtherUpdates();
    /// In place, and from before the step `from`.
    void proposeSmallerUpdates(std::int64_t from);
    double lowestHelpingLoss() const;
    bool isProposed(const Remedy& remedy) const;
    void proposeFromHealthy(const Remedy& remedy);
    void proposeFrom(std::int64_t step, Remedy remedy);
};

}  // namespace mantissa
