// SPDX-License-Identifier: Apache-2.0
// The functions of claims. Format facts come from kernels/dtype, run facts from LessonFacts.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/diagnosis/number_bits.h"
#include "engine/diagnosis/tensor_shares.h"
#include "engine/lessons/claim_terms.h"

namespace mantissa {
namespace {

std::string quoted(const std::string& run) {
    return "\"" + run + "\"";
}

/// Number of steps that count: the run's, up to the lesson's present step.
std::int64_t endOf(const ClaimContext& context, const ClaimArguments& given) {
    return std::min(context.stepsDone, context.facts.stepsOf(given.run));
}

std::int64_t checkedStep(const ClaimContext& context, const ClaimArguments& given, std::int64_t step) {
    if (step >= 0 && step < endOf(context, given)) return step;
    throw ClaimProblem{quoted(given.runName) + " has no step " + std::to_string(step) + " here: " + std::to_string(endOf(context, given)) +
                       " steps are done, and they count from 0"};
}

/// The given range, or all steps that count.
std::pair<std::int64_t, std::int64_t> rangeOf(const ClaimContext& context, const ClaimArguments& given) {
    if (!given.range) return {0, endOf(context, given)};
    if (given.range->first >= given.range->second) throw ClaimProblem{"a range goes from a lower step to a higher one"};
    checkedStep(context, given, given.range->first);
    checkedStep(context, given, given.range->second - 1);
    return *given.range;
}

double reduced(const std::vector<double>& values, ClaimReduce reduce) {
    for (const double value : values)
        if (std::isnan(value)) return value;  // min_element and max_element ignore NaN
    if (reduce == ClaimReduce::Lowest) return *std::min_element(values.begin(), values.end());
    if (reduce == ClaimReduce::Highest) return *std::max_element(values.begin(), values.end());
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

template <Metric kMetric>
ClaimValue metricOf(const ClaimContext& context, const ClaimArguments& given) {
    const auto at = [&](std::int64_t step) { return context.facts.value(given.run, kMetric, step); };
    if (given.step) {
        if (const auto value = at(checkedStep(context, given, *given.step))) return *value;
        throw ClaimProblem{quoted(given.runName) + " has no such value at step " + std::to_string(*given.step)};
    }
    if (given.range) {
        std::vector<double> values;
        for (auto [step, end] = rangeOf(context, given); step < end; ++step) {
            if (const auto value = at(step)) values.push_back(*value);
        }
        if (!values.empty()) return reduced(values, given.reduce);
    } else {
        for (std::int64_t step = endOf(context, given) - 1; step >= 0; --step) {
            if (const auto value = at(step)) return *value;
        }
    }
    throw ClaimProblem{quoted(given.runName) + " has no such value yet"};
}

/// The mean over steps of |difference of two runs' losses|. NaN if a loss is not finite.
ClaimValue lossGap(const ClaimContext& context, const ClaimArguments& given) {
    ClaimArguments other = given;
    other.run = given.other;
    other.runName = given.otherName;
    rangeOf(context, other);  // throws for steps that the other run does not have
    const auto [first, end] = rangeOf(context, given);
    std::vector<double> gaps;
    for (std::int64_t step = first; step < end; ++step) {
        const auto a = context.facts.value(given.run, Metric::Loss, step), b = context.facts.value(given.other, Metric::Loss, step);
        if (a && b) gaps.push_back(std::fabs(*a - *b));
    }
    if (gaps.empty()) throw ClaimProblem{quoted(given.runName) + " and " + quoted(given.otherName) + " have no losses at one step yet"};
    return reduced(gaps, ClaimReduce::Mean);
}

template <std::uint32_t kFlag>
ClaimValue countOf(const ClaimContext& context, const ClaimArguments& given) {
    double count = 0;
    for (auto [step, end] = rangeOf(context, given); step < end; ++step) {
        if ((context.facts.flags(given.run, step) & kFlag) != 0) ++count;
    }
    return count;
}

ClaimValue firstSkip(const ClaimContext& context, const ClaimArguments& given) {
    for (std::int64_t step = 0; step < endOf(context, given); ++step) {
        if ((context.facts.flags(given.run, step) & kFlagSkipped) != 0) return static_cast<double>(step);
    }
    throw ClaimProblem{quoted(given.runName) + " has skipped no step"};
}

std::int64_t nonFiniteStepOf(const ClaimContext& context, const ClaimArguments& given) {
    if (const auto step = firstNonFiniteStep(context.facts, given.run, endOf(context, given))) return *step;
    throw ClaimProblem{"no step of " + quoted(given.runName) + " is bad: its losses and gradients are all finite"};
}
ClaimValue firstBad(const ClaimContext& context, const ClaimArguments& given) {
    return static_cast<double>(nonFiniteStepOf(context, given));
}

ClaimValue memoryOf(const ClaimContext& context, const ClaimArguments& given) {
    const MemoryLedger ledger = context.facts.memory(given.run);
    const std::int64_t bytes[] = {ledger.total(),   ledger.weights,     ledger.masterWeights, ledger.gradients,
                                  ledger.optimizer, ledger.activations, ledger.workspace};
    const auto purpose = std::find(memoryPurposes().begin(), memoryPurposes().end(), given.purpose);
    return static_cast<double>(bytes[purpose - memoryPurposes().begin()]);
}

// ---- Measured steps ----

const StepStats& statsOf(const ClaimContext& context, const ClaimArguments& given) {
    const std::int64_t step = checkedStep(context, given, *given.step);
    if (const StepStats* stats = context.facts.stats(given.run, step)) return *stats;
    throw ClaimProblem{"step " + std::to_string(step) + " of " + quoted(given.runName) + " was not measured"};
}

ClaimValue unchanged(const ClaimContext& context, const ClaimArguments& given) {
    return tensorShare(statsOf(context, given), tensor_share::kLostUpdates);
}

ClaimValue zeroGradients(const ClaimContext& context, const ClaimArguments& given) {
    return tensorShare(statsOf(context, given), tensor_share::kZeroGradients);
}

ClaimValue brokenStatistics(const ClaimContext& context, const ClaimArguments& given) {
    const auto& tensors = statsOf(context, given).tensors;
    return static_cast<double>(std::count_if(tensors.begin(), tensors.end(), [](const TensorStats& tensor) {
        return tensor.role == TensorRole::Statistic && !tensor.classes.allFinite();
    }));
}

// ---- Examined steps ----

const Examination& examinationOf(const ClaimContext& context, const ClaimArguments& given) {
    const std::int64_t step = given.step ? checkedStep(context, given, *given.step) : nonFiniteStepOf(context, given);
    if (const Examination* examination = context.facts.examination(given.run, step)) return *examination;
    throw ClaimProblem{"step " + std::to_string(step) + " of " + quoted(given.runName) + " was not examined"};
}

ClaimValue verdictOf(const ClaimContext& context, const ClaimArguments& given) {
    return std::string(verdictName(examinationOf(context, given).verdict.kind));
}
ClaimValue originOf(const ClaimContext& context, const ClaimArguments& given) {
    const ProvenanceCard& card = examinationOf(context, given).card;
    return card.layer + ", " + card.operation + ", " + card.phase;
}
template <auto kMember>
ClaimValue originFact(const ClaimContext& context, const ClaimArguments& given) {
    return examinationOf(context, given).card.*kMember;
}
template <auto kMember>
ClaimValue verdictFact(const ClaimContext& context, const ClaimArguments& given) {
    return examinationOf(context, given).verdict.*kMember;
}

// ---- Formats and numbers ----

ClaimValue rounded(const ClaimContext&, const ClaimArguments& given) {
    return static_cast<double>(numberBits(given.format, static_cast<float>(given.number)).rounded);
}
ClaimValue ulpOf(const ClaimContext&, const ClaimArguments& given) {
    if (!std::isfinite(given.number)) return std::numeric_limits<double>::quiet_NaN();
    return ulpAt(facts(given.format), given.number);
}
template <auto kFact>
ClaimValue factOf(const ClaimContext&, const ClaimArguments& given) {
    return static_cast<double>(facts(given.format).*kFact);
}
template <double (*kFunction)(double)>
ClaimValue computed(const ClaimContext&, const ClaimArguments& given) {
    return kFunction(given.number);
}
double absolute(double x) {
    return std::fabs(x);
}
double naturalLog(double x) {
    return std::log(x);
}
double exponential(double x) {
    return std::exp(x);
}
double squareRoot(double x) {
    return std::sqrt(x);
}

constexpr ClaimFunctionRow kRows[] = {
    {"loss", "loss(run), loss(run, step), loss(run, first..end)", "the training loss: newest, at a step, mean over steps",
     "training loss"_text, ClaimTakes::RunAndWhen, false, metricOf<Metric::Loss>},
    {"loss_gap", "loss_gap(run, other, first..end)", "the mean over steps of the difference of two runs' training losses, without its sign",
     "mean difference of the training losses"_text, ClaimTakes::TwoRunsAndRange, false, lossGap},
    {"val_loss", "val_loss(run), (run, step), (run, first..end)", "the validation loss", "validation loss"_text, ClaimTakes::RunAndWhen,
     false, metricOf<Metric::ValidationLoss>},
    {"val_accuracy", "val_accuracy(run), (run, step), (run, first..end)", "the validation accuracy, 0 to 1", "validation accuracy"_text,
     ClaimTakes::RunAndWhen, false, metricOf<Metric::ValidationAccuracy>},
    {"loss_scale", "loss_scale(run), (run, step), (run, first..end)", "the loss scale that the step was trained with", "loss scale"_text,
     ClaimTakes::RunAndWhen, false, metricOf<Metric::LossScale>},
    {"grad_norm", "grad_norm(run), (run, step), (run, first..end)", "the gradients' norm, unscaled, before clipping", "gradient norm"_text,
     ClaimTakes::RunAndWhen, false, metricOf<Metric::GradNorm>},
    {"lr", "lr(run), (run, step), (run, first..end)", "the learning rate", "learning rate"_text, ClaimTakes::RunAndWhen, false,
     metricOf<Metric::LearningRate>},
    {"skips", "skips(run), skips(run, first..end)", "how many steps were skipped", "skipped steps"_text, ClaimTakes::RunAndRange, false,
     countOf<kFlagSkipped>},
    {"growths", "growths(run), (run, first..end)", "how often the loss scale grew", "growths of the loss scale"_text,
     ClaimTakes::RunAndRange, false, countOf<kFlagScaleGrew>},
    {"lost_losses", "lost_losses(run), (run, first..end)", "how many steps had a loss that is not finite",
     "steps with a non-finite loss"_text, ClaimTakes::RunAndRange, false, countOf<kFlagLossNonFinite>},
    {"first_skip", "first_skip(run)", "the first step that was skipped", "first skipped step"_text, ClaimTakes::Run, false, firstSkip},
    {"first_bad", "first_bad(run)", "the first step whose loss or gradients are not finite", "first non-finite step"_text, ClaimTakes::Run,
     false, firstBad},
    {"memory", "memory(run, \"masters\")", "bytes of weights, masters, gradients, optimizer, activations, workspace, or total",
     "memory"_text, ClaimTakes::RunAndPurpose, false, memoryOf},
    {"unchanged", "unchanged(run, step)", "of the updates that a measured step meant, the share that changed nothing",
     "share of lost updates"_text, ClaimTakes::RunAndStep, false, unchanged},
    {"zero_gradients", "zero_gradients(run, step)", "of a measured step's gradients of weights, the share that is 0",
     "share of gradients that are 0"_text, ClaimTakes::RunAndStep, false, zeroGradients},
    {"broken_statistics", "broken_statistics(run, step)", "of a measured step, running statistics with a number that is not finite",
     "running statistics that are not finite"_text, ClaimTakes::RunAndStep, false, brokenStatistics},
    {"verdict", "verdict(run), verdict(run, step)", "what an examined step's verdict is, as text; without a step, of the first bad one",
     "verdict"_text, ClaimTakes::RunMaybeStep, true, verdictOf},
    {"origin", "origin(run), origin(run, step)", "where an examined step's first bad value was made: \"layer, operation, phase\"",
     "origin"_text, ClaimTakes::RunMaybeStep, true, originOf},
    {"origin_tensor", "origin_tensor(run), (run, step)", "and in which tensor", "first non-finite tensor"_text, ClaimTakes::RunMaybeStep,
     true, originFact<&ProvenanceCard::tensor>},
    {"suspect", "suspect(run), suspect(run, step)", "the layer that the verdict would put into FP32", "layer to compute in FP32"_text,
     ClaimTakes::RunMaybeStep, true, verdictFact<&SkipVerdict::suspectLayer>},
    {"safe_scale", "safe_scale(run), (run, step)", "the highest power of two at which an examined step is finite",
     "largest safe loss scale"_text, ClaimTakes::RunMaybeStep, false, verdictFact<&SkipVerdict::safeScale>},
    {"wide_max", "wide_max(run), wide_max(run, step)", "the largest value that the bad tensor would have had in FP32",
     "largest value in FP32"_text, ClaimTakes::RunMaybeStep, false, originFact<&ProvenanceCard::wideMax>},
    {"rounded", "rounded(x, format)", "x in that format, to nearest even", "%1 rounded to %2"_text, ClaimTakes::NumberAndFormat, false,
     rounded},
    {"ulp", "ulp(x, format)", "the distance of the format's numbers at x", "ulp of %2 at %1"_text, ClaimTakes::NumberAndFormat, false,
     ulpOf},
    {"largest", "largest(format)", "its largest finite number", "largest number"_text, ClaimTakes::Format, false,
     factOf<&DtypeFacts::maxFinite>},
    {"smallest", "smallest(format)", "its smallest number above 0, subnormal", "smallest number above 0"_text, ClaimTakes::Format, false,
     factOf<&DtypeFacts::minSubnormal>},
    {"smallest_normal", "smallest_normal(format)", "its smallest normal number", "smallest normal number"_text, ClaimTakes::Format, false,
     factOf<&DtypeFacts::minNormal>},
    {"epsilon", "epsilon(format)", "the gap above 1", "machine epsilon"_text, ClaimTakes::Format, false, factOf<&DtypeFacts::epsilon>},
    {"exponent_bits", "exponent_bits(format)", "bits of its exponent", "exponent bits"_text, ClaimTakes::Format, false,
     factOf<&DtypeFacts::exponentBits>},
    {"mantissa_bits", "mantissa_bits(format)", "bits of its mantissa, as stored", "mantissa bits"_text, ClaimTakes::Format, false,
     factOf<&DtypeFacts::mantissaBits>},
    {"storage_bits", "storage_bits(format)", "bits that a number takes in memory", "stored bits"_text, ClaimTakes::Format, false,
     factOf<&DtypeFacts::storageBits>},
    {"abs", "abs(x)", "its magnitude", "|%1|"_text, ClaimTakes::Number, false, computed<absolute>},
    {"exp", "exp(x)", "the exponential", "exp(%1)"_text, ClaimTakes::Number, false, computed<exponential>},
    {"log", "log(x)", "the natural logarithm", "log(%1)"_text, ClaimTakes::Number, false, computed<naturalLog>},
    {"sqrt", "sqrt(x)", "the square root", "sqrt(%1)"_text, ClaimTakes::Number, false, computed<squareRoot>},
};

}  // namespace

std::span<const ClaimFunctionRow> claimFunctionRows() {
    return kRows;
}

const std::vector<std::string>& memoryPurposes() {
    static const std::vector<std::string> kPurposes{"total", "weights", "masters", "gradients", "optimizer", "activations", "workspace"};
    return kPurposes;
}

std::vector<ClaimFunction> claimFunctions() {
    std::vector<ClaimFunction> all;
    for (const ClaimFunctionRow& row : kRows) all.push_back({row.signature, row.meaning});
    all.push_back({"highest(loss(run, first..end))", "the highest over the steps in place of their mean; lowest(...) likewise"});
    return all;
}

}  // namespace mantissa
