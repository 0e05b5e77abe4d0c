// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/verdict.h"

#include <algorithm>
#include <cmath>

#include "engine/precision/policy.h"
#include "engine/telemetry/number_format.h"
#include "kernels/dtype/dtype.h"

namespace mantissa {
namespace {

const Trial* find(const std::vector<Trial>& trials, bool Trial::*mark) {
    const auto found = std::find_if(trials.begin(), trials.end(), [&](const Trial& trial) { return trial.*mark && trial.failure.empty(); });
    return found == trials.end() ? nullptr : &*found;
}

/// The step as it was used, but for the scale.
bool isOnlyScaled(const Trial& trial, const Trial& used) {
    return !trial.isReference && trial.policy == used.policy && trial.overriddenLayer.empty();
}

/// Every gradient that is not 0 in FP32 is 0: finite, and of no use.
bool isAllFlushed(const Trial& trial) {
    return trial.flushedShare >= 1;
}

/// The trial at the highest scale at which the step is finite and not all of its gradients are flushed, as it was used otherwise; null:
/// none is.
const Trial* safest(const std::vector<Trial>& trials, const Trial& used) {
    const Trial* best = nullptr;
    for (const Trial& trial : trials) {
        const bool isUsable = isOnlyScaled(trial, used) && trial.scale < used.scale && trial.isFinite() && !isAllFlushed(trial);
        if (isUsable && (best == nullptr || trial.scale > best->scale)) best = &trial;
    }
    return best;
}

const Trial* overriding(const std::vector<Trial>& trials) {
    const auto found = std::find_if(trials.begin(), trials.end(), [](const Trial& t) { return !t.overriddenLayer.empty(); });
    return found == trials.end() || !found->failure.empty() ? nullptr : &*found;
}

std::string screenFormat(const std::string& name) {
    const auto dtype = dtypeFromName(name);
    return dtype ? std::string(facts(*dtype).screenName) : name;
}

std::string listOf(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < 3; ++i) text += (i > 0 ? ", " : "") + names[i];
    return names.size() > 3 ? text + " and " + std::to_string(names.size() - 3) + " more" : text;
}

std::string placeText(const ProvenanceCard& card) {
    return card.layer + ", " + card.operation + ", " + card.phase;
}

/// What fp32 says of a finite trial.
std::string agreement(const Trial& trial) {
    if (std::isnan(trial.difference)) return "";
    const std::string share = shareText(trial.difference);
    std::string text = trial.difference < 0.2 ? " There its gradients are within " + share + " of FP32's"
                                              : " There they differ by " + share + " from FP32's";
    if (trial.flushedShare > 0) text += ", with " + shareText(trial.flushedShare) + " of them flushed to zero";
    return text + ".";
}

struct Judge {
    const ProvenanceCard& card;
    const std::vector<Trial>& trials;
    const StepEvidence& evidence;
    const Trial* used;
    const Trial* reference;
    SkipVerdict verdict = {};

    SkipVerdict judge() {
        judgeByTrials();
        if (isOfTheUpdates()) tooLargeUpdates();
        if (isOfTheFormat() && leave() != nullptr && !leave()->helps && diverges()) divergence();
        if (!evidence.badStatistics.empty() && verdict.kind != StepVerdict::BadStatistics)
            verdict.explanation +=
                " " + listOf(evidence.badStatistics) + ", which training does not read, could not be used for validation before.";
        return verdict;
    }

private:
    void judgeByTrials() {
        const bool isWide = reference != nullptr && !reference->isFinite();
        if (!evidence.badWeights.empty()) {
            badWeights();
        } else if (!evidence.hugeWeights.empty() && isWide && !(lossGrowth(trials, evidence.past) >= kGrownLoss)) {
            hugeWeights();
        } else if (evidence.keepsBadGradients) {
            keptGradients();
        } else if (!evidence.isBatchFinite) {
            badData();
        } else if (card.phase == "optimizer" && card.operation != "unscale") {
            badUpdate();
        } else if (used == nullptr || used->isFinite()) {
            evidence.foundInf&& used != nullptr ? (evidence.isNormFinite ? unexplained() : normOverflow())
            : !evidence.badStatistics.empty()   ? badStatistics()
            : !evidence.setsGradientsToZero     ? addedGradients()
            : !evidence.silent.empty()          ? silentFailure()
                                                : sound();
        } else if (reference != nullptr && !reference->isFinite()) {
            arithmetic();
        } else if (!used->isForwardFinite) {
            forwardOverflow();
        } else if (const Trial* usable = evidence.isReciprocalInfinite ? usableAbove() : nullptr) {
            scaleTooLow(*usable);
        } else if (const Trial* safe = safest(trials, *used)) {
            scaleTooHigh(*safe);
        } else if (reference != nullptr && hasTriedLower()) {
            backwardOverflow();
        } else {
            notSearched();
        }
    }

