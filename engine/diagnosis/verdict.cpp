// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/verdict.h"

#include <algorithm>
#include <cmath>

#include "engine/diagnosis/verdict_words.h"
#include "engine/precision/policy.h"
#include "kernels/dtype/dtype.h"

namespace mantissa {
namespace {

const Trial* find(const std::vector<Trial>& trials, bool Trial::*mark) {
    const auto found = std::find_if(trials.begin(), trials.end(), [&](const Trial& trial) { return trial.*mark && trial.failure.empty(); });
    return found == trials.end() ? nullptr : &*found;
}

/// Whether the trial differs from the step only in the scale.
bool isOnlyScaled(const Trial& trial, const Trial& used) {
    return !trial.isReference && trial.policy == used.policy && trial.overriddenLayer.empty();
}

/// Whether all gradients that are not 0 in FP32 are flushed.
bool isAllFlushed(const Trial& trial) {
    return trial.flushedShare >= 1;
}

/// The present loss, in fp32 if that is finite; NaN: unknown.
double lossNow(const std::vector<Trial>& trials, const RunPast& past) {
    const Trial* const reference = find(trials, &Trial::isReference);
    if (reference == nullptr || !std::isfinite(reference->loss)) return past.latestLoss;
    return std::fmax(past.latestLoss, reference->loss);
}

/// The present loss, in fp32 if that is finite, over the usual one; NaN if either is unknown.
double lossGrowth(const std::vector<Trial>& trials, const RunPast& past) {
    return lossNow(trials, past) / past.usualLoss;
}

std::string screenFormat(const std::string& name) {
    const auto dtype = dtypeFromName(name);
    return dtype ? screenName(*dtype) : name;
}

std::string placeText(const ProvenanceCard& card) {
    return card.layer + ", " + card.operation + ", " + card.phase;
}

Text isOrAre(const std::vector<std::string>& names, Pattern is, Pattern are) {
    return {names.size() == 1 ? is : are, listOf(names)};
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
                Text("%1, which training does not read, could not be used for validation before."_text, listOf(evidence.badStatistics));
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
        } else if (const Trial* usable = evidence.isReciprocalInfinite ? highestUsable(true) : nullptr) {
            scaleTooLow(*usable);
        } else if (const Trial* safe = highestUsable(false)) {
            scaleTooHigh(*safe);
        } else if (reference != nullptr && hasTriedLower()) {
            backwardOverflow();
        } else {
            notSearched();
        }
    }

    // ---- Results of remedies ----

