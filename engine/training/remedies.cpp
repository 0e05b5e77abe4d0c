// SPDX-License-Identifier: Apache-2.0
#include "engine/training/remedies.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>
#include <tuple>

#include "engine/diagnosis/verdict.h"
#include "engine/telemetry/number_format.h"
#include "engine/training/override_search.h"
#include "engine/training/silent_findings.h"

namespace mantissa {
namespace {

constexpr double kHugeOutlier = 1e10, kLeastNormEpsilon = 1e-12;
constexpr double kSafeEpsilon = 1e-4;  // of Adam with moments in FP16: about ten times leastEpsilon

/// "lr 0.001"
Text setTo(const std::string& setting, const std::string& value) {
    return {"%1 %2"_text, Text::term(setting), value};
}

/// The value that a setting had before a change.
Remedy asBefore(const RunPast::Change& change) {
    return {.label = {"%1 %2, as before"_text, Text::term(change.label), change.from}, .pointer = change.pointer, .value = change.before};
}

Remedy usualNormEpsilon(ModelSettings model) {
    model.normEps.reset();
    const std::string usual = shortest(model.normEpsilon());
    return {.label = setTo("epsilon of norms", usual), .pointer = "/model/norm_eps", .value = usual};
}

/// Rounds down to one significant digit, for a readable clip bound.
double roundedDown(double value) {
    const int power = static_cast<int>(std::floor(std::log10(value)));
    const double digit = std::floor(value / std::pow(10.0, power));
    return std::stod(std::to_string(static_cast<int>(digit)) + "e" + std::to_string(power));  // 0.7, since 7 * 0.1 is slightly larger
}

bool concernsFormat(const std::string& pointer) {
    return pointer.starts_with("/precision") || pointer.starts_with("/scaler") || pointer == kResetScalerPointer;
}

/// Whether the run has learned something by the end of these steps. If the loss of guessing is unknown, the first loss replaces it. In its
/// first steps a run may have learned nothing yet, and another format or scale need not change that.
bool learns(const Trainer& trainer, const Remedy& remedy, const RunPast& past) {
    if (past.steps < kStepsToProgress && remedy.rewindTo < 0 && concernsFormat(remedy.pointer)) return true;
    if (trainer.classes() > 1) return beatsGuessing(trainer.classes(), remedy.loss, remedy.validationAccuracy);
    const bool hasBegunAgain = trainer.settings().init.weights.empty();
    return !hasBegunAgain || std::isnan(past.firstLoss) || remedy.loss <= kBelowGuessing * past.firstLoss;
}

std::optional<Trainer::Validation> validated(Trainer& trainer, Remedy& remedy) {
    const std::optional<Trainer::Validation> validation = trainer.validation();
    if (validation) std::tie(remedy.validationLoss, remedy.validationAccuracy) = std::tie(validation->loss, validation->accuracy);
    return validation;
}

}  // namespace

bool isLeft(const Remedy& remedy) {
    return remedy.pointer.empty() && remedy.rewindTo < 0;
}

double meanLossOfTaken(std::vector<StepRecord>::const_iterator begin, std::vector<StepRecord>::const_iterator end) {
    double sum = 0;
    std::int64_t taken = 0;
    for (auto each = begin; each != end; ++each) {
        if (each->skipped()) continue;
        sum += each->loss;
        ++taken;
    }
    return taken == 0 ? NAN : sum / static_cast<double>(taken);
}

BrokenTensors brokenTensors(const Trainer& trainer) {
    BrokenTensors broken;
    const Plan& plan = trainer.plan();
    const std::vector<NamedTensor> weights = trainer.weights();
    for (std::size_t t = 0; t < weights.size(); ++t) {
        const auto& [name, values] = std::tie(weights[t].name, weights[t].values);
        const bool isParameter = t < plan.parameterBuffers.size();  // running statistics come after them
        const bool isFinite = std::all_of(values.begin(), values.end(), [](float w) { return std::isfinite(w); });
        const bool isVariance = name.ends_with("running_var");
        const auto isUseless = [&](float v) { return !(std::abs(v) <= kHugeStatistic) || (isVariance && v < 0); };
        if (isParameter && !isFinite) broken.weights.push_back(name);
        if (isParameter && isFinite && outlierOf(values) > kHugeOutlier) broken.hugeWeights.push_back(name);
        if (isParameter || std::none_of(values.begin(), values.end(), isUseless)) continue;
        broken.statistics.push_back(name);
        broken.areStatisticsFinite = broken.areStatisticsFinite && isFinite;
    }
    return broken;
}

void sortRemedies(std::vector<Remedy>& remedies, bool byValidation) {
    const auto lossOf = [&](const Remedy& r) {
        const double loss = byValidation && !std::isnan(r.validationLoss) ? r.validationLoss : r.loss;
        return std::isfinite(loss) ? loss : std::numeric_limits<double>::infinity();
    };
    std::stable_partition(remedies.begin(), remedies.end(), [](const Remedy& r) { return !isLeft(r); });
    const auto end = std::find_if(remedies.begin(), remedies.end(), isLeft);
    const auto helping = std::stable_partition(remedies.begin(), end, [](const Remedy& r) { return r.helps; });
    const auto tried = std::stable_partition(helping, end, [](const Remedy& r) { return r.steps > 0; });
    for (auto [first, last] : {std::pair(remedies.begin(), helping), std::pair(helping, tried)}) {
        while (first != last) {  // those within a tenth of the lowest loss in the order of proposals, then the rest
            double lowest = std::numeric_limits<double>::infinity();
            for (auto each = first; each != last; ++each) lowest = std::min(lowest, lossOf(*each));
            first = std::stable_partition(first, last, [&](const Remedy& r) { return lossOf(r) <= 1.1 * lowest; });
        }
    }
}

void tryOn(Trainer& trainer, const std::function<StepRecord()>& step, Remedy& remedy, std::int64_t steps, const ExaminerOptions& options,
           const StepsGoOn& goesOn) {
    std::vector<StepRecord> records;
    std::optional<Trainer::Validation> validation;
    if (options.validatesFirst) validation = validated(trainer, remedy);
    const auto done = [&] { return static_cast<std::int64_t>(records.size()); };
    while (done() < steps && goesOn(done(), steps)) records.push_back(step());
    if (records.empty()) return;  // stopped before the first step
    StepsTried tried{.steps = done()};
    if (trainer.scaler().isDynamic()) tried.growthInterval = resolvedScaler(trainer.settings().scaler).growthInterval;
    const auto place = [&](std::int64_t index) { return records.begin() + static_cast<std::ptrdiff_t>(index); };
    const auto isBad = [](const StepRecord& r) { return (r.flags & (kFlagFoundInf | kFlagLossNonFinite | kFlagGradNormNonFinite)) != 0; };
    tried.skips = std::count_if(records.begin(), records.end(), [](const StepRecord& r) { return r.skipped(); });
    tried.nonFinite = std::count_if(records.begin(), records.end(), isBad);
    tried.nonFiniteAtTheEnd = std::count_if(place(tried.steps - tried.steps / 4), records.end(), isBad);
    const std::int64_t last = std::min(tried.steps, std::max<std::int64_t>(5, options.remedySteps / 10));  // as many for every remedy
    tried.loss = meanLossOfTaken(place(tried.steps - last), records.end());
    remedy.steps = tried.steps;
    remedy.skips = tried.skips;
    remedy.nonFinite = tried.nonFinite;
    remedy.loss = tried.loss;
    constexpr double kNearlyAll = 0.9;  // of the steps: fewer prove nothing without a validation
    const bool isWhole = static_cast<double>(tried.steps) >= kNearlyAll * static_cast<double>(steps);
    const bool isProof = isWhole || validation.has_value();
    constexpr double kNoise = 2;  // in losses of so few steps: for an unchanged run only the skips have to end
    const double highest = isLeft(remedy) ? kNoise * options.past.highestLoss : options.past.highestLoss;
    const bool isSound = isHealthy(tried, trainer.scaler().isDynamic() ? steps : options.skipsAllowed, highest);
    if (options.isThorough && std::isfinite(remedy.loss) && goesOn(done(), steps)) validation = validated(trainer, remedy);
    const bool isValid = !validation || std::isfinite(validation->loss);
    remedy.helps = isProof && isSound && isValid && (isLeft(remedy) || learns(trainer, remedy, options.past));
    const Text next = counted(tried.steps, "in the next step"_text, "in the next %1 steps"_text);
    remedy.sentence = tried.nonFinite == 0             ? Text("No skip, nothing non-finite %1."_text, next)
                      : tried.skips == tried.nonFinite ? counted(tried.skips, "%1 skip %2."_text, "%1 skips %2."_text, next)
                                                       : counted(tried.nonFinite, "%1 step with a non-finite value %2."_text,
                                                                 "%1 steps with a non-finite value %2."_text, next);
    if (remedy.helps || tried.nonFinite > 0 || !isWhole) return;
    remedy.sentence += !isValid                      ? Text("Validation is not finite."_text)
                       : remedy.loss > 1.1 * highest ? Text("The loss stays above its former %1."_text, Figure{options.past.highestLoss, 3})
                                                     : Text("The loss has not fallen far enough yet."_text);
}

constexpr std::int64_t kNear = 10;  // steps until a change shows its effect

std::int64_t beganToDiverge(const RunPast& past) {
    for (const RunPast::Change& change : past.changes) {
        if (change.step + kNear >= past.healthyUntil) return std::min(change.step, past.healthyUntil);
    }
    return past.healthyUntil - kNear;
}

std::vector<Remedy> remediesOfDivergence(const TrainingSettings& settings, const RunPast& past) {
    std::vector<Remedy> remedies;
    const auto add = [&](const Remedy& remedy) {
        const bool isThere = std::any_of(remedies.begin(), remedies.end(), [&](const Remedy& r) { return r.pointer == remedy.pointer; });
        if (!isThere) remedies.push_back(remedy);
    };
    for (const RunPast::Change& change : past.changes) {
        if (change.step + kNear >= past.healthyUntil) add(asBefore(change));
    }
    const OptimizerSettings& optimizer = settings.optimizer;
    for (const SilentFinding& finding : defeatingSettings(settings, 0)) {
        for (const Remedy& remedy : remediesOfSilence(finding, {}, settings, past)) add(remedy);
    }
    if (settings.optimizer.schedule.kind == "step" && settings.optimizer.schedule.factor > 1)
        add({.label = "A constant rate"_text, .pointer = "/optimizer/schedule", .value = R"({"kind":"constant"})"});
    if (isEpsilonTooSmall(settings)) remedies.push_back(safeEpsilon());
    if (!settings.zeroGrad) add({.label = "Set gradients to zero"_text, .pointer = "/zero_grad", .value = "true"});
    if (optimizer.hasSecondMoments() &&
        optimizer.beta2 < optimizer.beta1 * optimizer.beta1)  // the update is then unbounded: Adam's paper, section 2.1
        add({.label = setTo("betas", "0.9, 0.999"), .pointer = "/optimizer/betas", .value = "[0.9,0.999]"});
    if (!settings.clipGradNorm && past.usualGradNorm > 0) add(clipAt(past.usualGradNorm));
    return remedies;
}

Remedy clipAt(double norm) {
    const double bound = roundedDown(norm);
    return {.label = setTo("clip", shortest(bound)), .pointer = "/clip_grad_norm", .value = shortest(bound)};
}

Remedy scalersDefaults() {
    return {.label = "The scaler's defaults"_text, .pointer = kResetScalerPointer, .value = "true"};
}

Remedy masters(const TrainingSettings& settings) {
    const std::string mixed = settings.precision.policy == "pure-fp16" ? "fp16" : "bf16";
    return {.label = {"FP32 masters: switch to %1"_text, policyScreenName(mixed)}, .pointer = "/precision", .value = '"' + mixed + '"'};
}

bool isEpsilonTooSmall(const TrainingSettings& settings) {
    const OptimizerSettings& optimizer = settings.optimizer;
    const bool isHalf = optimizer.stateFormat(settings.precision.policy) == Dtype::F16;
    return optimizer.hasSecondMoments() && isHalf && optimizer.epsilon < leastEpsilon(Dtype::F16);
}

Remedy safeEpsilon() {
    return {.label = setTo("eps", shortest(kSafeEpsilon)), .pointer = "/optimizer/eps", .value = shortest(kSafeEpsilon)};
}

Remedy rateOf(double lr) {
    std::ostringstream digits;
    digits << std::setprecision(3) << lr;
    const double rounded = std::stod(digits.str());
    return {.label = setTo("lr", shortest(rounded)), .pointer = "/optimizer/lr", .value = shortest(rounded)};
}

std::vector<Remedy> remediesOfModel(const ModelSettings& model, const ProvenanceCard& card) {
    const std::string kind = forwardKind(card.operation);
    if (kind == "softmax" && model.softmax == "naive")
        return {{.label = "A softmax that subtracts the maximum"_text, .pointer = "/model/softmax", .value = "\"max_subtracted\""}};
    if (kind.ends_with("_norm") && model.normEpsilon() < kLeastNormEpsilon) return {usualNormEpsilon(model)};
    return {};
}

const RunPast::Change* latestChange(const RunPast& past, const std::string& pointer) {
    const auto found =
        std::find_if(past.changes.rbegin(), past.changes.rend(), [&](const auto& change) { return change.pointer == pointer; });
    return found == past.changes.rend() ? nullptr : &*found;
}

std::vector<Remedy> remediesOfUpdate(const TrainingSettings& settings) {
    const OptimizerSettings& optimizer = settings.optimizer;
    std::vector<Remedy> remedies;
    if (optimizer.hasSecondMoments() && optimizer.epsilon < kSafeEpsilon) remedies.push_back(safeEpsilon());
    if (isPure(settings.precision.policy)) remedies.push_back(masters(settings));
    remedies.push_back(rateOf(optimizer.lr / 10));
    return remedies;
}

std::vector<Remedy> remediesOfSilence(const SilentFinding& finding, const std::vector<ChainLink>& chain, const TrainingSettings& settings,
                                      const RunPast& past) {
    const OptimizerSettings& optimizer = settings.optimizer;
    const Remedy toBf16{.label = "Switch to BF16"_text, .pointer = "/precision", .value = "\"bf16\""};
    switch (finding.kind) {
        case SilentKind::AllZero:
        case SilentKind::TensorDiffers: {
            if (finding.value == 0) return {};  // also in FP32
            const auto link =
                std::find_if(chain.begin(), chain.end(), [&](const ChainLink& each) { return each.tensor == finding.tensor; });
            const bool isCast = finding.tensor.find(" as ") != std::string::npos;
            if (!isCast && link == chain.end()) return {};
            const std::string place = isCast ? finding.layer : forwardKind(link->operation);
            return {{.label = {isCast ? "%1 in FP32"_text : "all %1 in FP32"_text, place},
                     .pointer = "/precision/overrides/" + place,
                     .value = "\"fp32\""},
                    toBf16};
        }
        case SilentKind::GradientsAllZero:
        case SilentKind::GradientsFlushed:
        case SilentKind::GradientsDiffer:
            if (!resolvedScaler(settings.scaler).isDynamic())
                return {{.label = "A dynamic loss scaler"_text, .pointer = "/scaler", .value = R"({"preset":"pytorch"})"}};
            if (settings.scaler != ScalerSettings{.preset = settings.scaler.preset}) return {scalersDefaults()};
            return {{.label = {"Set scale %1"_text, PowerOfTwo{65536}}, .pointer = kScalePointer, .value = "65536"}};
        case SilentKind::UpdatesLost:
            if (isPure(settings.precision.policy)) return {masters(settings), toBf16};
            return {toBf16};
        case SilentKind::WeightsFlushed:
            return {toBf16};
        case SilentKind::Clipped:
            return {{.label = "No clipping"_text, .pointer = "/clip_grad_norm", .value = "null"}};
        case SilentKind::ClippedScaled:
            return {{.label = "Unscale before clipping"_text, .pointer = "/unscale", .value = "\"before_clip\""}};
        case SilentKind::ValidationFails:
            return {{.label = "Validate as it trains"_text, .pointer = "/eval_precision", .value = "null"}, toBf16};
        case SilentKind::NothingMoves:
        case SilentKind::NoProgress: {
            constexpr double kUsualRate = 1e-3;
            std::vector<Remedy> remedies;
            for (const RunPast::Change& change : past.changes) remedies.push_back(asBefore(change));
            if (past.gradNormSpread >= kSpread && !settings.clipGradNorm && past.usualGradNorm > 0)
                remedies.push_back(clipAt(past.usualGradNorm));
            if (optimizer.lr < kUsualRate) remedies.push_back(rateOf(kUsualRate));
            remedies.push_back(rateOf(optimizer.lr * 10));
            remedies.push_back(rateOf(optimizer.lr / 10));
            return remedies;
        }
        case SilentKind::SettingDefeats: {
            const RunPast::Change* const change = latestChange(past, finding.tensor);
            if (change != nullptr) return {asBefore(*change)};
            constexpr double kHighRate = 0.1;
            if (finding.tensor == "/optimizer/weight_decay" && optimizer.lr > kHighRate)  // it multiplies the decay
                return {rateOf(optimizer.lr / 100), rateOf(optimizer.lr / 1000)};
            const Remedy usual[] = {
                {.label = setTo("momentum", "0.9"), .pointer = "/optimizer/momentum", .value = "0.9"},
                {.label = setTo("dampening", "0"), .pointer = "/optimizer/dampening", .value = "0"},
                {.label = setTo("weight decay", "0.01"), .pointer = "/optimizer/weight_decay", .value = "0.01"},
                {.label = setTo("eps", "1e-08"), .pointer = "/optimizer/eps", .value = "1e-8"},
                {.label = setTo("lr", "0.001"), .pointer = "/optimizer/lr", .value = "0.001"},
                {.label = "A constant rate"_text, .pointer = "/optimizer/schedule", .value = R"({"kind":"constant"})"},
                {.label = setTo("label smoothing", "0"), .pointer = "/model/label_smoothing", .value = "0"},
                {.label = setTo("dropout", "0.1"), .pointer = "/model/dropout", .value = "0.1"},
                {.label = "A mask of minus infinity"_text, .pointer = "/model/mask", .value = "\"-Infinity\""},
                usualNormEpsilon(settings.model),
            };
            for (const Remedy& remedy : usual)
                if (finding.tensor == remedy.pointer) return {remedy};
            return {};
        }
        case SilentKind::LossHasGrown:
        case SilentKind::NoGradient:
        case SilentKind::Saturated:
        case SilentKind::WeightOutlier:
            return {};
    }
    return {};
}

}  // namespace mantissa
