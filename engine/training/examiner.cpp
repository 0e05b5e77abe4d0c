// SPDX-License-Identifier: Apache-2.0
#include "engine/training/examiner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/diagnosis/race.h"
#include "engine/diagnosis/verdict.h"
#include "engine/training/examination_time.h"
#include "engine/training/override_search.h"
#include "engine/training/provenance.h"
#include "engine/training/remedies.h"
#include "engine/training/remedy_search.h"
#include "engine/training/silent_findings.h"
#include "engine/training/step_trials.h"
#include "engine/training/then_restore.h"

namespace mantissa {
namespace {

/// Search for the loss scales at which a step is finite, by repeating it. Appends its trials to `tried` until `isLate` returns true.
class ScaleSearch {
public:
    ScaleSearch(StepTrials& trials, std::vector<Trial>& tried, std::function<bool()> isLate)
        : m_trials(trials), m_tried(tried), m_isLate(std::move(isLate)) {}

    /// For a scale that is too small to divide by: tries 2^16, 2^12, ... 1 until the step is finite.
    void searchUp() {
        for (int power = 16; power >= 0 && !m_isLate(); power -= 4) {
            tryAt(std::ldexp(1, power));
            if (m_tried.back().isFinite()) return;
        }
    }

    /// Searches below the used scale; above 1 if the step was tried at 1 and is finite.
    void searchDown() { isFiniteAt(1) ? search(m_trials.usedScale(), 1) : search(std::min(m_trials.usedScale(), 1.0), 0); }

private:
    StepTrials& m_trials;
    std::vector<Trial>& m_tried;
    std::function<bool()> m_isLate;

    void tryAt(double scale) { m_tried.push_back(m_trials.repeat({.scale = scale})); }
    /// Returns the trial that differs only in the scale; null if there is none.
    const Trial* trialAt(double scale) const {
        const std::string& policy = m_tried.front().policy;  // the step as it was used
        const auto found = std::find_if(m_tried.begin(), m_tried.end(), [&](const Trial& trial) {
            return !trial.isReference && trial.policy == policy && trial.overriddenLayer.empty() && trial.scale == scale;
        });
        return found == m_tried.end() ? nullptr : &*found;
    }

    bool hasTried(double scale) const { return trialAt(scale) != nullptr; }
    bool isFiniteAt(double scale) const { return hasTried(scale) && trialAt(scale)->isFinite(); }

    /// Halves the scale, then divides it by larger factors, whose last interval is bisected. `low`: a known finite scale; 0: none.
    void search(double high, double low) {
        constexpr int kHalvings = 4, kStride = 4, kLowest = 64;
        if (!std::isfinite(static_cast<float>(high))) high = 2 * kHighestLossScale;
        const double from = high;
        for (int below = 1; below <= kLowest && !m_isLate(); below += below < kHalvings ? 1 : kStride) {
            const double scale = std::ldexp(from, -below);
            if (scale <= low || (low > 0 && below > kHalvings)) break;  // scales in between are bisected
            tryAt(scale);
            if (m_tried.back().isFinite()) {
                low = scale;
                break;
            }
            high = scale;
        }
        while (low > 0 && high / low > 2 && !m_isLate()) {
            const double middle = low * std::exp2(std::floor(std::log2(high / low) / 2));
            if (!hasTried(middle)) tryAt(middle);
            (isFiniteAt(middle) ? low : high) = middle;
        }
        if (low > 0 && !m_isLate() && !hasTried(low / 2)) tryAt(low / 2);
    }
};

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
            m_time.begin({QuestionWork::SearchingLosses});
            m_found.silent = findWhatIsLost(m_trials, m_found.trials, m_options.past, m_broken.statistics, [this] { return isStopped(); });
            m_isSearchCut = isStopped();
        }
        m_found.verdict = judgeStep(m_found.card, m_found.trials, evidence());
        proposeForStep(
            m_trials, m_options, m_time, [this] { return evidence(); }, m_found);
        return finish();
    }

    Examination update() {
        begin();
        if (!brokenTensors(m_trainer).weights.empty()) return finish();  // weights that were broken before are not the update's fault
        tryAsUsed(true);
        m_found.cardMs = m_time.ownMs();
        const bool isOfTheUpdate = m_hasFound && m_found.card.phase == "optimizer" && m_found.card.operation != "unscale";
        if (!isOfTheUpdate) m_found.card = {};
        if (!isOfTheUpdate) return finish();
        m_found.verdict = judgeStep(m_found.card, m_found.trials, evidence());
        proposeForUpdate(m_trials, m_options, m_time, m_found);
        return finish();
    }

