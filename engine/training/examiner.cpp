// SPDX-License-Identifier: Apache-2.0
#include "engine/training/examiner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "engine/diagnosis/race.h"
#include "engine/diagnosis/verdict.h"
#include "engine/telemetry/number_format.h"
#include "engine/training/override_search.h"
#include "engine/training/provenance.h"
#include "engine/training/remedies.h"
#include "engine/training/scale_search.h"
#include "engine/training/silent_findings.h"
#include "engine/training/step_trials.h"
#include "engine/training/then_put_back.h"

namespace mantissa {
namespace {

using ExaminerClock = std::chrono::steady_clock;

double millisecondsSince(ExaminerClock::time_point start) {
    return std::chrono::duration<double, std::milli>(ExaminerClock::now() - start).count();
}

class Examiner {
public:
    Examiner(Trainer& trainer, const StepStart& before, const ExaminerOptions& options)
        : m_trainer(trainer), m_before(before), m_options(options), m_trials(trainer, before), m_start(ExaminerClock::now()) {}

    Examination step() {
        begin();
        m_broken = brokenTensors(m_trainer);
        tryAsUsed(false);
        m_found.cardMs = millisecondsSince(m_start);
        const bool isOfTheFormat = m_broken.weights.empty() && !m_keepsBadGradients && m_isBatchFinite && m_hasFound;
        if (isOfTheFormat) {
            tryFp32();
            if (m_found.trials.back().isFinite()) tryOthers();
        }
        if (!m_foundInf && !m_hasFound && m_options.isThorough)
            m_found.silent = findWhatIsLost(m_trials, m_found.trials, m_options.past, m_broken.statistics);
        m_found.verdict = judgeStep(m_found.card, m_found.trials, evidence());
        proposeRemedies();
        return finish();
    }

    Examination update() {
        begin();
        if (!brokenTensors(m_trainer).weights.empty()) return finish();  // what was broken before is not the update's fault
        tryAsUsed(true);
        m_found.cardMs = millisecondsSince(m_start);
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
    ExaminerClock::time_point m_start;
    Examination m_found;
    BrokenTensors m_broken;
    bool m_hasFound = false, m_isBatchFinite = true, m_foundInf = false, m_keepsBadGradients = false, m_isNormFinite = true;
    double m_gradNorm = 0;

    bool isLate() const { return millisecondsSince(m_start) > m_options.trialSeconds * 1e3; }
    double usedScale() const { return m_trials.usedScale(); }
    bool isReciprocalInfinite() const { return std::isinf(1 / static_cast<float>(usedScale())); }

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
        m_found.allMs = millisecondsSince(m_start);
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
        m_found.card.microBatches = m_before.state.settings.accumulate;
        m_isNormFinite = std::isfinite(tried.gradNorm);
        m_gradNorm = normOf(tried.gradients);
        m_foundInf = tried.foundInf || !std::isfinite(tried.loss) || !m_isNormFinite;
        m_found.wasSkipped = tried.foundInf && m_trainer.scaler().skipsOnFoundInf();
        m_hasFound = provenance.hasFound();
        m_isBatchFinite = provenance.isBatchFinite();
        Trial trial{.label = m_trials.labelOf({.scale = usedScale()}) + ", as used",
                    .policy = m_found.policy,
                    .scale = usedScale(),
                    .isAsUsed = true};
        trial.isForwardFinite = provenance.isForwardFinite() && std::isfinite(tried.loss);
        trial.loss = tried.loss;
        StepTrials::count(trial, tried.gradients);
        m_found.trials.push_back(std::move(trial));
    }

    void setUp(const TrainingSettings& settings, std::optional<double> scale) { m_trials.setUp(settings, scale); }
    void tryIt(const TrialSetup& setup) { m_found.trials.push_back(m_trials.repeat(setup)); }
    void tryFp32() { m_found.trials.push_back(m_trials.repeatAsReference()); }

    static double normOf(const std::vector<float>& gradients) {
        double squares = 0;
        for (const float g : gradients) squares += static_cast<double>(g) * static_cast<double>(g);
        return std::sqrt(squares);
    }

    void tryOthers() {
        const bool isBackward = m_found.trials.front().isForwardFinite;
        ScaleSearch scales(m_trials, m_found.trials, [this] { return isLate(); });
        if (isBackward && isReciprocalInfinite()) return scales.searchUp();
        if (usedScale() > 1) tryIt({.scale = 1});  // what finds out most with one trial: whether any scale can help
        if (isBackward) scales.searchDown();
        if (!isLate()) tryLayerInFp32();
        if (!isLate() && m_found.policy != "bf16") tryIt({.policy = "bf16"});
    }

