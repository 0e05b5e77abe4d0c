// SPDX-License-Identifier: Apache-2.0
#include "engine/training/silent_findings.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "engine/diagnosis/verdict.h"
#include "engine/models/builder.h"
#include "engine/training/step_tensors.h"

namespace mantissa {
namespace {

/// Above these relative differences from FP32 a tensor, or the gradients, count as wrong. Ordinary rounding stays far below, also in fp8.
constexpr double kForeignTensor = 0.6, kForeignGradients = 0.9, kFlushed = 0.25, kLeftByClipping = 1e-4, kNearEpsilon = 10;
/// A weight this many times its tensor's root mean square does not come from training; trained transformers stay below a thousand.
constexpr double kOutlier = 1e4;
constexpr double kFlushedWeights = 0.5, kSaturated = 0.99, kAtLimit = 1e-4, kStanding = 0.9;
/// Below this loss, or this share of its first one, a run has learned its data: gradients vanish, and weights do not move.
constexpr double kLearned = 1e-2;
constexpr double kNoProgress = 0.99, kHigher = 1.5;

/// Whether the derivative of the activation function is nearly 0 at this output.
bool isAtLimit(const std::string& activation, float y) {
    if (activation == "sigmoid") return y < kAtLimit || y > 1 - kAtLimit;
    if (activation == "tanh") return std::abs(y) > 1 - kAtLimit;
    return y == 0;
}

/// The name before the last dot.
std::string layerOf(const std::string& tensor) {
    return tensor.substr(0, tensor.rfind('.'));
}

void appendFinding(std::vector<SilentFinding>& findings, SilentKind kind, double value, std::string tensor = "") {
    const std::string layer = tensor.empty() ? "" : layerOf(tensor);
    findings.push_back({.kind = kind, .layer = layer, .tensor = std::move(tensor), .value = value});
}

/// The weights that a step changes, of all parameters in order, and the factor of clipping.
struct StepMoves {
    std::vector<bool> moves;
    std::vector<std::pair<std::string, std::size_t>> ends;  // of each parameter: its layer, and the end of its range in `moves`
    double leftByClipping = 1;
};
/// Trains the next step and returns the weights that it changed.
StepMoves movesOfNextStep(Trainer& trainer) {
    const std::vector<NamedTensor> before = trainer.weights();
    const StepRecord record = trainer.step();
    const std::vector<NamedTensor> after = trainer.weights();
    StepMoves result;
    if (const std::optional<double> bound = trainer.settings().clipGradNorm) result.leftByClipping = *bound / record.gradNorm;
    for (std::size_t t = 0; t < trainer.plan().parameterBuffers.size(); ++t) {  // running statistics come after them
        for (std::size_t i = 0; i < before[t].values.size(); ++i) result.moves.push_back(before[t].values[i] != after[t].values[i]);
        result.ends.emplace_back(layerOf(before[t].name), result.moves.size());
    }
    return result;
}

/// Finds the first forward tensor that is lost, which explains those after it.
void compareTensors(std::vector<SilentFinding>& findings, const StepTensors& used, const StepTensors& wide) {
    const auto isAllZero = [](const StepTensor& each) {
        return !each.values.empty() && std::all_of(each.values.begin(), each.values.end(), [](float v) { return v == 0; });
    };
    for (const StepTensor& each : used) {  // a cast is compared with its input
        if (each.role != TensorRole::Value || each.operation != "cast" || !isAllZero(each)) continue;
        const std::string source = each.tensor.substr(0, each.tensor.find(" as "));
        const auto found = std::find_if(used.begin(), used.end(), [&](const StepTensor& t) { return t.tensor == source; });
        if (found == used.end() || isAllZero(*found)) continue;
        findings.push_back({SilentKind::AllZero, each.layer, each.tensor, 1});
        return;
    }
    for (const LayerDifference& each : tensorDifferences(used, wide)) {
        if (each.role != TensorRole::Value || each.broken > 0 || !(each.relative() > kForeignTensor)) continue;
        const auto own = std::find_if(used.begin(), used.end(), [&](const StepTensor& t) { return t.tensor == each.tensor; });
        const bool isZero = own != used.end() && isAllZero(*own);
        findings.push_back({isZero ? SilentKind::AllZero : SilentKind::TensorDiffers, each.layer, each.tensor, each.relative()});
        return;
    }
}

void compareUpdates(std::vector<SilentFinding>& findings, const TrainingSettings& settings, const StepMoves& own, const StepMoves& wide) {
    LostUpdateShare all;
    std::vector<LostUpdateShare> layers;
    std::size_t i = 0;
    for (const auto& [layer, end] : own.ends) {
        auto of = std::find_if(layers.begin(), layers.end(), [&name = layer](const LostUpdateShare& each) { return each.layer == name; });
        if (of == layers.end()) of = layers.insert(layers.end(), {layer, 0, 0});
        for (; i < end && i < wide.moves.size(); ++i) {
            of->meant += wide.moves[i] ? 1 : 0;
            of->lost += wide.moves[i] && !own.moves[i] ? 1 : 0;
        }
    }
    for (const LostUpdateShare& each : layers) all.meant += each.meant, all.lost += each.lost;
    const auto worst = std::max_element(layers.begin(), layers.end(), [](const auto& a, const auto& b) { return a.share() < b.share(); });
    // FP32 masters lose no updates; other roundings lose none on average
    const bool canLose = isPure(settings.precision.policy) && settings.precision.weightUpdate == WeightUpdate::NearestEven;
    if (canLose && all.share() >= kLostUpdates)
        appendFinding(findings, SilentKind::UpdatesLost, all.share());
    else if (canLose && worst != layers.end() && worst->share() >= kLostUpdates)
        findings.push_back({.kind = SilentKind::UpdatesLost, .layer = worst->layer, .tensor = "", .value = worst->share()});
    const OptimizerSettings& optimizer = settings.optimizer;
    // Lion uses signs only, Muon divides a matrix by its norm; Adam divides by the gradients' size, unless they are near its epsilon.
    const double rms = settings.clipGradNorm.value_or(0) / std::sqrt(static_cast<double>(std::max<std::size_t>(1, own.moves.size())));
    const bool matters = optimizer.hasSecondMoments() ? rms < kNearEpsilon * optimizer.epsilon : optimizer.kind != "lion";
    if (own.leftByClipping < kLeftByClipping && matters) appendFinding(findings, SilentKind::Clipped, own.leftByClipping);
}

/// Finds outliers and flushed weights. `trainer`: before the step.
void judgeWeights(std::vector<SilentFinding>& findings, const Trainer& trainer) {
    const Plan& plan = trainer.plan();
    const std::vector<NamedTensor> weights = trainer.weights();
    for (std::size_t t = 0; t < plan.parameterBuffers.size(); ++t) {
        const NamedTensor& weight = weights[t];
        std::int64_t nonZero = 0, small = 0, flushed = 0;
        const Dtype format = computeDtype(plan.policy, OpKind::Linear, layerOf(weight.name), Dtype::F32);
        for (const float w : weight.values) {
            const double magnitude = std::abs(static_cast<double>(w));
            nonZero += w != 0 ? 1 : 0;
            small += w != 0 && magnitude < facts(format).minNormal ? 1 : 0;
            flushed += w != 0 && magnitude <= facts(format).flushBelow ? 1 : 0;
        }
        const double outlier = outlierOf(weight.values);
        if (outlier > kOutlier) appendFinding(findings, SilentKind::WeightOutlier, outlier, weight.name);
        if (weight.shape.size() < 2 || nonZero == 0 || isFp8(format)) continue;  // biases begin at 0, and fp8 has a scale of its own
        const double share = static_cast<double>(small) / static_cast<double>(nonZero);
        if (flushed == nonZero) {
            appendFinding(findings, SilentKind::AllZero, 1, weight.name + " as " + std::string(facts(format).name));
        } else if (share >= kFlushedWeights) {
            appendFinding(findings, SilentKind::WeightsFlushed, share, weight.name);
        }
    }
}

/// Finds failures that occur in FP32 too. `gradients`: of all parameters in order; `loss`: of this step. Both in FP32.
void judgeWide(std::vector<SilentFinding>& findings, const StepTensors& wide, const Trainer& trainer, const std::vector<float>& gradients,
               double loss) {
    if (!(loss > kLearned)) return;
    for (const StepTensor& each : wide) {
        if (each.role != TensorRole::Value || each.values.empty()) continue;
        const bool isAllZero = std::all_of(each.values.begin(), each.values.end(), [](float v) { return v == 0; });
        if (isAllZero && !isActivation(each.operation) && each.operation != "causal_mask") {
            appendFinding(findings, SilentKind::AllZero, 0, each.tensor);
            break;
        }
        if (!isActivation(each.operation)) continue;
        const auto atLimit = std::count_if(each.values.begin(), each.values.end(), [&](float y) { return isAtLimit(each.operation, y); });
        const double share = static_cast<double>(atLimit) / static_cast<double>(each.values.size());
        if (share >= kSaturated) appendFinding(findings, SilentKind::Saturated, share, each.tensor);
    }
    const Plan& plan = trainer.plan();
    std::vector<std::string> without;
    auto first = gradients.begin();
    for (const int buffer : plan.parameterBuffers) {
        const Buffer& parameter = plan.buffers[static_cast<std::size_t>(buffer)];
        const auto end = first + elementCount(parameter.shape);
        if (std::all_of(first, end, [](float g) { return g == 0; })) without.push_back(parameter.name);
        first = end;
    }
    if (!without.empty()) appendFinding(findings, SilentKind::NoGradient, static_cast<double>(without.size()), without.front());
}

/// Finds a learning rate so low that FP32's update does not change weights with a gradient.
void judgeRate(std::vector<SilentFinding>& findings, const StepMoves& wide, const std::vector<float>& gradients, double loss) {
    if (!(loss > kLearned)) return;
    std::int64_t meant = 0, moved = 0;
    for (std::size_t i = 0; i < gradients.size() && i < wide.moves.size(); ++i) {
        meant += gradients[i] != 0 ? 1 : 0;
        moved += gradients[i] != 0 && wide.moves[i] ? 1 : 0;
    }
    const double share = meant == 0 ? 0 : 1 - static_cast<double>(moved) / static_cast<double>(meant);
    if (share >= kStanding) appendFinding(findings, SilentKind::NothingMoves, share);
}

/// A validation that is not finite. With a separate evaluation format the failing tensor is searched in the training batch.
std::optional<SilentFinding> failingValidation(StepTrials& trials, const std::vector<std::string>& brokenStatistics) {
    const TrainingSettings& own = trials.settings();
    Trainer& trainer = trials.trainer();
    trials.setUp(own, std::nullopt);
    const std::optional<Trainer::Validation> validation = trainer.validation();
    if (!validation || std::isfinite(validation->loss)) return std::nullopt;
    SilentFinding finding{.kind = SilentKind::ValidationFails, .layer = "", .tensor = ""};
    if (own.evalPrecision.empty()) return finding;
    trials.setUp(trials.settingsOf({.policy = own.evalPrecision}), 1);
    Provenance provenance(trainer.plan(), brokenStatistics);
    const Trainer::Observer observer{.at = std::bind_front(&Provenance::observe, &provenance)};
    trainer.tryStep(&observer);
    if (!provenance.isForwardFinite())
        std::tie(finding.layer, finding.tensor) = std::pair(provenance.card().layer, provenance.card().tensor);
    return finding;
}

}  // namespace

void judgeGradients(std::vector<SilentFinding>& findings, const TrainingSettings& settings, const Trial& trial, bool hasLearned) {
    if (settings.unscale == "after_clip" && settings.clipGradNorm && trial.scale > 1)
        appendFinding(findings, SilentKind::ClippedScaled, *settings.clipGradNorm / trial.scale);
    else if (hasLearned)
        return;
    else if (trial.flushedShare == 1)
        appendFinding(findings, SilentKind::GradientsAllZero, 1);
    else if (trial.flushedShare >= kFlushed)
        appendFinding(findings, SilentKind::GradientsFlushed, trial.flushedShare);
    else if (trial.difference >= kForeignGradients)
        appendFinding(findings, SilentKind::GradientsDiffer, trial.difference);
}

void judgeLoss(std::vector<SilentFinding>& findings, const RunPast& past) {
    const bool isFarHigher = past.latestMean >= kGrownLoss * past.highestLoss && past.latestMean > past.firstLoss;
    const bool staysHigher = past.steps >= kStepsToProgress && past.latestMean > kHigher * std::max(past.highestLoss, past.firstMean);
    if (isFarHigher || staysHigher) appendFinding(findings, SilentKind::LossHasGrown, past.latestMean / past.highestLoss);
}

double outlierOf(const std::vector<float>& values) {
    double largest = 0, squares = 0;  // `squares`: without the largest
    for (const float w : values) {
        const double magnitude = std::abs(static_cast<double>(w)), smaller = std::min(magnitude, largest);
        squares += smaller * smaller;
        largest = std::max(largest, magnitude);
    }
    const double others = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(2, values.size()) - 1));
    return others > 0 ? largest / others : 0;
}

