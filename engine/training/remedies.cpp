// SPDX-License-Identifier: Apache-2.0
#include "engine/training/remedies.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/diagnosis/verdict.h"
#include "engine/telemetry/number_format.h"
#include "engine/training/override_search.h"

namespace mantissa {
namespace {

bool isLeft(const Remedy& remedy) {
    return remedy.pointer.empty() && remedy.rewindTo < 0;
}

constexpr double kSafeEpsilon = 1e-4;  // of Adam: more than 0 in FP16, and its square root's reciprocal is finite there

/// One significant digit: a clip bound as people would write it.
double roundedDown(double value) {
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    return std::floor(value / power) * power;
}

}  // namespace

BrokenTensors brokenTensors(const Trainer& trainer) {
    BrokenTensors broken;
    const Plan& plan = trainer.plan();
    for (const NamedTensor& tensor : trainer.weights()) {
        if (std::all_of(tensor.values.begin(), tensor.values.end(), [](float w) { return std::isfinite(w); })) continue;
        const bool isParameter = std::any_of(plan.parameterBuffers.begin(), plan.parameterBuffers.end(), [&](int buffer) {
            return plan.buffers[static_cast<std::size_t>(buffer)].name == tensor.name;
        });
        (isParameter ? broken.weights : broken.statistics).push_back(tensor.name);
    }
    return broken;
}

void sortRemedies(std::vector<Remedy>& remedies) {
    const auto isTried = [](const Remedy& r) { return r.steps > 0; };
    const auto lossOf = [](const Remedy& r) { return std::isfinite(r.loss) ? r.loss : std::numeric_limits<double>::infinity(); };
    std::stable_partition(remedies.begin(), remedies.end(), [](const Remedy& r) { return !isLeft(r); });
    const auto end = std::find_if(remedies.begin(), remedies.end(), isLeft);
    if (!std::all_of(remedies.begin(), end, isTried)) return;
    const auto helping = std::stable_partition(remedies.begin(), end, [](const Remedy& r) { return r.helps; });
    for (auto [first, last] : {std::pair(remedies.begin(), helping), std::pair(helping, end)}) {
        while (first != last) {  // those within a tenth of the lowest loss, as they were proposed, then those of the rest
            double lowest = std::numeric_limits<double>::infinity();
            for (auto each = first; each != last; ++each) lowest = std::min(lowest, lossOf(*each));
            first = std::stable_partition(first, last, [&](const Remedy& r) { return lossOf(r) <= 1.1 * lowest; });
        }
    }
}

void tryOn(Trainer& trainer, const std::function<StepRecord()>& step, Remedy& remedy, std::int64_t steps, const ExaminerOptions& options,
           const StepsGoOn& goesOn) {
    std::vector<StepRecord> records;
    const auto done = [&] { return static_cast<std::int64_t>(records.size()); };
    while (done() < steps && goesOn(done(), steps)) records.push_back(step());
    if (records.empty()) return;  // it was ended before the first
    StepsTried tried{.steps = done()};
    const auto place = [&](std::int64_t index) { return records.begin() + static_cast<std::ptrdiff_t>(index); };
    const auto isBad = [](const StepRecord& r) { return (r.flags & (kFlagFoundInf | kFlagLossNonFinite | kFlagGradNormNonFinite)) != 0; };
    tried.skips = std::count_if(records.begin(), records.end(), [](const StepRecord& r) { return r.skipped(); });
    tried.nonFinite = std::count_if(records.begin(), records.end(), isBad);
    tried.nonFiniteAtTheEnd = std::count_if(place(tried.steps - tried.steps / 4), records.end(), isBad);
    const std::int64_t last = std::min(tried.steps, std::max<std::int64_t>(5, tried.steps / 10));
    for (auto each = place(tried.steps - last); each != records.end(); ++each) tried.loss += each->loss / static_cast<double>(last);
    remedy.steps = tried.steps;
    remedy.skips = tried.skips;
    remedy.nonFinite = tried.nonFinite;
    remedy.loss = tried.loss;
    remedy.helps = isHealthy(tried, trainer.scaler().isDynamic(), options.past.highestLoss);
    if (options.isThorough && std::isfinite(remedy.loss) && goesOn(done(), steps)) {
        if (const std::optional<Trainer::Validation> validation = trainer.validation()) {
            remedy.validationLoss = validation->loss;
            remedy.validationAccuracy = validation->accuracy;
            remedy.helps = remedy.helps && std::isfinite(validation->loss);
        }
    }
    const std::string text = " in the next " + std::to_string(tried.steps) + " steps.";
    remedy.sentence = tried.nonFinite == 0             ? "No skip, nothing non-finite" + text
                      : tried.skips == tried.nonFinite ? std::to_string(tried.skips) + (tried.skips == 1 ? " skip" : " skips") + text
                                                       : std::to_string(tried.nonFinite) + " steps with a non-finite value" + text;
}

constexpr std::int64_t kNear = 10;  // steps: what a change does may show so much later

std::int64_t beganToDiverge(const RunPast& past) {
    for (const RunPast::Change& change : past.changes) {
        if (change.step + kNear >= past.healthyUntil) return std::min(change.step, past.healthyUntil);
    }
    return past.healthyUntil - kNear;
}

std::vector<Remedy> remediesOfDivergence(const TrainingSettings& settings, const RunPast& past) {
    std::vector<Remedy> remedies;
    const auto set = [&](const std::string& label, const std::string& pointer, const std::string& value) {
        const bool isThere = std::any_of(remedies.begin(), remedies.end(), [&](const Remedy& r) { return r.pointer == pointer; });
        if (!isThere) remedies.push_back({.label = label, .pointer = pointer, .value = value});
    };
    for (const RunPast::Change& change : past.changes) {
        if (change.step + kNear >= past.healthyUntil) set(change.label + " " + change.from + ", as before", change.pointer, change.before);
    }
    const OptimizerSettings& optimizer = settings.optimizer;
    if (optimizer.momentum >= 1) set("momentum 0.9", "/optimizer/momentum", "0.9");
    if (optimizer.weightDecay * optimizer.lr >= 1) set("weight decay 0", "/optimizer/weight_decay", "0");
    const bool isAdam = optimizer.kind == "adam" || optimizer.kind == "adamw";
    if (settings.precision.policy == "pure-fp16" && isAdam && optimizer.epsilon <= facts(Dtype::F16).flushBelow)
        set("eps " + shortest(kSafeEpsilon), "/optimizer/eps", shortest(kSafeEpsilon));
    if (!settings.zeroGrad) set("Set gradients to zero", "/zero_grad", "true");
    set("lr " + shortest(optimizer.lr / 10), "/optimizer/lr", shortest(optimizer.lr / 10));
    if (!settings.clipGradNorm && past.usualGradNorm > 0) {
        const double bound = roundedDown(past.usualGradNorm);
        set("clip " + shortest(bound), "/clip_grad_norm", shortest(bound));
    }
    return remedies;
}

std::vector<Remedy> remediesOfUpdate(const TrainingSettings& settings) {
    const OptimizerSettings& optimizer = settings.optimizer;
    std::vector<Remedy> remedies;
    const bool isAdam = optimizer.kind == "adam" || optimizer.kind == "adamw";
    if (isAdam && optimizer.epsilon < kSafeEpsilon)
        remedies.push_back({.label = "eps " + shortest(kSafeEpsilon), .pointer = "/optimizer/eps", .value = shortest(kSafeEpsilon)});
    if (isPure(settings.precision.policy)) {
        const std::string mixed = settings.precision.policy == "pure-fp16" ? "fp16" : "bf16";
        remedies.push_back({.label = "Switch to " + policyScreenName(mixed), .pointer = "/precision", .value = '"' + mixed + '"'});
    }
    const std::string rate = shortest(optimizer.lr / 10);
    remedies.push_back({.label = "lr " + rate, .pointer = "/optimizer/lr", .value = rate});
    return remedies;
}

std::vector<Remedy> remediesOfSilence(const SilentFinding& finding, const std::vector<ChainLink>& chain,
                                      const TrainingSettings& settings) {
    const OptimizerSettings& optimizer = settings.optimizer;
    const Remedy toBf16{.label = "Switch to BF16", .pointer = "/precision", .value = "\"bf16\""};
    const auto rate = [](double lr) {
        return Remedy{.label = "lr " + shortest(lr), .pointer = "/optimizer/lr", .value = shortest(lr)};
    };
    switch (finding.kind) {
        case SilentKind::AllZero:
        case SilentKind::TensorDiffers: {
            const auto link =
                std::find_if(chain.begin(), chain.end(), [&](const ChainLink& each) { return each.tensor == finding.tensor; });
            if (link == chain.end()) return {};
            const std::string kind = forwardKind(link->operation);
            return {{.label = "all " + kind + " in FP32", .pointer = "/precision/overrides/" + kind, .value = "\"fp32\""}};
        }
        case SilentKind::GradientsAllZero:
        case SilentKind::GradientsFlushed:
        case SilentKind::GradientsDiffer:
            return {{.label = "A dynamic loss scaler", .pointer = "/scaler", .value = R"({"preset":"pytorch"})"}};
        case SilentKind::UpdatesLost:
        case SilentKind::WeightsFlushed:
            return {toBf16};
        case SilentKind::Clipped:
            return {{.label = "No clipping", .pointer = "/clip_grad_norm", .value = "null"}};
        case SilentKind::ClippedScaled:
            return {{.label = "Unscale before clipping", .pointer = "/unscale", .value = "\"before_clip\""}};
        case SilentKind::ValidationFails:
            return {{.label = "Validate as it trains", .pointer = "/eval_precision", .value = "null"}, toBf16};
        case SilentKind::NothingMoves:
        case SilentKind::NoProgress: {
            constexpr double kUsualRate = 1e-3, kUsualEpsilon = 1e-8;
            std::vector<Remedy> remedies;
            if (optimizer.epsilon > 1e-3) remedies.push_back({.label = "eps " + shortest(kUsualEpsilon), .pointer = "/optimizer/eps", .value = shortest(kUsualEpsilon)});
            if (optimizer.lr < kUsualRate) remedies.push_back(rate(kUsualRate));
            remedies.push_back(rate(optimizer.lr * 10));
            remedies.push_back(rate(optimizer.lr / 10));
            return remedies;
        }
        case SilentKind::LossHasGrown:
        case SilentKind::LabelsIgnored:
        case SilentKind::NoGradient:
        case SilentKind::Saturated:
        case SilentKind::WeightOutlier:
            return {};
    }
    return {};
}

}  // namespace mantissa
