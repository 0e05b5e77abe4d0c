// SPDX-License-Identifier: Apache-2.0
#include "engine/training/remedy_search.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <utility>

#include "engine/telemetry/number_format.h"
#include "engine/training/override_search.h"
#include "engine/training/remedies.h"

namespace mantissa {
namespace {

constexpr const char* kScaler = "/scaler";

/// Appends to the examination's remedies, and judges the step again with their results.
class RemedySearch {
public:
    RemedySearch(StepTrials& trials, const ExaminerOptions& options, ExaminationTime& time, const std::function<StepEvidence()>& evidence,
                 Examination& found)
        : m_trials(trials), m_options(options), m_time(time), m_evidence(evidence), m_found(found) {}

    void forStep() {
        const SkipVerdict verdict = m_found.verdict;
        if (verdict.kind == StepVerdict::Sound) return;
        propose({.label = "Leave it"_text});
        const bool isFormats = verdict.kind == StepVerdict::ScaleTooHigh || verdict.kind == StepVerdict::ForwardOverflow;
        const ScalerSettings& scaler = m_trials.settings().scaler;
        if (verdict.kind == StepVerdict::KeptGradients || (isFormats && !m_trials.settings().zeroGrad))
            proposeHereAndFromStart({.label = "Set gradients to zero"_text, .pointer = "/zero_grad", .value = "true"});
        if (!m_evidence().badStatistics.empty() || (verdict.kind == StepVerdict::BadData && breaksStatistics()))
            propose({.label = "Reset the running statistics"_text, .pointer = kResetStatisticsPointer, .value = "true"});
        if (verdict.safeScale > 0 && scaler.preset != "none") {
            proposeScale(verdict.safeScale);
            if (!m_found.remedies.back().helps) proposeUsualScaler();
        }
        if (isFormats && isEpsilonTooSmall(m_trials.settings())) proposeFromHealthy(safeEpsilon());
        if (isFormats) proposeOtherFormats();
        if (verdict.kind == StepVerdict::SilentFailure) proposeAgainstLosses();
        if (verdict.kind == StepVerdict::ScaleTooHigh || verdict.kind == StepVerdict::ForwardOverflow) proposeClipping();
        const bool isOfThisStep = isFormats || verdict.kind == StepVerdict::BadData || verdict.kind == StepVerdict::ArithmeticNaN;
        if (isOfThisStep && !resolvedScaler(scaler).skipsOnFoundInf())
            propose({.label = "Skip such steps"_text, .pointer = kScaler, .value = R"({"preset":"static","init_scale":1})"});
        for (const Remedy& remedy : remediesOfModel(m_trials.settings().model, m_found.card)) proposeFrom(0, remedy);
        judge();
        if (m_found.verdict.kind == StepVerdict::Divergence) proposeOtherUpdates();
        if (verdict.kind == StepVerdict::BadWeights && !m_evidence().hugeWeights.empty() && m_found.step > 0)
            proposeSmallerUpdates(beganToDiverge(m_options.past));
        const bool isLost = verdict.kind == StepVerdict::SilentFailure || !m_trials.settings().zeroGrad;
        if (isLost && !m_evidence().foundInf) keepWhatGainsOnLeavingIt();
        if (verdict.kind == StepVerdict::BadWeights) m_found.remedies.front().helps = false;  // broken weights stay broken
        const bool isNoisy = areGradientsSpread() && m_trials.trainer().classes() == 0;
        if (isNoisy) judgeByValidation();
        judge();
        sortRemedies(m_found.remedies, isNoisy);
    }

    void forUpdate() {
        for (const Remedy& remedy : remediesOfUpdate(m_trials.settings())) {
            if (changesAnything(remedy)) proposeFrom(m_found.step, remedy);
        }
        sortRemedies(m_found.remedies);
    }

private:
    StepTrials& m_trials;
    const ExaminerOptions& m_options;
    ExaminationTime& m_time;
    std::function<StepEvidence()> m_evidence;  // for the step; of an update: none
    Examination& m_found;

