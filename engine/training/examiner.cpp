// SPDX-License-Identifier: Apache-2.0
#include "engine/training/examiner.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

#include "engine/diagnosis/verdict.h"
#include "engine/telemetry/number_format.h"
#include "engine/training/examination_time.h"
#include "engine/training/override_search.h"
#include "engine/training/provenance.h"
#include "engine/training/remedies.h"
#include "engine/training/silent_findings.h"
#include "engine/training/step_trials.h"
#include "engine/training/then_put_back.h"
#include "engine/training/twin_tensors.h"

namespace mantissa {
namespace {

class Examiner {
public:
    Examiner(Trainer& trainer, const StepStart& before, const ExaminerOptions& options)
        : m_trainer(trainer), m_before(before), m_options(options), m_trials(trainer, before), m_time(options) {}

    Examination step() {
        begin();
        m_broken = brokenTensors(m_trainer);
        tryAsUsed(false);
        m_found.cardMs = m_time.ownMs();
        const bool isOfTheFormat = m_broken.weights.empty() && !m_keepsBadGradients && m_isBatchFinite && m_hasFound;
        if (isOfTheFormat) {
            tryFp32();
            if (m_found.trials.back().isFinite()) tryOthers();
        }
        if (!m_foundInf && !m_hasFound && m_options.isThorough) {
            findWhatIsLost();
            m_isSearchCut = isStopped();
        }
        m_found.verdict = judgeStep(m_found.card, m_found.trials, evidence());
        proposeRemedies();
        return finish();
    }

    Examination update() {
        begin();
        tryAsUsed(true);
        m_found.cardMs = m_time.ownMs();
        const bool isOfTheUpdate = m_hasFound && m_found.card.phase == "optimizer" && m_found.card.operation != "unscale";
        if (!isOfTheUpdate) m_found.card = {};
        if (!isOfTheUpdate) return finish();
        m_found.verdict = judgeStep(m_found.card, m_found.trials, evidence());
        for (const Remedy& remedy : remediesOfUpdate(m_before.state.settings)) {
            if (changesAnything(remedy)) proposeFrom(m_found.step, remedy);
        }
        sortRemedies(m_found.remedies);
        return finish();
    }

private:
    Trainer& m_trainer;
    const StepStart& m_before;
    const ExaminerOptions& m_options;
    StepTrials m_trials;
    Examination m_found;
    BrokenTensors m_broken;
    bool m_hasFound = false, m_isBatchFinite = true, m_foundInf = false, m_keepsBadGradients = false;
    ExaminationTime m_time;
    bool m_isSearchCut = false;

    bool isStopped() { return m_time.isStopped(); }
    bool isLate() { return m_time.isLate(); }
    double usedScale() const { return m_trials.usedScale(); }

    void begin() {
        m_trainer.keepBadSteps(false);
        m_trainer.restore(m_before.state);
        m_trainer.putFaults(m_before.faults);
        m_found.step = m_trainer.nextStep();
        m_found.policy = m_trainer.policy().name;
        m_found.lossScale = usedScale();
        m_found.past = m_options.past;
        m_keepsBadGradients = m_trainer.keepsBadGradients();
    }

    Examination finish() {
        m_found.allMs = m_time.ownMs();
        return std::move(m_found);
    }

    // ---- Trials ----

    void tryAsUsed(bool throughUpdate) {
        Provenance provenance(m_trainer.plan(), m_broken.statistics);
        const Trainer::Look look{
            .at = [&](Executor& executor, Queue& queue, std::int64_t instruction, int buffer,
                      const ElementClasses& classes) { provenance.look(executor, queue, instruction, buffer, classes); },
            .throughUpdate = throughUpdate};
        const Trainer::Tried tried = m_trainer.tryStep(&look);
        provenance.noteGradients(tried.gradients);
        m_found.card = provenance.card();
        m_foundInf = tried.foundInf || !std::isfinite(tried.loss);
        m_found.wasSkipped = tried.foundInf && m_trainer.scaler().skipsOnFoundInf();
        m_hasFound = provenance.hasFound();
        m_isBatchFinite = provenance.isBatchFinite();
        Trial trial{
            .label = m_trials.labelOf({.scale = usedScale()}) + ", as used", .policy = m_found.policy, .scale = usedScale(), .isAsUsed = true};
        trial.isForwardFinite = provenance.isForwardFinite() && std::isfinite(tried.loss);
        trial.loss = tried.loss;
        StepTrials::count(trial, tried.gradients);
        m_found.trials.push_back(std::move(trial));
    }