std::vector<SilentFinding> defeatingSettings(const TrainingSettings& settings, std::int64_t step) {
    const OptimizerSettings& optimizer = settings.optimizer;
    const ModelSettings& model = settings.model;
    const bool isAdam = optimizer.hasSecondMoments(), isSgd = optimizer.kind == "sgd";
    const double decayed = optimizer.lr * optimizer.weightDecay;
    // A rate that ends near 0 is usual, one that is there in the middle of the run already is not.
    const bool isAtTheEnd = static_cast<double>(step) >= 0.9 * static_cast<double>(settings.steps);
    const auto rateAt = [&](std::int64_t at) { return scheduleFactor(optimizer.schedule, at, settings.steps); };
    const double rate = rateAt(step), least = isAtTheEnd ? rateAt(settings.steps / 2) : rate;
    const bool isWarmingUp = step < optimizer.schedule.warmupSteps && optimizer.schedule.warmupSteps < settings.steps;
    const bool takesTokens = mantissa::takesTokens(model.kind);
    std::vector<SilentFinding> found;
    const auto note = [&](bool isIt, const char* pointer, double value) {
        if (isIt) found.push_back({.kind = SilentKind::SettingDefeats, .layer = "", .tensor = pointer, .value = value});
    };
    note(model.labelSmoothing == 1, "/model/label_smoothing", 1);
    note(model.dropout >= 0.9, "/model/dropout", model.dropout);
    note(takesTokens && model.maskValue > -10, "/model/mask", model.maskValue);
    note(model.normEpsilon() >= 1e3, "/model/norm_eps", model.normEpsilon());
    note((isSgd || optimizer.kind == "muon") && optimizer.momentum >= 1, "/optimizer/momentum", optimizer.momentum);
    note(isSgd && optimizer.momentum > 0 && optimizer.dampening >= 1, "/optimizer/dampening", optimizer.dampening);
    note(decayed >= 0.1, "/optimizer/weight_decay", decayed);
    note(isAdam && optimizer.epsilon >= 0.1, "/optimizer/eps", optimizer.epsilon);
    note(optimizer.lr == 0, "/optimizer/lr", 0);
    note(optimizer.lr > 0 && least < 1e-3 && !isWarmingUp, "/optimizer/schedule", least);
    note(rate >= 100, "/optimizer/schedule", rate);
    return found;
}