    // ---- What came of the remedies ----

    /// The trial of the next steps with nothing changed; null: it was not tried.
    const Remedy* leave() const {
        const auto found = std::find_if(evidence.remedies.begin(), evidence.remedies.end(), [](const Remedy& remedy) {
            return remedy.pointer.empty() && remedy.rewindTo < 0 && remedy.steps > 0;
        });
        return found == evidence.remedies.end() ? nullptr : &*found;
    }
    /// Whether dead units or flushed optimizer numbers come of updates that were too large: smaller ones, from an earlier step on, train.
    bool isOfTheUpdates() const {
        if (verdict.kind == StepVerdict::SilentFailure)
            return evidence.silent.front().kind != SilentKind::LossHasGrown && isDead(evidence.silent) && smallerUpdate() != nullptr;
        return verdict.kind == StepVerdict::ForwardOverflow && evidence.flushesEpsilon && smallerUpdate() != nullptr;
    }
    /// The remedy that makes updates smaller, goes back, and clearly trains; null: there is none.
    const Remedy* smallerUpdate() const {
        constexpr double kTrains = 0.8;
        const auto found = std::find_if(evidence.remedies.begin(), evidence.remedies.end(), [&](const Remedy& remedy) {
            const bool isOfUpdates = remedy.pointer == "/optimizer/lr" || remedy.pointer == "/optimizer/eps";
            return isOfUpdates && remedy.helps && remedy.rewindTo >= 0 && !(remedy.loss > kTrains * evidence.past.latestMean);
        });
        return found == evidence.remedies.end() ? nullptr : &*found;
    }
    void tooLargeUpdates() {
        const Remedy& smaller = *smallerUpdate();
        const std::string seen = evidence.silent.empty() ? placeText(card) + " gives " + card.cls : silentText(evidence.silent.front());
        std::string text = "Updates were too large: " + seen + ". From step " + groupedText(smaller.rewindTo) + " on with " +
                           smaller.pointer.substr(smaller.pointer.rfind('/') + 1) + " " + smaller.value + ", " + outcomeText(smaller) + ".";
        if (evidence.flushesEpsilon && evidence.silent.empty())
            text += " Adam's epsilon is 0 in the format that keeps the weights, so that updates are divided by next to nothing.";
        verdict = {};
        say(StepVerdict::Divergence, "Training diverges.", text);
    }
    bool isOfTheFormat() const {
        const StepVerdict kind = verdict.kind;
        return kind == StepVerdict::ScaleTooHigh || kind == StepVerdict::ForwardOverflow || kind == StepVerdict::ArithmeticNaN ||
               kind == StepVerdict::Unexplained;
    }
    /// Whether the loss has grown and does not fall again, or grows without bound in a format with fp32's range, and none of what concerns
    /// the format helps.
    bool diverges() const {
        const double now = evidence.past.usualLoss * lossGrowth(trials, evidence.past);
        if (leave()->loss < now / 2) return false;  // it recovers
        bool grows = lossGrowth(trials, evidence.past) >= kGrownLoss;
        for (const Remedy& remedy : evidence.remedies) {
            if (remedy.steps == 0) continue;
            if (!remedy.pointer.starts_with("/precision") && !remedy.pointer.starts_with("/scaler")) continue;
            if (remedy.helps) return false;
            const bool isKnown = !std::isnan(evidence.past.usualLoss);
            const bool hasTrained = remedy.skips < remedy.steps;
            grows =
                grows || (isKnown && hasTrained && remedy.pointer == "/precision" && !(remedy.loss < kGrownLoss * evidence.past.usualLoss));
        }
        return grows;
    }

    void divergence() {
        const RunPast& past = evidence.past;
        std::string text = "The loss was " + numberText(past.usualLoss, 3) + " before step " + groupedText(past.usualUntil) + ", and is " +
                           numberText(past.usualLoss * lossGrowth(trials, past), 3) + " now.";
        for (const RunPast::Change& change : past.changes)
            text +=
                " " + change.label + " was changed from " + change.from + " to " + change.to + " at step " + groupedText(change.step) + ".";
        for (const Remedy& remedy : evidence.remedies) {
            if (remedy.pointer != "/precision" || remedy.steps == 0) continue;
            const std::string policy = remedy.value.substr(1, remedy.value.size() - 2);
            text += " In " + policyScreenName(policy) + (remedy.rewindTo >= 0 ? " from step " + groupedText(remedy.rewindTo) : "") + ", " +
                    outcomeText(remedy) + ".";
        }
        const bool hasTriedFormats =
            used->policy == "fp32" || std::any_of(evidence.remedies.begin(), evidence.remedies.end(),
                                                  [](const Remedy& r) { return r.steps > 0 && r.pointer.starts_with("/precision"); });
        if (hasTriedFormats) text += " Neither the format nor the loss scale is the cause.";
        const double safeScale = verdict.safeScale;
        verdict = {};
        verdict.safeScale = safeScale;
        say(StepVerdict::Divergence, "Training diverges.", text);
    }