    void setUp(const TrainingSettings& settings, std::optional<double> scale) { m_trials.setUp(settings, scale); }
    void tryIt(const TrialSetup& setup) { m_found.trials.push_back(m_trials.repeat(setup)); }
    void tryFp32() { m_found.trials.push_back(m_trials.repeatAsReference()); }

    void tryOthers() {
        const bool isBackward = m_found.trials.front().isForwardFinite;
        if (isStopped()) return;
        if (usedScale() > 1) tryIt({.scale = 1});  // what finds out most with one trial: whether any scale can help
        if (isBackward) isFiniteAt(1) ? tryScales(usedScale(), 1) : tryScales(std::min(usedScale(), 1.0), 0);
        if (!isLate()) tryLayerInFp32();
        if (!isLate() && m_found.policy != "bf16") tryIt({.policy = "bf16"});
    }

    /// The step as it is but for the scale; null: it was not tried.
    const Trial* trialAt(double scale) const {
        const auto found = std::find_if(m_found.trials.begin(), m_found.trials.end(), [&](const Trial& trial) {
            return !trial.isReference && trial.policy == m_found.policy && trial.overriddenLayer.empty() && trial.scale == scale;
        });
        return found == m_found.trials.end() ? nullptr : &*found;
    }
    bool hasTried(double scale) const { return trialAt(scale) != nullptr; }
    bool isFiniteAt(double scale) const { return hasTried(scale) && trialAt(scale)->isFinite(); }

    /// Downwards from a scale that overflows until a step is finite: by halves, then in strides, whose last one is searched. `low`: one
    /// that is known to be finite; 0: none.
    void tryScales(double high, double low) {
        constexpr int kHalvings = 4, kStride = 4, kLowest = 64;
        const double from = high;
        for (int below = 1; below <= kLowest && !isLate(); below += below < kHalvings ? 1 : kStride) {
            const double scale = std::ldexp(from, -below);
            if (scale <= low) break;
            tryIt({.scale = scale});
            if (m_found.trials.back().isFinite()) {
                low = scale;
                break;
            }
            high = scale;
        }
        while (low > 0 && high / low > 2 && !isLate()) {
            const double middle = low * std::exp2(std::floor(std::log2(high / low) / 2));
            if (!hasTried(middle)) tryIt({.scale = middle});
            (isFiniteAt(middle) ? low : high) = middle;
        }
        if (low > 0 && !isLate() && !hasTried(low / 2)) tryIt({.scale = low / 2});
    }

    /// The layer at fault in fp32; what it makes then says how far beyond the format it is.
    void tryLayerInFp32() {
        const ProvenanceCard& card = m_found.card;
        if (!isOverridable(card.layer)) return;
        m_found.trials.push_back(m_trials.repeat({.fp32Places = {card.layer}, .scale = usedScale()},
                                                 TensorKey{card.layer, card.operation, card.tensor}));
        if (m_trials.values()) measure(*m_trials.values());
    }

    void measure(const std::vector<float>& wide) {
        ProvenanceCard& card = m_found.card;
        if (static_cast<std::int64_t>(wide.size()) != card.elements) return;
        std::int64_t element = 0;
        for (std::size_t i = 0; i < card.shape.size(); ++i) element = element * card.shape[i] + card.element[i];
        card.wide = static_cast<double>(wide[static_cast<std::size_t>(element)]);
        const auto largest = std::max_element(wide.begin(), wide.end(), [](float a, float b) { return std::abs(a) < std::abs(b); });
        card.wideMax = std::abs(static_cast<double>(*largest));
        card.wideMaxAt = elementIndex(card.shape, largest - wide.begin());
    }