bool hasNoProgress(const RunPast& past, const Trainer& trainer) {
    const bool hasLearned = past.firstMean < kLearned;
    const bool isGuessing = past.latestMean > kBelowGuessing * lossOfGuessing(trainer.classes());
    const bool hasLittleToLearn = !trainer.settings().init.weights.empty() && !isGuessing;
    return past.steps >= kStepsToProgress && !hasLearned && !hasLittleToLearn && past.latestMean >= kNoProgress * past.firstMean;
}

std::vector<SilentFinding> findWhatIsLost(StepTrials& trials, std::vector<Trial>& tried, const RunPast& past,
                                          const std::vector<std::string>& brokenStatistics, const std::function<bool()>& isStopped) {
    const TrainingSettings &own = trials.settings(), wide = trials.settingsOf({.policy = "fp32"});
    Trainer& trainer = trials.trainer();
    const auto setUpWide = [&] { trials.setUp(wide, 1); };
    trials.setUp(own, std::nullopt);
    const std::int64_t step = trainer.nextStep();
    std::vector<SilentFinding> findings = defeatingSettings(own, step);
    judgeLoss(findings, past);
    judgeWeights(findings, trainer);
    const StepTensors used = readStepTensors(trainer);
    setUpWide();
    const StepTensors inFp32 = readStepTensors(trainer);
    const bool hasLearned = tried.front().loss <= kLearned * past.firstLoss;  // what is left of the loss is rounding
    if (!hasLearned) compareTensors(findings, used, inFp32);
    if (isStopped()) return findings;
    tried.push_back(trials.repeatAsReference());
    const double loss = tried.back().loss;
    trials.setUp(own, std::nullopt);
    trials.compare(tried.front(), trainer.tryStep().gradients);
    judgeGradients(findings, own, tried.front(), hasLearned);
    if (isStopped()) return findings;
    trials.setUp(own, std::nullopt);
    const StepMoves moves = movesOfNextStep(trainer);
    setUpWide();
    const StepMoves movesInFp32 = movesOfNextStep(trainer);
    compareUpdates(findings, own, moves, movesInFp32);
    judgeWide(findings, inFp32, trainer, trials.referenceGradients(), loss);
    if (scheduleFactor(own.optimizer.schedule, step, own.steps) >= kFullRate)
        judgeRate(findings, movesInFp32, trials.referenceGradients(), loss);
    if (isStopped()) return findings;
    if (auto finding = failingValidation(trials, brokenStatistics)) findings.push_back(*std::move(finding));
    if (hasNoProgress(past, trainer)) appendFinding(findings, SilentKind::NoProgress, past.latestMean / past.firstMean);
    return findings;
}

}  // namespace mantissa