    /// The trial of the next steps without a change; null: not tried.
    const Remedy* leave() const {
        const auto found = std::find_if(evidence.remedies.begin(), evidence.remedies.end(), [](const Remedy& remedy) {
            return remedy.pointer.empty() && remedy.rewindTo < 0 && remedy.steps > 0;
        });
        return found == evidence.remedies.end() ? nullptr : &*found;
    }
    /// Whether dead units or flushed optimizer values result from too large updates: smaller ones from an earlier step train.
    bool isOfTheUpdates() const {
        if (verdict.kind == StepVerdict::SilentFailure)
            return evidence.silent.front().kind != SilentKind::LossHasGrown && isDead(evidence.silent) && smallerUpdate() != nullptr;
        return verdict.kind == StepVerdict::ForwardOverflow && evidence.isEpsilonTooSmall && smallerUpdate() != nullptr;
    }
    /// The helping remedy that makes updates smaller from an earlier step; null: none.
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
        const Text seen =
            evidence.silent.empty() ? Text("%1 gives %2"_text, placeText(card), card.cls) : silentText(evidence.silent.front());
        Text text("Updates were too large: %1. From step %2 on with %3 %4, %5."_text, seen, smaller.rewindTo,
                  smaller.pointer.substr(smaller.pointer.rfind('/') + 1), smaller.value, outcomeText(smaller));
        if (evidence.isEpsilonTooSmall && evidence.silent.empty())
            text +=
                "Small second moments become 0 in the format that stores them; where the gradient is 0 too, the first moment is divided by Adam's epsilon alone."_text;
        text += changesText(evidence.past);
        verdict = {};
        say(StepVerdict::Divergence, "Training diverges."_text, text);
    }
    bool isOfTheFormat() const {
        const StepVerdict kind = verdict.kind;
        return kind == StepVerdict::ScaleTooHigh || kind == StepVerdict::ForwardOverflow || kind == StepVerdict::ArithmeticNaN ||
               kind == StepVerdict::Unexplained;
    }
    /// Whether the loss has grown and does not recover, or grows without bound in a format with fp32's range, and no format remedy helps.
    bool diverges() const {
        const double now = lossNow(trials, evidence.past);
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
        const double now = lossNow(trials, past);
        const bool isOfFp32 = used->policy != "fp32" && reference != nullptr && now == reference->loss;
        Text text(isOfFp32 ? "The loss was %1 before step %2. In FP32, that of this step is %3."_text
                           : "The loss was %1 before step %2, and is %3 now."_text,
                  Figure{past.usualLoss, 3}, past.usualUntil, Figure{now, 3});
        text += changesText(evidence.past);
        for (const Remedy& remedy : evidence.remedies) {
            if (remedy.pointer != "/precision" || remedy.steps == 0) continue;
            const std::string policy = policyScreenName(remedy.value.substr(1, remedy.value.size() - 2));
            text += remedy.rewindTo >= 0 ? Text("In %1 from step %2, %3."_text, policy, remedy.rewindTo, outcomeText(remedy))
                                         : Text("In %1, %2."_text, policy, outcomeText(remedy));
        }
        const bool hasTriedFormats =
            used->policy == "fp32" || std::any_of(evidence.remedies.begin(), evidence.remedies.end(),
                                                  [](const Remedy& r) { return r.steps > 0 && r.pointer.starts_with("/precision"); });
        if (hasTriedFormats) text += "Neither the format nor the loss scale is the cause."_text;
        const double safeScale = verdict.safeScale;
        verdict = {};
        verdict.safeScale = safeScale;
        say(StepVerdict::Divergence, "Training diverges."_text, text);
    }

    /// Whether a trial that differs only in the scale, and could run, meets the condition.
    template <class Condition>
    bool hasTried(Condition condition) const {
        return std::any_of(trials.begin(), trials.end(),
                           [&](const Trial& trial) { return isOnlyScaled(trial, *used) && trial.failure.empty() && condition(trial); });
    }
    bool hasTriedLower() const {
        return hasTried([&](const Trial& trial) { return trial.scale < used->scale; });
    }
    /// Whether the trial just above the safe scale was run and failed.
    bool isSearchedTo(const Trial& safe) const {
        return hasTried([&](const Trial& trial) { return !trial.isFinite() && trial.scale <= 2 * safe.scale; });
    }
    void say(StepVerdict kind, Text headline, Text explanation) {
        verdict.kind = kind;
        verdict.headline = std::move(headline);
        verdict.explanation = std::move(explanation);
    }

    /// The trial with the highest scale above the used one, or below it, at which the step is finite and not all gradients are flushed,
    /// otherwise unchanged; null: none.
    const Trial* highestUsable(bool isAbove) const {
        const Trial* best = nullptr;
        for (const Trial& trial : trials) {
            const bool isInRange = isAbove ? trial.scale > used->scale : trial.scale < used->scale;
            const bool isUsable = isOnlyScaled(trial, *used) && isInRange && trial.isFinite() && !isAllFlushed(trial);
            if (isUsable && (best == nullptr || trial.scale > best->scale)) best = &trial;
        }
        return best;
    }

    void scaleTooLow(const Trial& usable) {
        verdict.safeScale = usable.scale;
        say(StepVerdict::ScaleTooLow, "The loss scale is too small."_text,
            Text("Gradients are unscaled by its reciprocal, which is infinite in FP32: even gradients that are finite or 0 become Inf or "
                 "NaN. The same batch gives finite gradients at %1."_text,
                 PowerOfTwo{usable.scale}) +
                agreementText(usable));
    }

    void normOverflow() {
        Text text("All gradients are finite. Their 2-norm is %1, beyond the largest number of FP32, %2, so the norm is infinite."_text,
                  Figure{evidence.gradNorm, 3}, Figure{facts(Dtype::F32).maxFinite, 3});
        text += evidence.clips ? "Clipping divides by the norm: every gradient becomes 0, and the step changes nothing."_text
                               : "Nothing but the recorded gradient norm depends on it: the update takes the gradients as they are."_text;
        say(StepVerdict::NormOverflow, "The gradient norm overflows."_text, text);
    }

    void badWeights() {
        if (!evidence.weightsFile.empty()) {
            say(StepVerdict::BadWeights, "The weights were not finite when they were loaded."_text,
                {evidence.badWeights.size() == 1
                     ? "%1 is not finite as loaded from %2, before any step. No loss scale and no format can help: load other weights."_text
                     : "%1 are not finite as loaded from %2, before any step. No loss scale and no format can help: load other weights."_text,
                 listOf(evidence.badWeights), evidence.weightsFile});
        } else {
            say(StepVerdict::BadWeights, "The weights were broken before this step."_text,
                isOrAre(evidence.badWeights, "%1 is not finite already, so every step from here on is lost."_text,
                        "%1 are not finite already, so every step from here on is lost."_text) +
                    "No loss scale can help: go back to before the step that wrote them, and examine that step."_text);
        }
        verdict.wouldNotHelp.push_back("Another loss scale or format would not help: what is read is not finite."_text);
    }

    void hugeWeights() {
        say(StepVerdict::BadWeights, "A weight is far too large."_text,
            isOrAre(evidence.hugeWeights,
                    "The largest weight of %1 is more than ten billion times the root mean square of the others."_text,
                    "The largest weights of %1 are each more than ten billion times the root mean square of the others."_text) +
                "They are finite, and what is computed from them is not, in FP32 either."_text);
        verdict.wouldNotHelp.push_back("Another loss scale or format would not help: the weight itself is at fault."_text);
    }

    void addedGradients() {
        say(StepVerdict::KeptGradients, "Gradients are not set to zero."_text,
            "Gradients of all earlier steps stay in those of this one, so that each update follows their sum. All is finite so far."_text);
    }

    void keptGradients() {
        if (!evidence.keepsBadGradients) {
            say(StepVerdict::KeptGradients, "An overflow stays in gradients that are not set to zero."_text,
                {"%1 gives %2 at this loss scale. Gradients are not set to zero before each step, so what is not finite stays in them: "
                 "every step from here on is lost."_text,
                 placeText(card), card.cls});
            return;
        }
        say(StepVerdict::KeptGradients, "Gradients of an earlier step are still there, and not finite."_text,
            "Gradients are not set to zero before each step, so what was not finite once stays: every step from here on adds to it. No "
            "loss scale and no format can help."_text);
    }

    void badData() {
        Text text("The batch itself holds values that are not finite, in %1."_text, card.tensor);
        text += evidence.hasScaler ? "The step was skipped, so the weights are as they were."_text
                                   : "Nothing kept them out of the weights."_text;
        text += "No loss scale and no format can help."_text;
        say(StepVerdict::BadData, "The data are not finite."_text, text);
        verdict.wouldNotHelp.push_back("Another loss scale or format would not help: what is read is not finite."_text);
    }

    void badUpdate() {
        const bool isNaN = card.cls == "NaN";
        Text text("Losses and gradients of this step are finite; %1 then wrote %2 into %3, kept in %4."_text, card.operation, card.cls,
                  card.tensor, screenFormat(card.format));
        if (isNaN) text += "0/0 is the usual cause: a second moment that is 0 in that format, with an epsilon of 0."_text;
        text += "The loss scale does not matter here."_text;
        say(StepVerdict::BadWeights, isNaN ? "The update itself made a NaN."_text : "The update left the format."_text, text);
    }

    void badStatistics() {
        const std::vector<std::string>& names = evidence.badStatistics;
        const Text unread = "Training does not read them: the step's tensors, gradients and loss are finite."_text;
        if (evidence.areStatisticsFinite) {
            say(StepVerdict::BadStatistics, "Running statistics are out of all bounds."_text,
                Text(names.size() == 1 ? "%1 is out of all bounds: negative, or beyond %2."_text
                                       : "%1 are out of all bounds: negative, or beyond %2."_text,
                     listOf(names), Figure{kHugeStatistic}) +
                    unread + "Every validation does, and is wrong, until the statistics are reset."_text);
            verdict.wouldNotHelp.push_back(
                "Another loss scale or format would not help: statistics recover slowly, by a tenth a step."_text);
        } else {
            say(StepVerdict::BadStatistics, "Running statistics are not finite."_text,
                isOrAre(names, "%1 is not finite."_text, "%1 are not finite."_text) + unread +
                    "Every validation does, and gives NaN, until the statistics are reset."_text);
            verdict.wouldNotHelp.push_back("Another loss scale or format would not help: statistics that are not finite stay so."_text);
        }
    }

    void silentFailure() {
        Text text("All of its numbers are finite, but %1."_text, silentText(evidence.silent.front()));
        for (std::size_t i = 1; i < evidence.silent.size() && i < 4; ++i) text += Text("Also, %1."_text, silentText(evidence.silent[i]));
        const SilentKind first = evidence.silent.front().kind;
        if (first == SilentKind::LossHasGrown || first == SilentKind::NothingMoves || first == SilentKind::NoProgress ||
            isDead(evidence.silent))
            text += changesText(evidence.past);
        say(StepVerdict::SilentFailure, {"%1."_text, silentTitle(first)}, text);
    }
    void sound() {
        const bool isSearched = evidence.isSearched;
        say(isSearched ? StepVerdict::Sound : StepVerdict::Unexplained,
            isSearched ? "Nothing is wrong with this step."_text : "Not searched to the end."_text,
            "Its tensors and gradients are all finite."_text);
    }

    void unexplained() {
        say(StepVerdict::Unexplained, "Everything is finite when it is repeated."_text,
            "The step's tensors and gradients are all finite; the scaler's own test, of sums or norms, has overflowed in fp32."_text);
    }

    void notSearched() {
        say(StepVerdict::Unexplained, "Not searched to the end."_text,
            {"%1 gives %2. The trials that would show why take long at this step, or could not be run."_text, placeText(card), card.cls});
    }

    void arithmetic() {
        const bool isNaN = card.cls == "NaN";
        Text text(card.isProducer ? "%1 gives %2 from finite operands, and FP32 does too: it is the computation, not the format."_text
                                  : "%1 gives %2, and FP32 does too: it is the computation, not the format."_text,
                  placeText(card), card.cls);
        if (isNaN) text += "0/0, inf − inf and the logarithm of a negative number do that."_text;
        say(StepVerdict::ArithmeticNaN, isNaN ? "The arithmetic makes a NaN."_text : "It overflows in FP32 as well."_text, text);
        verdict.wouldNotHelp.push_back("Neither another loss scale nor FP32 would help."_text);
    }

    void suspectByTrial() {
        const auto forced = std::find_if(trials.begin(), trials.end(), [](const Trial& trial) { return !trial.overriddenLayer.empty(); });
        if (forced != trials.end() && forced->isFinite()) verdict.suspectLayer = forced->overriddenLayer;
    }

    void forwardOverflow() {
        suspectByTrial();
        Text text("%1 exceeds the range of %2 in the forward pass, before the loss scale is applied, so no loss scale can help."_text,
                  card.tensor, screenFormat(card.format));
        if (overflowsWithin(card, card.wideMax))  // exp, a square or a sum
            text = {
                "An intermediate value of %1 exceeds the range of %2 in the forward pass, before the loss scale is applied, so no loss scale can help. In FP32 the result's largest value is %3, which %2 can hold."_text,
                card.tensor, screenFormat(card.format), Figure{card.wideMax}};
        if (std::isfinite(card.wideMax) && card.wideMax > card.formatMax) {
            verdict.factor = card.wideRatio();
            text += Text("In FP32 its largest value is %1, %2 times the limit of %3."_text, Figure{card.wideMax}, Figure{verdict.factor, 3},
                         Figure{card.formatMax, 5});
        }
        text += suspectText();
        if (evidence.isScalerDynamic && evidence.consecutiveSkips > 3)
            text += Text("%1 skips in a row: a lower scale has not helped."_text, evidence.consecutiveSkips);
        say(StepVerdict::ForwardOverflow, "The forward pass overflows."_text, text);
    }

    Text suspectText() const {
        if (verdict.suspectLayer.empty()) return {};
        return {"With %1 in FP32 the same step is finite."_text, verdict.suspectLayer};
    }

    void scaleTooHigh(const Trial& safe) {
        suspectByTrial();
        verdict.safeScale = safe.scale;
        if (std::isfinite(card.wideMax) && card.wideMax > card.formatMax) verdict.factor = card.wideRatio();
        Text text = Text("The same batch gives finite gradients at %1 and below."_text, PowerOfTwo{safe.scale}) + agreementText(safe) +
                    "The batch and the weights are finite."_text;
        if (!isSearchedTo(safe)) text += "Larger scales were not searched, since this step takes long."_text;
        constexpr int kFewBackoffs = 3;
        const auto isWithin = [&](int backoffs) { return safe.scale >= used->scale * std::pow(evidence.backoffFactor, backoffs); };
        const Remedy* const left = leave();
        const bool heals = left != nullptr && left->helps;
        const bool isExpected = evidence.isScalerDynamic && (evidence.isSettling || isWithin(1) || (heals && isWithin(kFewBackoffs)));
        // Without a trial, a grown loss contradicts normal probing.
        verdict.isNormalProbing = isExpected && (left != nullptr ? heals : !(lossGrowth(trials, evidence.past) >= kGrownLoss));
        if (!evidence.setsGradientsToZero && (left == nullptr || !left->helps)) return keptGradients();
        if (left != nullptr && !left->helps && left->nonFinite > 1)
            text += Text("Left alone, %1 of the next %2 steps are not finite."_text, left->nonFinite, left->steps);
        if (verdict.isNormalProbing) {
            text += evidence.isSettling ? "Normal: the scaler begins high on purpose and comes down until a step fits."_text
                    : isWithin(1)       ? "Normal: the scale grows until a step overflows, and lowering it once is enough."_text
                                        : "Normal: the scale grows until a step overflows, and lowering it a few times is enough."_text;
        }
        say(StepVerdict::ScaleTooHigh, "The loss scale was too high."_text, text);
    }

    /// Finite in fp32, but at no scale that was tried: the overflow does not depend on the scale.
    void backwardOverflow() {
        suspectByTrial();
        const bool isFiniteAtZeros = hasTried([](const Trial& trial) { return trial.isFinite() && isAllFlushed(trial); });
        Text text(isFiniteAtZeros
                      ? "%1 gives %2 at every loss scale that was tried but those at which all gradients are flushed to 0, and is "
                        "finite in FP32."_text
                      : "%1 gives %2 at every loss scale that was tried, and is finite in FP32."_text,
                  placeText(card), card.cls);
        text += suspectText();
        say(StepVerdict::ForwardOverflow, "No loss scale can help."_text, text);
    }
};

}  // namespace

SkipVerdict judgeStep(const ProvenanceCard& card, const std::vector<Trial>& trials, const StepEvidence& evidence) {
    return Judge{card, trials, evidence, find(trials, &Trial::isAsUsed), find(trials, &Trial::isReference)}.judge();
}

}  // namespace mantissa