    StepEvidence evidence() const {
        const ScalerPreset scaler = scalerInForce(m_before.state.settings.scaler);
        return {.foundInf = m_foundInf,
                .isBatchFinite = m_isBatchFinite,
                .setsGradientsToZero = m_before.state.settings.zeroGrad,
                .keepsBadGradients = m_keepsBadGradients,
                .badWeights = m_broken.weights,
                .badStatistics = m_broken.statistics,
                .isScalerDynamic = scaler.isDynamic(),
                .hasScaler = scaler.skipsOnFoundInf(),
                .backoffFactor = scaler.backoffFactor,
                .consecutiveSkips = m_options.consecutiveSkips,
                .isSettling = isSettling(scaler),
                .silent = m_found.silent,
                .isSearched = !m_isSearchCut,
                .past = m_options.past,
                .remedies = m_found.remedies};
    }

    /// Every change of the scale so far was a backoff, one a skip, and the run is young.
    bool isSettling(const ScalerPreset& scaler) const {
        constexpr std::int64_t kFirstSteps = 50;
        const auto& counters = m_before.state.counters;
        const double fallen = scaler.firstScale() * std::pow(scaler.backoffFactor, static_cast<double>(counters.skippedTotal));
        return counters.optimizerStep < kFirstSteps && usedScale() <= fallen;
    }

    void findWhatIsLost() {
        const TrainingSettings &own = m_before.state.settings, wide = m_trials.settingsOf({.policy = "fp32"});
        m_time.begin({QuestionWork::LookingForLosses});
        SilentFindings found(m_found.silent);
        setUp(own, std::nullopt);
        found.judgeWeights(m_trainer);
        const TwinStep used = readTwinStep(m_trainer);
        setUp(wide, 1);
        const TwinStep inFp32 = readTwinStep(m_trainer);
        found.compareTensors(used, inFp32);
        if (isStopped()) return;
        tryFp32();
        const double loss = m_found.trials.back().loss;
        setUp(own, std::nullopt);
        m_trials.compare(m_found.trials.front(), m_trainer.tryStep().gradients);
        found.judgeGradients(own, m_found.trials.front());
        if (isStopped()) return;
        setUp(own, std::nullopt);
        const StepMoves moves = movesOfNextStep(m_trainer);
        setUp(wide, 1);
        const StepMoves movesInFp32 = movesOfNextStep(m_trainer);
        found.compareUpdates(own, moves, movesInFp32);
        found.judgeLoss(m_options.past);
        found.judgeWide(inFp32, m_trainer, m_trials.referenceGradients(), loss);
        const ScheduleSettings& schedule = own.optimizer.schedule;
        found.judgeRate(movesInFp32, m_trials.referenceGradients(), loss, scheduleFactor(schedule, m_found.step, own.steps));
        if (!isStopped() && !validates()) m_found.silent.push_back({.kind = SilentKind::ValidationFails});
        found.judgeProgress(m_options.past, m_found.step);
    }

    bool validates() {
        setUp(m_before.state.settings, std::nullopt);
        const std::optional<Trainer::Validation> validation = m_trainer.validation();
        return !validation || std::isfinite(validation->loss);
    }

    // ---- Remedies ----

    static constexpr const char *kScale = "/scaler/scale", *kScaler = "/scaler";

    bool hasFailed(const std::string& policy) const {
        return std::any_of(m_found.trials.begin(), m_found.trials.end(),
                           [&](const Trial& trial) { return trial.policy == policy && !trial.failure.empty(); });
    }

    bool changesAnything(const Remedy& remedy) const {
        return m_options.settingsWith && m_options.settingsWith(remedy.pointer, remedy.value) != m_before.state.settings;
    }

    Remedy tried(Remedy remedy) {
        const bool canTry = remedy.pointer.empty() || m_options.settingsWith;
        if (canTry && mayTry(remedy)) tryRemedy(remedy, std::nullopt);
        return remedy;
    }
    bool mayTry(const Remedy& remedy) {
        m_time.begin({QuestionWork::TryingRemedy, remedy.label});
        return m_options.remedySteps > 0 && !isLate();
    }
    void propose(Remedy remedy) { m_found.remedies.push_back(tried(std::move(remedy))); }