    /// "the loss is 2.3 after 100 steps"
    static std::string outcomeText(const Remedy& remedy) {
        if (!std::isfinite(remedy.loss))
            return groupedText(remedy.nonFinite) + " of the next " + groupedText(remedy.steps) + " steps are not finite";
        return "the loss is " + numberText(remedy.loss, 3) + " after " + groupedText(remedy.steps) + " steps";
    }

    /// Whether the same step was run at a lower scale.
    bool hasTriedLower() const {
        return std::any_of(trials.begin(), trials.end(), [&](const Trial& trial) {
            return !trial.isReference && trial.failure.empty() && trial.policy == used->policy && trial.overriddenLayer.empty() &&
                   trial.scale < used->scale;
        });
    }
    /// Whether a scale between the finite ones and the others was left out.
    bool isSearchedTo(const Trial& safe) const {
        return std::any_of(trials.begin(), trials.end(), [&](const Trial& trial) {
            return !trial.isReference && trial.policy == used->policy && trial.overriddenLayer.empty() && !trial.isFinite() &&
                   trial.failure.empty() && trial.scale <= 2 * safe.scale;
        });
    }
    void say(StepVerdict kind, std::string headline, std::string explanation) {
        verdict.kind = kind;
        verdict.headline = std::move(headline);
        verdict.explanation = std::move(explanation);
    }

    /// The largest finite trial at a higher scale than the one used; null: there is none.
    const Trial* usableAbove() const {
        const Trial* best = nullptr;
        for (const Trial& trial : trials) {
            const bool isUsable = isOnlyScaled(trial, *used) && trial.scale > used->scale && trial.isFinite() && !isAllFlushed(trial);
            if (isUsable && (best == nullptr || trial.scale > best->scale)) best = &trial;
        }
        return best;
    }

    void scaleTooLow(const Trial& usable) {
        verdict.safeScale = usable.scale;
        say(StepVerdict::ScaleTooLow, "The loss scale is too small.",
            "Gradients are unscaled by its reciprocal, which is infinite in FP32: even gradients that are finite or 0 become Inf or NaN. "
            "The same batch gives finite gradients at " +
                powerOfTwoText(usable.scale) + "." + agreement(usable));
    }

    void normOverflow() {
        std::string text = "All gradients are finite. Their 2-norm is " + numberText(evidence.gradNorm, 3) +
                           ", beyond the largest number of FP32, " + numberText(facts(Dtype::F32).maxFinite, 3) +
                           ", so the norm is infinite.";
        text += evidence.clips ? " Clipping divides by the norm: every gradient becomes 0, and the step changes nothing."
                               : " Nothing but the recorded gradient norm depends on it: the update takes the gradients as they are.";
        say(StepVerdict::NormOverflow, "The gradient norm overflows.", text);
    }

    void badWeights() {
        const bool isOne = evidence.badWeights.size() == 1;
        if (!evidence.weightsFile.empty()) {
            say(StepVerdict::BadWeights, "The weights were not finite when they were loaded.",
                listOf(evidence.badWeights) + (isOne ? " is" : " are") + " not finite as loaded from " + evidence.weightsFile +
                    ", before any step. No loss scale and no format can help: load other weights.");
            verdict.wouldNotHelp.push_back("Another loss scale or format would not help: what is read is not finite.");
            return;
        }
        say(StepVerdict::BadWeights, "The weights were broken before this step.",
            listOf(evidence.badWeights) + (isOne ? " is" : " are") +
                " not finite already, so every step from here on is lost. No loss scale can help: go back to before the step that wrote "
                "them, and look there.");
        verdict.wouldNotHelp.push_back("Another loss scale or format would not help: what is read is not finite.");
    }

    void hugeWeights() {
        say(StepVerdict::BadWeights, "A weight is far too large.",
            "The largest weight of " + listOf(evidence.hugeWeights) +
                " is more than ten billion times the root mean square of the others. It is finite, and what is computed from it is not, in "
                "FP32 either.");
        verdict.wouldNotHelp.push_back("Another loss scale or format would not help: the weight itself is at fault.");
    }