    /// The layer at fault in fp32; what it makes then says how far beyond the format it is.
    void tryLayerInFp32() {
        const ProvenanceCard& card = m_found.card;
        if (!isOverridable(card.layer)) return;
        m_found.trials.push_back(m_trials.repeat({.fp32Places = {card.layer}, .scale = usedScale()},
                                                 TensorKey{card.layer, card.operation, card.tensor, card.microBatch}));
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
                .hugeWeights = m_broken.hugeWeights,
                .badStatistics = m_broken.statistics,
                .areStatisticsFinite = m_broken.areStatisticsFinite,
                .flushesEpsilon = flushesEpsilon(m_before.state.settings),
                .weightsFile = m_found.step == 0 ? m_before.state.settings.init.weights : "",
                .isReciprocalInfinite = isReciprocalInfinite(),
                .gradNorm = m_gradNorm,
                .isNormFinite = m_isNormFinite,
                .clips = m_before.state.settings.clipGradNorm.has_value(),
                .isScalerDynamic = scaler.isDynamic(),
                .hasScaler = scaler.skipsOnFoundInf(),
                .backoffFactor = scaler.backoffFactor,
                .consecutiveSkips = m_options.consecutiveSkips,
                .isSettling = isSettling(scaler),
                .silent = m_found.silent,
                .past = m_options.past,
                .remedies = m_found.remedies};
    }

    /// The run is young, and its scale, which began no higher than any framework's does, has not grown since.
    bool isSettling(const ScalerPreset& scaler) const {
        constexpr std::int64_t kFirstSteps = 50;
        constexpr double kHighestFirstScale = 0x1p32;  // Megatron's
        const auto& counters = m_before.state.counters;
        const auto backoffs = static_cast<double>(counters.skippedTotal / std::max<std::int64_t>(1, scaler.hysteresis));
        const double fallen = scaler.firstScale() * std::pow(scaler.backoffFactor, backoffs);
        return scaler.firstScale() <= kHighestFirstScale && counters.optimizerStep < kFirstSteps && usedScale() <= fallen;
    }

    // ---- Remedies ----

    static constexpr const char *kScale = "/scaler/scale", *kScaler = "/scaler", *kResetStatistics = "/reset/statistics";

    bool hasFailed(const std::string& policy) const {
        return std::any_of(m_found.trials.begin(), m_found.trials.end(),
                           [&](const Trial& trial) { return trial.policy == policy && !trial.failure.empty(); });
    }

    bool changesAnything(const Remedy& remedy) const {
        try {
            return m_options.settingsWith && m_options.settingsWith(remedy.pointer, remedy.value) != m_before.state.settings;
        } catch (const std::exception&) {  // the run refuses it
            return false;
        }
    }

    Remedy tried(Remedy remedy) {
        const bool canTry = remedy.pointer.empty() || m_options.settingsWith;
        if (m_options.remedySteps > 0 && canTry && !isLate()) tryRemedy(remedy, std::nullopt);
        return remedy;
    }
    void propose(Remedy remedy) { m_found.remedies.push_back(tried(std::move(remedy))); }

