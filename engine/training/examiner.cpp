// SPDX-License-Identifier: Apache-2.0
#include "engine/training/examiner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <stdexcept>

#include "engine/diagnosis/verdict.h"
#include "engine/telemetry/number_format.h"
#include "engine/training/provenance.h"
#include "engine/training/remedies.h"
#include "engine/training/silent_findings.h"
#include "engine/training/then_put_back.h"
#include "engine/training/twin_tensors.h"

namespace mantissa {
namespace {

using ExaminerClock = std::chrono::steady_clock;

double millisecondsSince(ExaminerClock::time_point start) {
    return std::chrono::duration<double, std::milli>(ExaminerClock::now() - start).count();
}

/// What a trial changes of the step as it was used.
struct Setup {
    std::string policy;  // empty: as used
    std::string fp32Layer;
    double scale = 1;
};

class Examiner {
public:
    Examiner(Trainer& trainer, const StepStart& before, const ExaminerOptions& options)
        : m_trainer(trainer), m_before(before), m_options(options), m_start(ExaminerClock::now()) {}

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
        if (!m_foundInf && !m_hasFound && m_options.validates) findWhatIsLost();
        m_found.verdict = judgeStep(m_found.card, m_found.trials, evidence());
        proposeRemedies();
        return finish();
    }

    Examination update() {
        begin();
        tryAsUsed(true);
        m_found.cardMs = millisecondsSince(m_start);
        const bool isOfTheUpdate = m_hasFound && m_found.card.phase == "optimizer" && m_found.card.operation != "unscale";
        if (!isOfTheUpdate) m_found.card = {};
        if (isOfTheUpdate) m_found.verdict = judgeStep(m_found.card, m_found.trials, evidence());
        return finish();
    }

private:
    Trainer& m_trainer;
    const StepStart& m_before;
    const ExaminerOptions& m_options;
    ExaminerClock::time_point m_start;
    Examination m_found;
    std::vector<float> m_referenceGradients;
    std::optional<std::vector<float>> m_values;
    BrokenTensors m_broken;
    bool m_hasFound = false, m_isBatchFinite = true, m_foundInf = false, m_keepsBadGradients = false;

    bool isLate() const { return millisecondsSince(m_start) > m_options.trialSeconds * 1e3; }
    double usedScale() const { return static_cast<double>(m_before.state.scaler.ofLoss()); }

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