private:
    Trainer& m_trainer;
    const StepStart& m_before;
    const ExaminerOptions& m_options;
    StepTrials m_trials;
    Examination m_found;
    BrokenTensors m_broken;
    bool m_hasFound = false, m_isBatchFinite = true, m_foundInf = false, m_keepsBadGradients = false, m_isNormFinite = true;
    double m_gradNorm = 0;
    ExaminationTime m_time;
    bool m_isSearchCut = false;

    bool isStopped() { return m_time.isStopped(); }
    bool isLate() { return m_time.isLate(); }
    double usedScale() const { return m_trials.usedScale(); }
    bool isReciprocalInfinite() const { return std::isinf(1 / static_cast<float>(usedScale())); }

    void begin() {
        m_trainer.keepNonFiniteSteps(false);
        restoreStep(m_trainer, m_before);
        m_found.step = m_trainer.nextStep();
        m_found.policy = m_trainer.policy().name;
        m_found.lossScale = usedScale();
        m_found.past = m_options.past;
        m_keepsBadGradients = m_trainer.keepsBadGradients();
    }

    Examination finish() {
        m_found.wasStopped = isStopped();
        const bool isCut = std::any_of(m_found.remedies.begin(), m_found.remedies.end(),
                                       [this](const Remedy& remedy) { return remedy.steps < m_options.remedySteps; });
        if (m_options.isThorough && !m_found.wasStopped && isLate() && isCut)
            m_found.verdict.explanation +=
                Text("The examination ended after %1 s, before all remedies were tried; trials may be missing as well."_text,
                     Figure{m_options.trialSeconds, 3});
        m_found.allMs = m_time.ownMs();
        return std::move(m_found);
    }

    // ---- Trials ----

    void tryAsUsed(bool throughUpdate) {
        Provenance provenance(m_trainer.plan(), m_broken.statistics);
        const Trainer::Observer observer{.at = std::bind_front(&Provenance::observe, &provenance), .throughUpdate = throughUpdate};
        const Trainer::Tried tried = m_trainer.tryStep(&observer);
        provenance.noteGradients(tried.gradients);
        m_found.card = provenance.card();
        m_found.card.microBatches = m_before.state.settings.accumulate;
        m_isNormFinite = std::isfinite(tried.gradNorm);
        m_gradNorm = normOf(tried.gradients);
        m_foundInf = tried.foundInf || !std::isfinite(tried.loss) || !m_isNormFinite;
        m_found.wasSkipped = tried.foundInf && m_trainer.scaler().skipsOnFoundInf();
        m_hasFound = provenance.hasFound();
        m_isBatchFinite = provenance.isBatchFinite();
        Trial trial{.label = {"%1, in use"_text, m_trials.labelOf({.scale = usedScale()})},
                    .policy = m_found.policy,
                    .scale = usedScale(),
                    .isAsUsed = true};
        trial.isForwardFinite = provenance.isForwardFinite() && std::isfinite(tried.loss);
        trial.loss = tried.loss;
        StepTrials::count(trial, tried.gradients);
        m_found.trials.push_back(std::move(trial));
    }

    void tryIt(const TrialSetup& setup) { m_found.trials.push_back(m_trials.repeat(setup)); }
    void tryFp32() { m_found.trials.push_back(m_trials.repeatAsReference()); }

    static double normOf(const std::vector<float>& gradients) {
        double squares = 0;
        for (const float g : gradients) squares += static_cast<double>(g) * static_cast<double>(g);
        return std::sqrt(squares);
    }

    void tryOthers() {
        const bool isBackward = m_found.trials.front().isForwardFinite;
        if (isStopped()) return;
        ScaleSearch scales(m_trials, m_found.trials, [this] { return isLate(); });
        if (isBackward && isReciprocalInfinite()) return scales.searchUp();
        if (usedScale() > 1) tryIt({.scale = 1});  // the most informative single trial: whether any scale helps
        if (isBackward) scales.searchDown();
        if (!isLate()) tryLayerInFp32();
        if (!isLate() && m_found.policy != "bf16") tryIt({.policy = "bf16"});
    }

    /// Runs the failing layer in fp32, which shows by how much its output exceeds the format.
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
        enterWide(card, wide, element);
    }

    StepEvidence evidence() const {
        const ScalerPreset scaler = resolvedScaler(m_before.state.settings.scaler);
        return {.foundInf = m_foundInf,
                .isBatchFinite = m_isBatchFinite,
                .setsGradientsToZero = m_before.state.settings.zeroGrad,
                .keepsBadGradients = m_keepsBadGradients,
                .badWeights = m_broken.weights,
                .hugeWeights = m_broken.hugeWeights,
                .badStatistics = m_broken.statistics,
                .areStatisticsFinite = m_broken.areStatisticsFinite,
                .isEpsilonTooSmall = isEpsilonTooSmall(m_before.state.settings),
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
                .isSearched = !m_isSearchCut,
                .past = m_options.past,
                .remedies = m_found.remedies};
    }

    /// Whether the run is young and its scale has not grown since the start, which was at a usual first scale.
    bool isSettling(const ScalerPreset& scaler) const {
        constexpr std::int64_t kFirstSteps = 50;
        constexpr double kHighestFirstScale = 0x1p32;  // Megatron's
        const auto& counters = m_before.state.counters;
        const auto backoffs = static_cast<double>(counters.skippedTotal / std::max<std::int64_t>(1, scaler.hysteresis));
        const double fallen = scaler.firstScale() * std::pow(scaler.backoffFactor, backoffs);
        return scaler.firstScale() <= kHighestFirstScale && counters.optimizerStep < kFirstSteps && usedScale() <= fallen;
    }
};

}  // namespace

Examination examineStep(Trainer& trainer, const StepStart& before, const ExaminerOptions& options) {
    return thenRestore(trainer, [&] { return Examiner(trainer, before, options).step(); });
}

Examination examineUpdate(Trainer& trainer, const StepStart& before, const ExaminerOptions& options) {
    return thenRestore(trainer, [&] { return Examiner(trainer, before, options).update(); });
}

}  // namespace mantissa