    void addedGradients() {
        say(StepVerdict::KeptGradients, "Gradients are not set to zero.",
            "Gradients of all earlier steps stay in those of this one, so that each update follows their sum. All is finite so far.");
    }

    void keptGradients() {
        if (!evidence.keepsBadGradients) {
            say(StepVerdict::KeptGradients, "An overflow stays in gradients that are not set to zero.",
                placeText(card) + " gives " + card.cls +
                    " at this loss scale. Gradients are not set to zero before each step, so what is not finite "
                    "stays in them: every step from here on is lost.");
            return;
        }
        say(StepVerdict::KeptGradients, "Gradients of an earlier step are still there, and not finite.",
            "Gradients are not set to zero before each step, so what was not finite once stays: every step from here on adds to it. No "
            "loss "
            "scale and no format can help.");
    }

    void badData() {
        std::string text = "The batch itself holds values that are not finite, in " + card.tensor + ".";
        text += evidence.hasScaler ? " The step was skipped, so the weights are as they were." : " Nothing kept them out of the weights.";
        say(StepVerdict::BadData, "The data are not finite.", text + " No loss scale and no format can help.");
        verdict.wouldNotHelp.push_back("Another loss scale or format would not help: what is read is not finite.");
    }

    void badUpdate() {
        const bool isNaN = card.cls == "NaN";
        say(StepVerdict::BadWeights, isNaN ? "The update itself made a NaN." : "The update left the format.",
            "Losses and gradients of this step are finite; " + card.operation + " then wrote " + card.cls + " into " + card.tensor +
                ", kept in " + screenFormat(card.format) +
                (isNaN ? ". 0/0 is the usual way: a second moment and an epsilon that are both zero in that format." : ".") +
                " The loss scale does not matter here.");
    }

    void badStatistics() {
        const bool isOne = evidence.badStatistics.size() == 1;
        const std::string is = isOne ? " is " : " are ";
        const std::string trouble =
            evidence.areStatisticsFinite ? "out of all bounds: negative, or beyond " + numberText(kHugeStatistic) : "not finite";
        say(StepVerdict::BadStatistics,
            evidence.areStatisticsFinite ? "Running statistics are out of all bounds." : "Running statistics are not finite.",
            listOf(evidence.badStatistics) + is + trouble +
                ". Training does not read them: the step's tensors, gradients and loss are finite. Every validation does, and " +
                (evidence.areStatisticsFinite ? "is wrong" : "gives NaN") + ", until the statistics are reset.");
        verdict.wouldNotHelp.push_back("Another loss scale or format would not help: " +
                                       std::string(evidence.areStatisticsFinite ? "statistics heal slowly, by a tenth a step."
                                                                                : "statistics that are not finite stay so."));
    }

    void silentFailure() {
        std::string text = "All of its numbers are finite, but " + silentText(evidence.silent.front()) + ".";
        for (std::size_t i = 1; i < evidence.silent.size() && i < 4; ++i) text += " Also, " + silentText(evidence.silent[i]) + ".";
        say(StepVerdict::SilentFailure, silentHeadline(evidence.silent.front().kind), text);
    }
    void sound() {
        const bool isSearched = evidence.isSearched;
        say(isSearched ? StepVerdict::Sound : StepVerdict::Unexplained,
            isSearched ? "Nothing is wrong with this step." : "Not searched to the end.", "Its tensors and gradients are all finite.");
    }

    void unexplained() {
        say(StepVerdict::Unexplained, "Everything is finite when it is repeated.",
            "The step's tensors and gradients are all finite; the scaler's own test, of sums or norms, has overflowed in fp32.");
    }

    void notSearched() {
        say(StepVerdict::Unexplained, "Not searched to the end.",
            placeText(card) + " gives " + card.cls + ". The trials that would tell why take long at this step, or could not be run.");
    }

    void arithmetic() {
        const bool isNaN = card.cls == "NaN";
        std::string text = placeText(card) + " gives " + card.cls + (card.isProducer ? " from finite operands" : "") +
                           ", and FP32 does too: it is the computation, not the format.";
        if (isNaN) text += " 0/0, inf − inf and the logarithm of a negative number do that.";
        say(StepVerdict::ArithmeticNaN, isNaN ? "The arithmetic makes a NaN." : "It overflows in FP32 as well.", text);
        verdict.wouldNotHelp.push_back("Neither another loss scale nor FP32 would help.");
    }

    void suspectByTrial() {
        const Trial* forced = overriding(trials);
        if (forced != nullptr && forced->isFinite()) verdict.suspectLayer = forced->overriddenLayer;
    }