    std::string labelOf(const Setup& setup) const {
        const std::string name = policyScreenName(setup.policy.empty() ? m_found.policy : setup.policy);
        const std::string layer = setup.fp32Layer.empty() ? "" : ", " + setup.fp32Layer + " in FP32";
        return name + layer + (setup.scale == 1 ? ", not scaled" : " × " + powerOfTwoText(setup.scale));
    }

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
            .label = labelOf({.scale = usedScale()}) + ", as used", .policy = m_found.policy, .scale = usedScale(), .isAsUsed = true};
        trial.isForwardFinite = provenance.isForwardFinite() && std::isfinite(tried.loss);
        trial.loss = tried.loss;
        count(trial, tried.gradients);
        m_found.trials.push_back(std::move(trial));
    }

    static void count(Trial& trial, const std::vector<float>& gradients) {
        trial.nonFinite = std::count_if(gradients.begin(), gradients.end(), [](float g) { return !std::isfinite(g); });
    }

    /// How the gradients compare with fp32's; only where all are finite.
    void compare(Trial& trial, const std::vector<float>& gradients) const {
        if (!trial.isFinite() || gradients.size() != m_referenceGradients.size()) return;
        double distance = 0, length = 0;
        std::int64_t flushed = 0, nonZero = 0;
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            const auto g = static_cast<double>(gradients[i]), wide = static_cast<double>(m_referenceGradients[i]);
            distance += (g - wide) * (g - wide);
            length += wide * wide;
            nonZero += wide != 0 ? 1 : 0;
            flushed += wide != 0 && g == 0 ? 1 : 0;
        }
        trial.difference = length > 0 ? std::sqrt(distance / length) : NAN;
        trial.flushedShare = nonZero > 0 ? static_cast<double>(flushed) / static_cast<double>(nonZero) : NAN;
    }

    TrainingSettings settingsOf(const Setup& setup) const {
        TrainingSettings settings = m_before.state.settings;
        if (!setup.policy.empty()) {
            settings.precision.policy = setup.policy;
            settings.precision.overrides.clear();
        }
        if (!setup.fp32Layer.empty()) settings.precision.overrides.emplace_back(setup.fp32Layer, Dtype::F32);
        return settings;
    }

    /// Before the step, with other settings. Without a scale: the one that these settings leave in force.
    void setUp(const TrainingSettings& settings, std::optional<double> scale) {
        m_trainer.restore(m_before.state);
        if (settings != m_before.state.settings) m_trainer.change(settings);
        if (scale) m_trainer.setLossScale(*scale);
        m_trainer.putFaults(m_before.faults);
    }

    /// `wanted`: a tensor whose values are kept in `m_values`.
    void tryIt(const Setup& setup, const std::optional<TensorKey>& wanted = {}, bool isReference = false) {
        Trial trial{.label = labelOf(setup),
                    .policy = setup.policy.empty() ? m_found.policy : setup.policy,
                    .scale = setup.scale,
                    .overriddenLayer = setup.fp32Layer,
                    .isReference = isReference};
        try {
            setUp(settingsOf(setup), setup.scale);
            const Trainer::Tried tried = wanted ? readWhileTrying(*wanted) : m_trainer.tryStep();
            trial.isForwardFinite = std::isfinite(tried.loss);
            trial.loss = tried.loss;
            count(trial, tried.gradients);
            if (isReference) m_referenceGradients = tried.gradients;
            compare(trial, tried.gradients);
        } catch (const std::bad_alloc&) {
            trial.failure = "there is not enough memory";
        } catch (const std::invalid_argument& error) {
            trial.failure = error.what();
        }
        m_found.trials.push_back(std::move(trial));
    }

    Trainer::Tried readWhileTrying(const TensorKey& wanted) {
        TensorReader reader(m_trainer.plan(), wanted);
        const Trainer::Look look{.at = [&](Executor& executor, Queue& queue, std::int64_t instruction, int buffer, const ElementClasses&) {
            reader.look(executor, queue, instruction, buffer);
        }};
        Trainer::Tried tried = m_trainer.tryStep(&look);
        m_values = reader.values();
        return tried;
    }

    void tryFp32() { tryIt({.policy = "fp32"}, {}, true); }

    void tryOthers() {
        const bool isBackward = m_found.trials.front().isForwardFinite;
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
        const std::string layer = layerAtFault();
        if (layer.empty()) return;
        tryIt({.fp32Layer = layer, .scale = usedScale()}, TensorKey{card.layer, card.operation, card.tensor});
        if (m_values) measure(*m_values);
    }

    /// That an override can name: a layer with operations of its own.
    std::string layerAtFault() const {
        const std::string& layer = m_found.card.layer;
        return layer == "input" || layer == "labels" || layer == "optimizer" ? "" : layer;
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
        const TrainingSettings &own = m_before.state.settings, wide = settingsOf({.policy = "fp32"});
        setUp(own, std::nullopt);
        const TwinStep used = readTwinStep(m_trainer);
        setUp(wide, 1);
        SilentFindings found(m_found.silent);
        found.compareTensors(used, readTwinStep(m_trainer));
        tryFp32();
        setUp(own, std::nullopt);
        compare(m_found.trials.front(), m_trainer.tryStep().gradients);
        found.judgeGradients(own, m_found.trials.front());
        setUp(own, std::nullopt);
        const StepMoves moves = movesOfNextStep(m_trainer);
        setUp(wide, 1);
        found.compareUpdates(own, moves, movesOfNextStep(m_trainer));
        found.judgeLoss(m_options.past);
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

    void propose(Remedy remedy) {
        const bool canTry = remedy.pointer.empty() || m_options.settingsWith;
        if (m_options.remedySteps > 0 && canTry && !isLate()) tryRemedy(remedy, std::nullopt);
        m_found.remedies.push_back(std::move(remedy));
    }

    void tryRemedy(Remedy& remedy, std::optional<double> scale) {
        try {
            const TrainingSettings& before = m_before.state.settings;
            const bool isSetting = !remedy.pointer.empty() && !scale;
            const TrainingSettings settings = isSetting ? m_options.settingsWith(remedy.pointer, remedy.value) : before;
            const bool scalerFollows = remedy.pointer != kScaler && settings.scaler != before.scaler;
            setUp(settings, scale);
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

    void proposeRemedies() {
        const SkipVerdict verdict = m_found.verdict;
        if (verdict.kind == StepVerdict::Sound) return;
        const bool isFormats = verdict.kind == StepVerdict::ScaleTooHigh || verdict.kind == StepVerdict::ForwardOverflow;
        const ScalerSettings& scaler = m_before.state.settings.scaler;
        if (verdict.kind == StepVerdict::KeptGradients || (isFormats && !m_before.state.settings.zeroGrad))
            propose({.label = "Set gradients to zero", .pointer = "/zero_grad", .value = "true"});
        if (verdict.safeScale > 0 && scaler.preset != "none") proposeScale(verdict.safeScale);
        if (isFormats) {
            const std::string& layer = verdict.suspectLayer;
            if (!layer.empty()) propose({.label = layer + " in FP32", .pointer = "/precision/overrides/" + layer, .value = "\"fp32\""});
            if (m_found.policy != "bf16" && m_found.policy != "fp32" && !hasFailed("bf16"))
                propose({.label = "Switch to BF16", .pointer = "/precision", .value = "\"bf16\""});
        }
        if (verdict.kind == StepVerdict::SilentFailure) proposeAgainstLosses();
        if (verdict.kind == StepVerdict::BadData && !scalerInForce(scaler).skipsOnFoundInf())
            propose({.label = "Skip such steps", .pointer = kScaler, .value = R"({"preset":"static","init_scale":1})"});
        propose({.label = "Leave it"});
        const bool helpsSoFar =
            std::any_of(m_found.remedies.begin(), m_found.remedies.end(), [](const Remedy& each) { return each.helps; });
        if (isFormats && !helpsSoFar && m_found.policy != "fp32")
            propose({.label = "Switch to FP32", .pointer = "/precision", .value = "\"fp32\""});
        m_found.verdict = judgeStep(m_found.card, m_found.trials, evidence());
        if (m_found.verdict.kind == StepVerdict::Divergence) proposeOtherUpdates();
        if (verdict.kind == StepVerdict::SilentFailure) keepWhatGainsOnLeavingIt();
        sortRemedies(m_found.remedies);
    }

    /// What is lost is only mended by what trains better than leaving it.
    void keepWhatGainsOnLeavingIt() {
        constexpr double kGain = 0.97;
        const Remedy& left = m_found.remedies.back();
        for (Remedy& remedy : m_found.remedies) {
            const bool gains = !std::isfinite(left.loss) || remedy.loss <= kGain * left.loss;
            remedy.helps = remedy.helps && gains;
        }
    }

    void proposeAgainstLosses() {
        const SilentFinding& found = m_found.silent.front();
        for (const Remedy& remedy : remediesOfSilence(found, m_found.card.chain)) propose(remedy);
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

    void proposeFromHealthy(Remedy remedy) {
        if (!m_options.tryFrom || isLate()) return;
        try {
            m_options.tryFrom(beganToDiverge(m_options.past), remedy, [this] { return !isLate(); });
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