    void judge() { m_found.verdict = judgeStep(m_found.card, m_found.trials, m_evidence()); }

    bool hasFailed(const std::string& policy) const {
        return std::any_of(m_found.trials.begin(), m_found.trials.end(),
                           [&](const Trial& trial) { return trial.policy == policy && !trial.failure.empty(); });
    }

    bool changesAnything(const Remedy& remedy) const {
        try {
            return m_options.settingsWith && m_options.settingsWith(remedy.pointer, remedy.value) != m_trials.settings();
        } catch (const std::exception&) {  // the run refuses it
            return false;
        }
    }

    Remedy tried(Remedy remedy) {
        const bool canTry = remedy.pointer.empty() || m_options.settingsWith;
        if (canTry && mayTry(remedy)) tryRemedy(remedy, std::nullopt);
        return remedy;
    }
    bool mayTry(const Remedy& remedy) {
        m_time.begin({QuestionWork::TryingRemedy, remedy.label});
        return m_options.remedySteps > 0 && !m_time.isLate();
    }
    void propose(Remedy remedy) { m_found.remedies.push_back(tried(std::move(remedy))); }

    void tryRemedy(Remedy& remedy, std::optional<double> scale) {
        try {
            const TrainingSettings& before = m_trials.settings();
            const bool resets = remedy.pointer == kResetStatisticsPointer;
            if (remedy.pointer == kScalePointer && !scale) scale = std::stod(remedy.value);
            const bool isSetting = !remedy.pointer.empty() && !scale && !resets;
            const TrainingSettings settings = isSetting ? m_options.settingsWith(remedy.pointer, remedy.value) : before;
            if (remedy.pointer == kResetScalerPointer) scale = resolvedScaler(settings.scaler).firstScale();
            const bool scalerFollows = remedy.pointer != kScaler && !scale && settings.scaler != before.scaler;
            m_trials.setUp(settings, scale);
            Trainer& trainer = m_trials.trainer();
            bool hasReset = !resets;  // after the step in question, which may break them
            const auto step = [&] {
                if (m_options.applyScheduled && trainer.nextStep() > m_found.step) m_options.applyScheduled(remedy.pointer);
                const StepRecord record = trainer.step();
                if (!std::exchange(hasReset, true)) trainer.resetStatistics();
                return record;
            };
            tryOn(trainer, step, remedy, m_options.remedySteps, optionsHere(), m_time.counting());
            if (remedy.steps == 0) return;
            constexpr std::int64_t kSettling = 50;  // with batch norm's momentum of 0.1 less than a hundredth of the start value is left
            if (resets && remedy.steps < kSettling)
                remedy.sentence += Text("Running statistics settle over about %1 steps."_text, kSettling);
            if (scalerFollows) remedy.sentence += Text("With this format, the loss scaler is: %1."_text, settings.scaler.preset);
            const bool keepsScale = !scale && !scalerFollows && remedy.pointer != kScaler;  // another scaler starts with its own scale
            const bool isCollapsed = m_trials.usedScale() < 1 && keepsScale && remedy.helps;
            if (isCollapsed)
                remedy.sentence += Text("The loss scale stays at %1: raise it by hand."_text, PowerOfTwo{m_trials.usedScale()});
        } catch (const std::bad_alloc&) {
            remedy.sentence = "There is not enough memory."_text;
        } catch (const std::exception& error) {
            remedy.sentence = Text::verbatim(error.what());
        }
    }
    /// The options, with this step's fp32 loss as the bound of remedies if no earlier loss is known.
    ExaminerOptions optionsHere() const {
        ExaminerOptions options = m_options;
        const auto reference = std::find_if(m_found.trials.begin(), m_found.trials.end(), [](const Trial& t) { return t.isReference; });
        if (std::isnan(options.past.highestLoss) && reference != m_found.trials.end()) options.past.highestLoss = reference->loss;
        options.validatesFirst = std::any_of(m_found.silent.begin(), m_found.silent.end(),
                                             [](const SilentFinding& each) { return each.kind == SilentKind::ValidationFails; });
        if (m_found.verdict.kind == StepVerdict::BadData) options.skipsAllowed = std::max(options.skipsAllowed, options.remedySteps / 10);
        return options;
    }

