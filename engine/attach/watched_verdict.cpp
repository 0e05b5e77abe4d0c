// SPDX-License-Identifier: Apache-2.0
#include "engine/attach/watched_verdict.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/diagnosis/verdict.h"
#include "kernels/dtype/dtype.h"

namespace mantissa {
namespace {

/// "h.0.mlp (Linear)"; the whole model has no path.
Text moduleText(const FirstBad& bad, const std::string& operation) {
    if (bad.module.empty()) return "the model itself"_text;
    return Text::verbatim(operation.empty() ? bad.module : bad.module + " (" + operation + ")");
}

/// Modules that compute products, in FP16 under autocast.
bool isProduct(const std::string& cls) {
    return cls.find("Linear") != std::string::npos || cls.find("Conv") != std::string::npos;
}

bool isStatistic(const std::string& name) {
    return name.ends_with("running_mean") || name.ends_with("running_var");
}

SkipVerdict badWeights(const WatchedEvidence& e) {
    if (std::all_of(e.badWeights.begin(), e.badWeights.end(), isStatistic))
        return {.kind = StepVerdict::BadStatistics,
                .headline = "Running statistics were not finite before this step."_text,
                .explanation = {"%1 held NaN or Inf when the step began. Training does not read them; validation does."_text,
                                listOf(e.badWeights)}};
    return {
        .kind = StepVerdict::BadWeights,
        .headline = "Weights were not finite before this step's update."_text,
        .explanation =
            {"%1 held NaN or Inf before the optimizer moved them. An earlier update wrote it there: look at the first step that was not finite."_text,
             listOf(e.badWeights)},
        .wouldNotHelp = {"No loss scale would help: the forward pass reads these weights."_text}};
}

SkipVerdict badInput(const FirstBad& bad) {
    return {.kind = StepVerdict::BadData,
            .headline = "The batch was not finite."_text,
            .explanation = {"%1, which the model is called with, held NaN or Inf before any module had computed anything."_text, bad.name},
            .wouldNotHelp = {"No loss scale and no format would help: the data hold it."_text}};
}

/// Verdict on a module's non-finite output.
SkipVerdict badOutput(const WatchedEvidence& e) {
    const FirstBad& bad = *e.bad;
    if (bad.areBuffersFinite == false)
        return {.kind = StepVerdict::BadStatistics,
                .headline = "A module's buffers were not finite."_text,
                .explanation = {"%1 gave a number that is not finite, and its buffers held NaN or Inf already."_text,
                                moduleText(bad, e.operation)}};
    SkipVerdict verdict;
    if (bad.areInputsFinite == false) {
        // upper bound of a product of two outputs
        const bool isOverflow = e.format == Dtype::F16 && e.largestOutput * e.largestOutput > facts(Dtype::F16).maxFinite;
        verdict.kind = isOverflow ? StepVerdict::ForwardOverflow : StepVerdict::Unexplained;
        verdict.headline = "The first number that is not finite was made between two modules."_text;
        verdict.explanation = {
            "The inputs of %1 are not finite, and no module's output before it was: an operation in the model's own code made it. Capture the next step to see each operation."_text,
            moduleText(bad, e.operation)};
        if (isOverflow)
            verdict.explanation +=
                Text("The largest finite output of the step was %1: a product of two such numbers would leave FP16."_text,
                     Figure{e.largestOutput, 3});
        return verdict;
    }
    const Text rest =
        !bad.areInputsFinite ? "Whether its inputs were finite is not known: an operation before it may have made the number."_text
        : bad.hasChildren
            ? "Its inputs and weights are finite, and so are the outputs of the modules within it: an operation in its own code made it."_text
            : "Its inputs, weights and buffers are finite."_text;
    if (!bad.isNan && e.format == Dtype::F16) {
        return {
            .kind = StepVerdict::ForwardOverflow,
            .headline = "An output of the forward pass was too large for FP16."_text,
            .explanation = Text("%1 gave an infinity in FP16, whose largest number is 65504."_text, moduleText(bad, e.operation)) + rest,
            .suspectLayer = bad.module,
            .wouldNotHelp = {"No loss scale would help: the overflow comes before the loss."_text}};
    }
    const bool isOverflow = bad.isNan && e.format == Dtype::F16 && (bad.hasChildren || isProduct(e.operation));
    verdict.kind = isOverflow ? StepVerdict::ForwardOverflow : StepVerdict::ArithmeticNaN;
    verdict.headline = !bad.areInputsFinite                           ? Text("The output of a module was not finite."_text)
                       : verdict.kind == StepVerdict::ForwardOverflow ? Text("A module made NaN of finite numbers in FP16."_text)
                       : bad.isNan                                    ? Text("A module made NaN of finite numbers."_text)
                                                                      : Text("A module made an infinity of finite numbers."_text);
    verdict.explanation =
        Text("The module is %1, and its output is stored in %2."_text, moduleText(bad, e.operation), screenName(e.format)) + rest;
    if (verdict.kind == StepVerdict::ForwardOverflow)
        verdict.explanation +=
            "In FP16 such a NaN mostly comes of an overflow within the module: a weight or a sum beyond 65504, then an infinity less an infinity or times 0."_text;
    else
        verdict.wouldNotHelp.push_back(
            "A wider format need not help: 0/0, Inf - Inf and the logarithm of a negative number are NaN in FP32 as well."_text);
    verdict.suspectLayer = bad.module;
    return verdict;
}

/// Only for positive losses, as growth is a ratio.
bool hasGrown(double loss, const WatchedEvidence& e) {
    return e.usualLoss > 0 && loss > kGrownLoss * e.usualLoss;
}

/// Whether the loss of this step lies beyond the spread of a noisy loss as well.
bool hasJumped(const WatchedEvidence& e) {
    return e.loss && hasGrown(*e.loss, e) && !(*e.loss < 2 * e.highestLoss);
}

/// Whether gradients can overflow FP16 at this scale, estimated from the latest measured step.
bool canHaveOverflowed(const WatchedEvidence& e) {
    constexpr double kBetweenSteps = 16;      // assumed largest ratio between the largest gradients of two steps
    const bool isComparable = !hasJumped(e);  // gradients grow with the loss
    return !isComparable || !(e.gradientMax > 0) || e.gradientMax * e.lossScale * kBetweenSteps >= facts(Dtype::F16).overflowFrom;
}

/// Verdict if only gradients are not finite.
SkipVerdict badGradient(const WatchedEvidence& e) {
    SkipVerdict verdict;
    const Text where =
        e.bad ? Text("%1 was the first gradient that is not finite, in the order of the backward pass."_text, e.bad->name)
        : e.hasScaler
            ? Text("All examined tensors of this step are finite; the scaler found the non-finite value in the weights' gradients."_text)
            : Text("All examined tensors of this step are finite, and the norm of the weights' gradients is not."_text);
    if (e.hasScaler && !std::isfinite(1 / static_cast<float>(e.lossScale)))
        return {
            .kind = StepVerdict::ScaleTooLow,
            .headline = "The loss scale is too small."_text,
            .explanation =
                Text(
                    "Gradients are unscaled by the reciprocal of %1, which is infinite in FP32: even gradients that are finite or 0 become Inf or NaN."_text,
                    Figure{e.lossScale, 3}) +
                where};
    const bool isFp16 = e.autocast == Dtype::F16 || (e.bad && e.format == Dtype::F16), isScaled = e.hasScaler && e.lossScale > 1;
    if (!isFp16 || !isScaled || !canHaveOverflowed(e)) {
        const bool isNan = e.bad && e.bad->isNan;
        verdict.kind = isNan || !(isFp16 || isScaled) ? StepVerdict::ArithmeticNaN : StepVerdict::Unexplained;
        verdict.headline = "The backward pass made a number that is not finite."_text;
        verdict.explanation = Text("Loss and forward pass are finite."_text) + where;
        if (!e.hasScaler)
            verdict.wouldNotHelp.push_back("A lower loss scale would not help: this run has none."_text);
        else if (isScaled && isFp16)
            verdict.explanation += Text(
                "The last measured gradients are those of step %1. The largest was %2. Multiplied by the loss scale it is %3, far below FP16's limit."_text,
                e.gradientStep, Figure{e.gradientMax, 3}, Figure{e.gradientMax * e.lossScale, 3});
        else if (isFp16)
            verdict.explanation += Text("The loss scale was %1 already."_text, Figure{e.lossScale, 3});
        if (e.bad) verdict.suspectLayer = e.bad->module;
        return verdict;
    }
    verdict.kind = StepVerdict::ScaleTooHigh;
    verdict.headline = "The loss scale was too high."_text;
    verdict.explanation = Text("Loss and forward pass are finite; gradients times %1 left FP16."_text, PowerOfTwo{e.lossScale}) + where;
    if (e.gradientMax > 0) {
        const double fits = std::exp2(std::floor(std::log2(std::nextafter(facts(Dtype::F16).overflowFrom / e.gradientMax, 0.0))));
        verdict.safeScale = std::min(fits, e.lossScale / 2);
        verdict.explanation += Text("The largest gradient of step %1 was %2, which fits FP16 up to a scale of %3."_text, e.gradientStep,
                                    Figure{e.gradientMax, 3}, PowerOfTwo{fits});
        if (verdict.safeScale < fits)
            verdict.explanation +=
                Text("This step's were larger: %1 is half of the scale that overflowed."_text, PowerOfTwo{verdict.safeScale});
    } else {
        verdict.explanation += "No gradient was measured before this step, so the size of the overflow is not known."_text;
    }
    if (hasJumped(e)) {
        verdict.headline = "The loss has grown, and its gradients left FP16."_text;
        verdict.explanation += Text(
            "The loss of this step is %1, from %2 when it was lowest, and gradients grow with it. A lower scale lets the update pass and does not bring the loss back: look at what changed before this step."_text,
            Figure{*e.loss, 3}, Figure{e.usualLoss, 3});
        return verdict;
    }
    verdict.isNormalProbing = !e.hasTakenStep || (e.consecutiveSkips <= 1 && e.skipsLately <= e.usualSkips);
    if (!e.hasTakenStep)
        verdict.explanation += "Before the first update a dynamic scaler lowers its scale with each skip."_text;
    else if (verdict.isNormalProbing)
        verdict.explanation += "A single skip is how a dynamic scaler finds its scale."_text;
    else if (e.skipsLately > e.usualSkips)
        verdict.explanation += Text("%1 of the last %2 steps were skipped."_text, e.skipsLately, e.stepsLately);
    return verdict;
}

SkipVerdict judgeStepAlone(const WatchedEvidence& e) {
    if (e.bad && e.bad->role == TensorRole::Value && e.bad->module.empty() && e.bad->name.starts_with("input."))
        return badInput(*e.bad);  // this may have broken running statistics later
    if (!e.badWeights.empty() &&
        !(e.bad && e.bad->role == TensorRole::Value && e.bad->areWeightsFinite == true && e.bad->areInputsFinite == true))
        return badWeights(e);
    if (e.bad && e.bad->role == TensorRole::Value) return badOutput(e);
    if (e.loss && !std::isfinite(*e.loss))
        return {
            .headline = "The loss is not finite, and every module's output is."_text,
            .explanation =
                "The loss is computed outside the model: the value comes from the loss's own arithmetic, or from an input other than the model's outputs."_text,
            .wouldNotHelp = {"No loss scale helps a step whose loss is not finite."_text}};
    return badGradient(e);
}

/// Such growth of the learning rate explains a non-finite number before the loss shows it.
bool hasSpiked(const WatchedEvidence& e) {
    constexpr double kSpike = 1000;
    return e.lrStep >= 0 && e.lr >= kSpike * e.lrBefore;
}

}  // namespace

/// For a run that was already diverging, the trend of the last steps explains more than the place of the first non-finite number.
SkipVerdict judgeWatched(const WatchedEvidence& e) {
    SkipVerdict verdict = judgeStepAlone(e);
    const bool isOfTheRun =
        verdict.kind == StepVerdict::ArithmeticNaN || verdict.kind == StepVerdict::BadWeights || verdict.kind == StepVerdict::Unexplained;
    const bool hadGrown = isOfTheRun && hasGrown(e.latestLoss, e);
    if (hadGrown || (hasSpiked(e) && (isOfTheRun || verdict.kind == StepVerdict::ForwardOverflow))) {
        Text why;
        if (hadGrown)
            why += Text("The loss had grown to %1 before this step, from %2 when it was lowest."_text, Figure{e.latestLoss, 3},
                        Figure{e.usualLoss, 3});
        verdict.explanation = why + std::exchange(verdict.headline, "The training has diverged."_text) + verdict.explanation;
        verdict.kind = StepVerdict::Divergence;
    }
    if (e.lrStep >= 0)
        verdict.explanation +=
            Text("The learning rate went from %1 to %2 at step %3."_text, Figure{e.lrBefore, 3}, Figure{e.lr, 3}, e.lrStep);
    return verdict;
}

}  // namespace mantissa