    void forwardOverflow() {
        suspectByTrial();
        std::string text = card.tensor + " leaves " + screenFormat(card.format) +
                           " on the way forward, before the loss scale comes in, so no scale can help.";
        if (std::isfinite(card.wideMax) && card.wideMax > card.formatMax) {
            verdict.factor = card.wideRatio();
            text += " In FP32 its largest value is " + numberText(card.wideMax) + ", " + numberText(verdict.factor, 3) +
                    " times the limit of " + numberText(card.formatMax, 5) + ".";
        }
        if (!verdict.suspectLayer.empty()) text += " With " + verdict.suspectLayer + " in FP32 the same step is finite.";
        if (evidence.isScalerDynamic && evidence.consecutiveSkips > 3)
            text += " The scaler halves in vain: " + std::to_string(evidence.consecutiveSkips) + " skips in a row.";
        say(StepVerdict::ForwardOverflow, "The forward pass overflows.", text);
    }

    void scaleTooHigh(const Trial& safe) {
        suspectByTrial();
        verdict.safeScale = safe.scale;
        if (std::isfinite(card.wideMax) && card.wideMax > card.formatMax) verdict.factor = card.wideRatio();
        std::string text = "The same batch gives finite gradients at " + powerOfTwoText(safe.scale) + " and below." + agreement(safe) +
                           " The batch and the weights are finite.";
        if (!isSearchedTo(safe)) text += " Larger scales were not searched, since this step takes long.";
        constexpr int kFewBackoffs = 3;
        const auto isWithin = [&](int backoffs) { return safe.scale >= used->scale * std::pow(evidence.backoffFactor, backoffs); };
        const Remedy* const left = leave();
        const bool heals = left != nullptr && left->helps;
        const bool isExpected = evidence.isScalerDynamic && (evidence.isSettling || isWithin(1) || (heals && isWithin(kFewBackoffs)));
        // Where leaving it was not tried, a loss that has grown speaks against it.
        verdict.isNormalProbing = isExpected && (left != nullptr ? heals : !(lossGrowth(trials, evidence.past) >= kGrownLoss));
        if (!evidence.setsGradientsToZero && (left == nullptr || !left->helps)) return keptGradients();
        if (left != nullptr && !left->helps && left->nonFinite > 1)
            text += " Left alone, " + groupedText(left->nonFinite) + " of the next " + groupedText(left->steps) + " steps are not finite.";
        if (verdict.isNormalProbing) {
            text += evidence.isSettling ? " Normal: the scaler begins high on purpose and comes down until a step fits."
                    : isWithin(1)       ? " Normal: the scaler goes up until a step overflows, and one step down is enough."
                                        : " Normal: the scaler goes up until a step overflows, and a few steps down are enough.";
        }
        say(StepVerdict::ScaleTooHigh, "The loss scale was too high.", text);
    }

    /// Finite in fp32, and at no scale that was tried: what overflows does not shrink with the scale.
    void backwardOverflow() {
        suspectByTrial();
        const bool isFiniteAtZeros = std::any_of(trials.begin(), trials.end(), [&](const Trial& trial) {
            return isOnlyScaled(trial, *used) && trial.isFinite() && isAllFlushed(trial);
        });
        std::string text = placeText(card) + " gives " + card.cls +
                           (isFiniteAtZeros ? " at every loss scale that was tried but those at which all gradients are flushed to 0"
                                            : " at every loss scale that was tried") +
                           ", and is finite in FP32.";
        if (!verdict.suspectLayer.empty()) text += " With " + verdict.suspectLayer + " in FP32 the same step is finite.";
        say(StepVerdict::ForwardOverflow, "No loss scale can help.", text);
    }
};

}  // namespace

std::string shareText(double share) {
    if (std::isnan(share)) return "";
    const double percent = share * 100;
    if (percent == 0) return "0 %";
    return percent >= 9.95 ? fixedText(percent, 0) + " %" : numberText(percent, 2) + " %";
}

double lossGrowth(const std::vector<Trial>& trials, const RunPast& past) {
    const Trial* const reference = find(trials, &Trial::isReference);
    double now = past.latestLoss;
    if (reference != nullptr && std::isfinite(reference->loss)) now = std::isnan(now) ? reference->loss : std::max(now, reference->loss);
    return now / past.usualLoss;
}

SkipVerdict judgeStep(const ProvenanceCard& card, const std::vector<Trial>& trials, const StepEvidence& evidence) {
    return Judge{card, trials, evidence, find(trials, &Trial::isAsUsed), find(trials, &Trial::isReference)}.judge();
}

}  // namespace mantissa