    /// Proposes the format's default scaler, if the settings differ.
    void proposeUsualScaler() {
        const ScalerSettings usual = defaultScaler(m_found.policy);
        if (usual == m_trials.settings().scaler) return;
        if (usual.preset == m_trials.settings().scaler.preset) return propose(scalersDefaults());
        propose({.label = usual.preset == "none" ? Text("No loss scaler"_text) : Text("Scaler %1"_text, usual.preset),
                 .pointer = kScaler,
                 .value = R"({"preset":")" + usual.preset + "\"}"});
    }

    /// Whether the step makes running statistics unusable.
    bool breaksStatistics() {
        if (m_options.remedySteps == 0) return false;
        m_trials.setUp(m_trials.settings(), std::nullopt);
        m_trials.trainer().step();
        return !brokenTensors(m_trials.trainer()).statistics.empty();
    }

    /// Proposes the largest of a few scales that also works for the next batches, else the one that this step needs.
    void proposeScale(double safe) {
        constexpr int kHalvings = 8;
        std::optional<Remedy> first;
        for (int below = 0; below <= kHalvings; ++below) {
            const double scale = std::ldexp(safe, -below);
            Remedy remedy{.label = {"Set scale %1"_text, PowerOfTwo{scale}}, .pointer = kScalePointer, .value = shortest(scale)};
            if (mayTry(remedy)) tryRemedy(remedy, scale);
            if (!first || remedy.helps) first = remedy;
            if (remedy.helps || remedy.steps == 0) break;
        }
        m_found.remedies.push_back(*std::move(first));
    }

    Remedy overrideOf(const std::vector<std::string>& places) {
        m_trials.setUp(m_trials.settings(), std::nullopt);
        const PlacesCost cost = costOf(m_trials.trainer().plan(), places);
        const bool isOne = places.size() == 1;
        return {.label = {"%1 in FP32"_text, placesText(places)},
                .pointer = isOne ? "/precision/overrides/" + places.front() : "/precision/overrides",
                .value = isOne ? "\"fp32\"" : m_options.overridesWith(places),
                .fp32Flops = cost.flops,
                .fp32Bytes = cost.bytes};
    }

    /// Returns the cheapest override that helps, else the first one.
    std::optional<Remedy> searchOverride() {
        std::vector<std::vector<std::string>> candidates;
        if (m_options.isThorough && m_options.overridesWith) {
            m_time.begin({QuestionWork::SearchingOverride});
            candidates = candidatePlaces(m_trials, m_found.card, m_options.remedySteps, m_time.counting());
        } else if (!m_found.verdict.suspectLayer.empty()) {
            candidates.push_back({m_found.verdict.suspectLayer});
        }
        std::optional<Remedy> chosen;
        for (const auto& places : candidates) {
            if (chosen && (chosen->helps || m_time.isLate())) break;
            const Remedy candidate = overrideOf(places);
            if (!changesAnything(candidate)) continue;  // refused: only layers and kinds of operations can be overridden
            const Remedy remedy = tried(candidate);
            if (!chosen || remedy.helps) chosen = remedy;
        }
        return chosen;
    }

    void proposeOtherFormats() {
        const auto first = std::ssize(m_found.remedies);
        if (m_found.policy != "bf16" && m_found.policy != "fp32" && !hasFailed("bf16"))
            propose({.label = "Switch to BF16"_text, .pointer = "/precision", .value = "\"bf16\""});
        if (std::optional<Remedy> found = searchOverride()) m_found.remedies.insert(m_found.remedies.begin() + first, *std::move(found));
        const bool helpsSoFar =
            std::any_of(m_found.remedies.begin(), m_found.remedies.end(), [](const Remedy& each) { return each.helps; });
        if (!helpsSoFar && m_found.policy != "fp32")
            propose({.label = "Switch to FP32"_text, .pointer = "/precision", .value = "\"fp32\""});
    }