    void tryRemedy(Remedy& remedy, std::optional<double> scale) {
        try {
            const TrainingSettings& before = m_before.state.settings;
            const bool resets = remedy.pointer == kResetStatistics;
            if (remedy.pointer == kScale && !scale) scale = std::stod(remedy.value);
            const bool isSetting = !remedy.pointer.empty() && !scale && !resets;
            const TrainingSettings settings = isSetting ? m_options.settingsWith(remedy.pointer, remedy.value) : before;
            const bool scalerFollows = remedy.pointer != kScaler && settings.scaler != before.scaler;
            setUp(settings, scale);
            if (resets) m_trainer.resetStatistics();
            tryOn(
                m_trainer, [this] { return m_trainer.step(); }, remedy, m_options.remedySteps, optionsHere(), [this] { return !isLate(); });
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
        if (m_found.verdict.kind == StepVerdict::BadData) options.skipsAllowed = std::max(options.skipsAllowed, options.remedySteps / 10);
        return options;
    }

    /// The largest scale that serves the next batches too; where none of a few does, the one that this step would have needed.
    void proposeScale(double safe) {
        constexpr int kHalvings = 8;
        std::optional<Remedy> first;
        for (int below = 0; below <= kHalvings; ++below) {
            const double scale = std::ldexp(safe, -below);
            Remedy remedy{.label = "Set scale " + powerOfTwoText(scale), .pointer = kScale, .value = shortest(scale)};
            if (m_options.remedySteps > 0 && !isLate()) tryRemedy(remedy, scale);
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
            candidates = candidatePlaces(m_trials, m_found.card, m_options.remedySteps, [this] { return !isLate(); });
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
            proposeHereAndFromStart({.label = "Set gradients to zero", .pointer = "/zero_grad", .value = "true"});
        if (!m_broken.statistics.empty()) propose({.label = "Reset the running statistics", .pointer = kResetStatistics, .value = "true"});
        if (verdict.safeScale > 0 && scaler.preset != "none") proposeScale(verdict.safeScale);
        if (isFormats && flushesEpsilon(m_before.state.settings)) proposeFromHealthy(safeEpsilon());
        if (isFormats) proposeOtherFormats();
        if (verdict.kind == StepVerdict::SilentFailure) proposeAgainstLosses();
        if (verdict.kind == StepVerdict::BadData && !scalerInForce(scaler).skipsOnFoundInf())
            propose({.label = "Skip such steps", .pointer = kScaler, .value = R"({"preset":"static","init_scale":1})"});
        for (const Remedy& remedy : remediesOfModel(m_before.state.settings.model, m_found.card)) proposeFrom(0, remedy);
        m_found.verdict = judgeStep(m_found.card, m_found.trials, evidence());
        if (m_found.verdict.kind == StepVerdict::Divergence) proposeOtherUpdates();
        const bool isLost = verdict.kind == StepVerdict::SilentFailure || !m_before.state.settings.zeroGrad;
        if (isLost && !m_foundInf) keepWhatGainsOnLeavingIt();
        m_found.verdict = judgeStep(m_found.card, m_found.trials, evidence());
        sortRemedies(m_found.remedies);
    }

    /// What is lost is only mended by what trains better than leaving it.
    void keepWhatGainsOnLeavingIt() {
        constexpr double kGain = 0.97, kFaster = 2;
        if (!m_found.silent.empty() && m_found.silent.front().kind == SilentKind::ValidationFails) return;
        const Remedy left = m_found.remedies.front();
        for (Remedy& remedy : m_found.remedies) {
            const bool isAnotherModel = remedy.pointer.starts_with("/model/");  // whose loss may well be higher: it sees no future, say
            const double now = m_options.past.latestMean;                       // NaN: not known
            const bool goesFaster = now - remedy.loss > kFaster * std::max(0.0, now - left.loss);
            const bool gains = isAnotherModel || !std::isfinite(left.loss) || remedy.loss <= kGain * left.loss || goesFaster;
            remedy.helps = remedy.helps && gains;
        }
    }

    void proposeAgainstLosses() {
        constexpr std::size_t kFindings = 3;
        const std::vector<SilentFinding> all = m_found.silent;
        const SilentFinding& found = all.front();
        for (std::size_t i = 0; i < all.size() && i < kFindings; ++i) {
            for (const Remedy& remedy : remediesOfSilence(all[i], m_found.card.chain, m_before.state.settings, m_options.past)) {
                if (remedy.pointer == kScale) {
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
            propose({.label = "Switch to FP32", .pointer = "/precision", .value = "\"fp32\""});
        }
    }

    /// In place, and from where the fault may have begun: what was lost since then is not lost.
    void proposeHereAndFromStart(const Remedy& remedy) {
        propose(remedy);
        const RunPast::Change* const change = latestChange(m_options.past, remedy.pointer);
        const std::int64_t start = change != nullptr ? change->step : 0;
        if (start < m_found.step) proposeFrom(start, remedy);
    }

    /// Where FP32 from the last healthy step on is healthy too, it was the format after all.
    void proposeOtherUpdates() {
        if (m_found.policy != "fp32") proposeFromHealthy({.label = "Switch to FP32", .pointer = "/precision", .value = "\"fp32\""});
        m_found.verdict = judgeStep(m_found.card, m_found.trials, evidence());
        proposeSmallerUpdates(beganToDiverge(m_options.past));
    }

    /// In place, and from before the step `from`.
    void proposeSmallerUpdates(std::int64_t from) {
        const TrainingSettings& own = m_before.state.settings;
        const auto proposeBoth = [&](const Remedy& remedy) {
            const std::size_t before = m_found.remedies.size();
            if (isProposed(remedy)) return false;
            if (changesAnything(remedy)) propose(remedy);
            proposeFrom(from, remedy);
            return std::any_of(m_found.remedies.begin() + static_cast<std::ptrdiff_t>(before), m_found.remedies.end(),
                               [](const Remedy& each) { return each.helps; });
        };
        for (const Remedy& remedy : remediesOfDivergence(own, m_options.past)) proposeBoth(remedy);
        constexpr double kSmallest = 1e-6, kBetter = 0.9;  // of the rate: beyond that it is not the rate
        double lowest = INFINITY;
        for (double part = 0.1; part > kSmallest && !isLate(); part /= 10) {
            if (!proposeBoth(rateOf(own.optimizer.lr * part))) continue;
            const double before = std::exchange(lowest, lowestHelpingLoss());
            if (lowest > kBetter * before) break;
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
        if (!m_options.tryFrom || isLate()) return;
        try {
            m_options.tryFrom(step, remedy, [this] { return !isLate(); });
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