    void tryRemedy(Remedy& remedy, std::optional<double> scale) {
        try {
            const TrainingSettings& before = m_before.state.settings;
            const bool isSetting = !remedy.pointer.empty() && !scale;
            const TrainingSettings settings = isSetting ? m_options.settingsWith(remedy.pointer, remedy.value) : before;
            const bool scalerFollows = remedy.pointer != kScaler && settings.scaler != before.scaler;
            setUp(settings, scale);
            tryOn(
                m_trainer, [this] { return m_trainer.step(); }, remedy, m_options.remedySteps, optionsHere(), m_time.counting());
            if (remedy.steps == 0) return;
            if (scalerFollows) remedy.sentence += " The loss scaler follows the format: " + settings.scaler.preset + ".";
            const bool isCollapsed = usedScale() < 1 && !scale && !scalerFollows && remedy.helps;
            if (isCollapsed) remedy.sentence += " The loss scale stays at " + powerOfTwoText(usedScale()) + ": set it up again.";
        } catch (const std::bad_alloc&) {
            remedy.sentence = "There is not enough memory.";
        } catch (const std::exception& error) {
            remedy.sentence = error.what();
        }
    }
    /// Where no earlier loss is known, this step's own in fp32 is what a remedy must not exceed.
    ExaminerOptions optionsHere() const {
        ExaminerOptions options = m_options;
        const auto reference = std::find_if(m_found.trials.begin(), m_found.trials.end(), [](const Trial& t) { return t.isReference; });
        if (std::isnan(options.past.highestLoss) && reference != m_found.trials.end()) options.past.highestLoss = reference->loss;
        return options;
    }

    /// The largest scale that serves the next batches too; where none of a few does, the one that this step would have needed.
    void proposeScale(double safe) {
        constexpr int kHalvings = 8;
        std::optional<Remedy> first;
        for (int below = 0; below <= kHalvings; ++below) {
            const double scale = std::ldexp(safe, -below);
            Remedy remedy{.label = "Set scale " + powerOfTwoText(scale), .pointer = kScale, .value = shortest(scale)};
            if (mayTry(remedy)) tryRemedy(remedy, scale);
            if (!first || remedy.helps) first = remedy;
            if (remedy.helps || remedy.steps == 0) break;
        }
        m_found.remedies.push_back(*std::move(first));
    }

    Remedy overrideOf(const std::vector<std::string>& places) {
        setUp(m_trials.settings(), std::nullopt);
        const PlacesCost cost = costOf(m_trainer.plan(), places);
        const bool isOne = places.size() == 1;
        return {.label = placesText(places) + " in FP32",
                .pointer = isOne ? "/precision/overrides/" + places.front() : "/precision/overrides",
                .value = isOne ? "\"fp32\"" : m_options.overridesWith(places),
                .fp32Flops = cost.flops,
                .fp32Bytes = cost.bytes};
    }

    /// The cheapest override that helps; where none does, the first one.
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
            if (chosen && (chosen->helps || isLate())) break;
            const Remedy remedy = tried(overrideOf(places));
            if (!chosen || remedy.helps) chosen = remedy;
        }
        return chosen;
    }

    void proposeOtherFormats() {
        const auto first = std::ssize(m_found.remedies);
        if (m_found.policy != "bf16" && m_found.policy != "fp32" && !hasFailed("bf16"))
            propose({.label = "Switch to BF16", .pointer = "/precision", .value = "\"bf16\""});
        if (std::optional<Remedy> found = searchOverride()) m_found.remedies.insert(m_found.remedies.begin() + first, *std::move(found));
        const bool helpsSoFar =
            std::any_of(m_found.remedies.begin(), m_found.remedies.end(), [](const Remedy& each) { return each.helps; });
        if (!helpsSoFar && m_found.policy != "fp32") propose({.label = "Switch to FP32", .pointer = "/precision", .value = "\"fp32\""});
    }