    /// Accepts a remedy of a silent failure only if it trains better than no change.
    void keepWhatGainsOnLeavingIt() {
        constexpr double kGain = 0.97, kFaster = 2, kLeast = 0.001;
        if (!m_found.silent.empty() && m_found.silent.front().kind == SilentKind::ValidationFails) return;
        const Remedy left = m_found.remedies.front();
        for (Remedy& remedy : m_found.remedies) {
            const bool isAnotherModel = remedy.pointer.starts_with("/model/");  // its loss may be higher, e.g. with a mask
            const double now = m_options.past.latestMean;                       // NaN: not known
            const bool goesFaster = now - remedy.loss > std::max(kLeast * now, kFaster * (now - left.loss));
            const bool gains = isAnotherModel || !std::isfinite(left.loss) || remedy.loss <= kGain * left.loss || goesFaster;
            remedy.helps = remedy.helps && gains;
        }
    }

    /// Judges remedies by validation, because means of very uneven losses are unreliable.
    void judgeByValidation() {
        constexpr double kGain = 0.97;
        const auto left = std::find_if(m_found.remedies.begin(), m_found.remedies.end(), isLeft);
        if (left == m_found.remedies.end() || std::isnan(left->validationLoss)) return;
        for (Remedy& remedy : m_found.remedies) {
            if (isLeft(remedy) || std::isnan(remedy.validationLoss) || remedy.pointer.starts_with("/model/")) continue;
            const bool isSkippedOrFinite = remedy.skips == remedy.nonFinite && remedy.skips < remedy.steps;
            remedy.helps = isSkippedOrFinite && remedy.validationLoss <= kGain * left->validationLoss;
        }
    }

    void proposeClipping() {
        const RunPast& past = m_options.past;
        const bool heals = m_found.remedies.front().helps;  // without a change
        if (heals || m_trials.settings().clipGradNorm || !(past.usualGradNorm > 0)) return;
        if (areGradientsSpread()) propose(clipAt(past.usualGradNorm));
    }

    /// Whether the gradients of this step, or of occasional steps, are far above the usual ones.
    bool areGradientsSpread() const {
        double squares = 0;
        for (const float g : m_trials.referenceGradients()) squares += static_cast<double>(g) * static_cast<double>(g);
        return std::sqrt(squares) >= kSpread * m_options.past.usualGradNorm || m_options.past.gradNormSpread >= kSpread;
    }

    void proposeAgainstLosses() {
        constexpr std::size_t kFindings = 3;
        const std::vector<SilentFinding> all = m_found.silent;
        const SilentFinding& found = all.front();
        for (std::size_t i = 0; i < all.size() && i < kFindings; ++i) {
            for (const Remedy& remedy : remediesOfSilence(all[i], m_found.card.chain, m_trials.settings(), m_options.past)) {
                if (remedy.pointer == kScalePointer) {
                    if (std::stod(remedy.value) == m_trials.usedScale()) continue;  // it is already effective
                    propose(remedy);
                    proposeFrom(0, remedy);
                } else if (remedy.pointer.starts_with("/model/")) {
                    proposeFrom(0, remedy);
                } else if (!isProposed(remedy) && changesAnything(remedy)) {
                    proposeHereAndFromStart(remedy);
                }
            }
        }
        if (found.kind == SilentKind::LossHasGrown) {
            proposeSmallerUpdates(beganToDiverge(m_options.past));
        } else if (isDead(all) && m_found.step > 0) {
            const RunPast::Change* const change = latestChange(m_options.past, "/optimizer/lr");
            proposeSmallerUpdates(change != nullptr ? change->step : 0);
        } else if (found.kind < SilentKind::Clipped && m_found.policy != "fp32") {
            propose({.label = "Switch to FP32"_text, .pointer = "/precision", .value = "\"fp32\""});
        }
    }