    void proposeRemedies() {
        const SkipVerdict verdict = m_found.verdict;
        if (verdict.kind == StepVerdict::Sound) return;
        propose({.label = "Leave it"});
        const bool isFormats = verdict.kind == StepVerdict::ScaleTooHigh || verdict.kind == StepVerdict::ForwardOverflow;
        const ScalerSettings& scaler = m_before.state.settings.scaler;
        if (verdict.kind == StepVerdict::KeptGradients || (isFormats && !m_before.state.settings.zeroGrad))
            propose({.label = "Set gradients to zero", .pointer = "/zero_grad", .value = "true"});
        if (verdict.safeScale > 0 && scaler.preset != "none") proposeScale(verdict.safeScale);
        if (isFormats) proposeOtherFormats();
        if (verdict.kind == StepVerdict::SilentFailure) proposeAgainstLosses();
        if (verdict.kind == StepVerdict::BadData && !scalerInForce(scaler).skipsOnFoundInf())
            propose({.label = "Skip such steps", .pointer = kScaler, .value = R"({"preset":"static","init_scale":1})"});
        m_found.verdict = judgeStep(m_found.card, m_found.trials, evidence());
        if (m_found.verdict.kind == StepVerdict::Divergence) proposeOtherUpdates();
        if (verdict.kind == StepVerdict::SilentFailure) keepWhatGainsOnLeavingIt();
        sortRemedies(m_found.remedies);
    }

    /// What is lost is only mended by what trains better than leaving it.
    void keepWhatGainsOnLeavingIt() {
        constexpr double kGain = 0.97;
        if (m_found.silent.front().kind == SilentKind::ValidationFails) return;
        const Remedy left = m_found.remedies.front();
        for (Remedy& remedy : m_found.remedies) {
            const bool gains = !std::isfinite(left.loss) || remedy.loss <= kGain * left.loss;
            remedy.helps = remedy.helps && gains;
        }
    }

    void proposeAgainstLosses() {
        const SilentFinding& found = m_found.silent.front();
        for (const Remedy& remedy :
             remediesOfSilence(found, m_found.card.chain, m_before.state.settings)) {
            if (changesAnything(remedy)) propose(remedy);
        }
        if (found.kind == SilentKind::LossHasGrown) {
            for (const Remedy& remedy : remediesOfDivergence(m_before.state.settings, m_options.past)) {
                if (changesAnything(remedy)) propose(remedy);
                proposeFromHealthy(remedy);
            }
        } else if (found.kind < SilentKind::Clipped && m_found.policy != "fp32") {
            propose({.label = "Switch to FP32", .pointer = "/precision", .value = "\"fp32\""});
        }
    }

    /// Where FP32 from the last healthy step on is healthy too, it was the format after all.
    void proposeOtherUpdates() {
        if (m_found.policy != "fp32") proposeFromHealthy({.label = "Switch to FP32", .pointer = "/precision", .value = "\"fp32\""});
        m_found.verdict = judgeStep(m_found.card, m_found.trials, evidence());
        for (const Remedy& remedy : remediesOfDivergence(m_before.state.settings, m_options.past)) {
            if (changesAnything(remedy)) propose(remedy);
            proposeFromHealthy(remedy);
        }
    }

    void proposeFromHealthy(const Remedy& remedy) { proposeFrom(beganToDiverge(m_options.past), remedy); }

    void proposeFrom(std::int64_t step, Remedy remedy) {
        if (!m_options.tryFrom || !mayTry(remedy)) return;
        try {
            m_options.tryFrom(step, remedy, [this, &remedy](std::int64_t done, std::int64_t of) {
                m_time.begin({QuestionWork::TryingRemedy, remedy.label, done, of});
                return !isLate();
            });
        } catch (const std::exception&) {
            return;  // what cannot be gone back to is not proposed
        }
        if (remedy.steps > 0) m_found.remedies.push_back(std::move(remedy));
    }
};

}  // namespace

Examination examineStep(Trainer& trainer, const StepStart& before, const ExaminerOptions& options) {
    return thenPutBack(trainer, [&] { return Examiner(trainer, before, options).step(); });
}

Examination examineUpdate(Trainer& trainer, const StepStart& before, const ExaminerOptions& options) {
    return thenPutBack(trainer, [&] { return Examiner(trainer, before, options).update(); });
}

}  // namespace mantissa