    /// Proposes a remedy from this step on, and from where the fault may have begun.
    void proposeHereAndFromStart(const Remedy& remedy) {
        propose(remedy);
        const RunPast::Change* const change = latestChange(m_options.past, remedy.pointer);
        const std::int64_t start = change != nullptr ? change->step : 0;
        if (start < m_found.step) proposeFrom(start, remedy);
    }

    /// Proposes FP32 from the last healthy step on, which shows whether the format is the cause, and smaller updates.
    void proposeOtherUpdates() {
        if (m_found.policy != "fp32") proposeFromHealthy({.label = "Switch to FP32"_text, .pointer = "/precision", .value = "\"fp32\""});
        judge();
        proposeSmallerUpdates(beganToDiverge(m_options.past));
    }

    /// Proposes smaller updates from this step on, and from before the step `from`.
    void proposeSmallerUpdates(std::int64_t from) {
        const TrainingSettings& own = m_trials.settings();
        const auto proposeBoth = [&](const Remedy& remedy) {
            const std::size_t before = m_found.remedies.size();
            if (isProposed(remedy)) return false;
            if (changesAnything(remedy)) propose(remedy);
            proposeFrom(from, remedy);
            return std::any_of(m_found.remedies.begin() + static_cast<std::ptrdiff_t>(before), m_found.remedies.end(),
                               [](const Remedy& each) { return each.helps; });
        };
        for (const Remedy& remedy : remediesOfDivergence(own, m_options.past)) proposeBoth(remedy);
        constexpr double kSmallest = 1e-6, kBetter = 0.9;  // of the rate: below that the rate is not the cause
        double lowest = INFINITY;
        for (double part = 0.1; part > kSmallest && !m_time.isLate(); part /= 10) {
            if (!proposeBoth(rateOf(own.optimizer.lr * part))) continue;
            const double before = std::exchange(lowest, lowestHelpingLoss());
            const bool gains = m_found.verdict.kind != StepVerdict::SilentFailure || lowest < kBetter * m_found.remedies.front().loss;
            if (gains && lowest > kBetter * before) break;
        }
    }

    double lowestHelpingLoss() const {
        double lowest = INFINITY;
        for (const Remedy& each : m_found.remedies)
            if (each.helps) lowest = std::min(lowest, each.loss);
        return lowest;
    }
    bool isProposed(const Remedy& remedy) const {
        return std::any_of(m_found.remedies.begin(), m_found.remedies.end(),
                           [&](const Remedy& each) { return each.pointer == remedy.pointer && each.value == remedy.value; });
    }

    void proposeFromHealthy(const Remedy& remedy) { proposeFrom(beganToDiverge(m_options.past), remedy); }

    void proposeFrom(std::int64_t step, Remedy remedy) {
        if (!m_options.tryFrom || !mayTry(remedy)) return;
        try {
            m_options.tryFrom(step, remedy, [this, &remedy](std::int64_t done, std::int64_t of) {
                m_time.begin({QuestionWork::TryingRemedy, remedy.label, done, of});
                return !m_time.isLate();
            });
        } catch (const std::exception&) {
            return;  // a remedy that cannot be restored is not proposed
        }
        if (remedy.steps > 0) m_found.remedies.push_back(std::move(remedy));
    }
};

}  // namespace

void proposeForStep(StepTrials& trials, const ExaminerOptions& options, ExaminationTime& time,
                    const std::function<StepEvidence()>& evidence, Examination& found) {
    RemedySearch(trials, options, time, evidence, found).forStep();
}

void proposeForUpdate(StepTrials& trials, const ExaminerOptions& options, ExaminationTime& time, Examination& found) {
    RemedySearch(trials, options, time, {}, found).forUpdate();
}

}  // namespace mantissa
