// SPDX-License-Identifier: Apache-2.0
#include "engine/attach/watched_run.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "engine/attach/probe_source.h"
#include "engine/attach/watched_tensors.h"
#include "engine/attach/watched_verdict.h"
#include "engine/diagnosis/tensor_shares.h"
#include "engine/precision/policy.h"
#include "engine/telemetry/number_format.h"
#include "kernels/dtype/dtype.h"

namespace mantissa {
namespace {

constexpr std::size_t kMostRecords = 256, kMostFacts = 4'000'000, kMostProblems = 20, kMostLayers = 2000;
constexpr double kMostScale = 0x1p127;

void addProblem(WatchInfo& watch, const std::string& sentence) {
    const bool isNew = !sentence.empty() && std::find(watch.problems.begin(), watch.problems.end(), sentence) == watch.problems.end();
    if (isNew && watch.problems.size() < kMostProblems) watch.problems.push_back(sentence);
}

WatchLink openLink(const std::string& place) {
    return isProbeFile(place) ? WatchLink::Followed : WatchLink::Connected;
}

std::string modelText(const ProbeHello& hello) {
    std::string text = hello.model + ", " + groupedText(hello.parameters) + " parameters; PyTorch " + hello.torch;
    if (!hello.device.empty()) text += " on " + hello.device;
    return text;
}

/// Whether the step's first non-finite tensor did no harm: what is known of its loss and gradient norms is finite. A mask's infinities are
/// such, another model's gradients, an output that nothing depends on. A gradient does harm unless an optimizer has stepped with a finite
/// norm. The probe has the same rule (did_no_harm in messages.py).
bool isHarmless(const ProbeStep& step) {
    std::vector<double> known;
    if (step.loss) known.push_back(*step.loss);
    bool hasStepped = step.optimizers.empty();
    for (const OptimizerStep& each : step.optimizers) {
        if (each.gradNorm) known.push_back(*each.gradNorm);
        hasStepped |= each.isStepped;
    }
    return !known.empty() && std::all_of(known.begin(), known.end(), [](double number) { return std::isfinite(number); }) &&
           (step.firstBad->role == TensorRole::Value || hasStepped);
}

double rateOf(const ProbeStep& step) {
    return step.samples > 0 && step.stepSeconds > 0 ? static_cast<double>(step.samples) / step.stepSeconds : kUnknown;
}

/// Settings known to the probe, for code that judges a run by its settings.
RunSettings settingsOf(const std::string& name, const ProbeHello& hello) {
    RunSettings settings;
    settings.name = name;
    settings.isScalerChosen = true;
    if (!hello.hasScaler) return settings;
    ScalerSettings& scaler = settings.training.scaler;
    scaler.preset = "pytorch";
    const auto set = [](std::optional<double>& to, double value, double least, double most) {
        if (value > least && value < most) to = value;  // else the preset's value, as a custom scaler may have any
    };
    set(scaler.initScale, hello.initScale, 0, kMostScale);
    set(scaler.growthFactor, hello.growthFactor, 1, kMostScale);
    set(scaler.backoffFactor, hello.backoffFactor, 0, 1);
    if (hello.growthInterval > 0) scaler.growthInterval = hello.growthInterval;
    return settings;
}

/// Approximate memory.
std::size_t bytesOf(const StepStats& statistics) {
    std::size_t bytes = sizeof statistics;
    for (const TensorStats& tensor : statistics.tensors)
        bytes += sizeof tensor + tensor.tensor.size() + tensor.layer.size() + tensor.magnitudes.cells.size() * sizeof(Histogram::Cell) +
                 tensor.sketch.size() * sizeof(float);
    return bytes;
}

}  // namespace

WatchedRun::WatchedRun(RunId id, const std::string& name, const ProbeHello& hello, const std::string& place, Sink sink)
    : m_sink(std::move(sink)) {
    m_info.id = id;
    m_info.kind = RunKind::Watched;
    m_info.origin = place;
    m_info.settings = settingsOf(name, hello);
    m_info.scalerPreset = hello.hasScaler ? "pytorch" : "none";
    m_info.scalerIsDynamic = hello.hasScaler;
    m_info.modelText = modelText(hello);
    m_info.watch = {.link = openLink(place),
                    .key = hello.run,
                    .process = hello.host + (hello.pid > 0 ? ", process " + std::to_string(hello.pid) : ""),
                    .rank = hello.rank,
                    .world = hello.world};
    m_nextScale = hello.hasScaler ? hello.initScale : 1;
    for (const ProbeModule& module : hello.modules)
        if (!module.path.empty() && m_info.layers.size() < kMostLayers)
            m_info.layers.push_back({.layer = module.path, .operation = module.cls, .format = {}});
    setPolicy(std::nullopt);
}

WatchedRun::WatchedRun(const RunInfo& info, Sink sink) : m_info(info), m_sink(std::move(sink)), m_nextStep(info.firstStep) {
    if (isOpen(m_info.watch.link)) m_info.watch.link = WatchLink::Lost;
}

void WatchedRun::emitInfo() {
    m_infoEmittedAt = m_seconds;
    flush();
    m_sink(RunChanged{m_info});
}

void WatchedRun::rename(const std::string& name) {
    m_info.settings.name = name;
    emitInfo();
}

void WatchedRun::take(ProbeMessage&& message) {
    std::visit([this](auto&& body) { take(std::move(body)); }, std::move(message));
}

void WatchedRun::disconnect(const std::string& problem) {
    if (m_info.watch.link == WatchLink::Ended && problem.empty()) return;
    if (isOpen(m_info.watch.link)) m_info.watch.link = WatchLink::Lost;
    addProblem(m_info.watch, problem);
    emitInfo();
}

/// The probe has reconnected.
void WatchedRun::take(const ProbeHello&) {
    const WatchLink link = openLink(m_info.origin);
    if (std::exchange(m_info.watch.link, link) != link) emitInfo();
}

void WatchedRun::take(TensorsDescribed&& described) {
    for (DescribedTensor& tensor : described.tensors) {
        const std::uint32_t id = tensor.id;
        m_tensors.insert_or_assign(id, std::move(tensor));
    }
}

/// Sets the format that autocast computes in, or without autocast that of the weights.
void WatchedRun::setPolicy(std::optional<Dtype> autocast) {
    m_autocast = autocast;
    std::string policy = autocast ? std::string(facts(*autocast).name) : "fp32";
    if (!autocast) {
        const auto narrow = std::find_if(m_tensors.begin(), m_tensors.end(), [](const auto& each) {
            return each.second.role == TensorRole::Weight && each.second.dtype != Dtype::F32;
        });
        if (narrow != m_tensors.end()) policy = "pure-" + std::string(facts(narrow->second.dtype).name);
    }
    m_info.policy = policy;
    const std::vector<std::string>& known = policyNames();  // settings accept only these names
    const bool isKnown = std::find(known.begin(), known.end(), policy) != known.end();
    m_info.settings.training.precision.policy = isKnown ? policy : std::string(facts(Dtype::F32).name);
}

StepRecord WatchedRun::recordOf(const ProbeStep& step) {
    m_seconds += step.stepSeconds;
    StepRecord record{.step = step.step,
                      .samples = -1,
                      .epoch = kUnknown,
                      .wallSeconds = m_seconds,
                      .loss = step.loss.value_or(kUnknown),
                      .validationLoss = kUnknown,
                      .validationAccuracy = kUnknown,
                      .lossScale = step.lossScale.value_or(1),
                      .gradNorm = kUnknown,
                      .lr = kUnknown,
                      .stepMs = step.stepSeconds * 1e3,
                      .samplesPerSecond = rateOf(step),
                      .memoryBytes = std::max<std::int64_t>(step.allocatedBytes >= 0 ? step.allocatedBytes : step.residentBytes, 0)};
    bool isSkipped = false, foundInf = false;
    std::optional<double> squares;  // of the known norms
    for (const OptimizerStep& optimizer : step.optimizers) {
        isSkipped |= optimizer.isSkipped;
        foundInf |= optimizer.hasFoundInf;
        const std::optional<double> norm = optimizer.gradNormBeforeClip ? optimizer.gradNormBeforeClip : optimizer.gradNorm;
        if (norm) squares = squares.value_or(0) + *norm * *norm;
    }
    if (squares) record.gradNorm = std::sqrt(*squares);
    if (!step.optimizers.empty()) record.lr = step.optimizers.front().lr;
    m_skipped += isSkipped ? 1 : 0;
    record.skippedTotal = m_skipped;
    if (isSkipped) record.flags |= kFlagSkipped;
    if (foundInf) record.flags |= kFlagFoundInf;
    if (step.loss && !std::isfinite(*step.loss)) record.flags |= kFlagLossNonFinite;
    if ((squares || foundInf) && !std::isfinite(record.gradNorm)) record.flags |= kFlagGradNormNonFinite;
    const double next = step.nextLossScale.value_or(record.lossScale);
    if (next > record.lossScale) record.flags |= kFlagScaleGrew;
    if (next < record.lossScale) record.flags |= kFlagScaleBackedOff;
    m_nextScale = next;
    m_cleanSteps = step.nextGrowthTracker;
    return record;
}

void WatchedRun::take(const ProbeStep& step) {
    if (!std::exchange(m_hasSteps, true) && step.step > 0 && m_nextStep == 0) {
        m_nextStep = m_info.firstStep = step.step;
        emitInfo();
    }
    if (step.step < m_nextStep) return;  // a repeated message
    if (step.autocast != m_autocast || m_nextStep == m_info.firstStep) {
        const std::string before = m_info.policy;
        setPolicy(step.autocast);
        if (before != m_info.policy) emitInfo();
    }
    const StepRecord record = recordOf(step);
    const bool isBad = isFlaggedBad(record) || (step.firstBad && !isHarmless(step));
    noteRow(step.step, isBad);
    const bool isForwardFinite =
        (record.flags & kFlagLossNonFinite) == 0 && !(isBad && step.firstBad && step.firstBad->role == TensorRole::Value);
    noteFact(record, isForwardFinite);
    m_nextStep = step.step + 1;
    m_records.push_back(record);
    double largest = 0;
    for (const auto& [id, magnitude] : step.magnitudes) {
        if (std::isfinite(magnitude) && isBoundByFp16(id, magnitude)) largest = std::max(largest, static_cast<double>(magnitude));
    }
    // A step without statistics measures some gradients only: these can raise the known maximum, not lower it.
    if (isLossScale(record.lossScale) && largest / record.lossScale > m_gradientMax && !isBad)
        noteGradient(step.step, largest / record.lossScale);
    if (m_info.watch.dropped != step.dropped || m_info.watch.statisticsPeriod != step.statisticsPeriod) {
        m_info.watch.dropped = step.dropped;
        m_info.watch.statisticsPeriod = step.statisticsPeriod;
        constexpr double kBetweenSeconds = 1;  // of training: these facts change with each message
        if (m_seconds - m_infoEmittedAt >= kBetweenSeconds) emitInfo();
    }
    if (isBad) examine(step, record);
    noteProgress(record);
    if (m_records.size() >= kMostRecords) flush();
}

bool WatchedRun::isFlaggedBad(const StepRecord& record) {
    return (record.flags & (kFlagSkipped | kFlagFoundInf | kFlagLossNonFinite | kFlagGradNormNonFinite)) != 0;
}

void WatchedRun::noteRow(std::int64_t step, bool isBad) {
    m_badInARow = isBad ? m_badInARow + 1 : 0;
    if (m_badInARow == 1) m_rowBegin = step;
}

void WatchedRun::noteProgress(const StepRecord& record) {
    constexpr std::size_t kMean = 10;
    constexpr double kGrownRate = 10;
    constexpr std::size_t kMostTaken = 100;
    if (std::isfinite(record.loss) && !record.skipped()) {
        m_takenLosses.push_back(record.loss);
        if (m_takenLosses.size() > kMostTaken) m_takenLosses.pop_front();
    }
    if (m_firstTaken < 0 && (!record.skipped() || m_info.firstStep > 0)) m_firstTaken = record.step;
    if (record.skipped() && m_firstTaken >= 0) {
        m_latestSkips.push_back(record.step);
        if (m_latestSkips.size() > static_cast<std::size_t>(WatchedEvidence::kLately)) m_latestSkips.pop_front();
    }
    if (std::isfinite(record.loss)) {
        m_latestLoss = record.loss;
        m_losses.push_back(record.loss);
        if (m_losses.size() > kMean) m_losses.pop_front();
        // The first loss is the usual one until there are ten.
        const double mean = std::accumulate(m_losses.begin(), m_losses.end(), 0.0) / static_cast<double>(m_losses.size());
        if (m_losses.size() == kMean || record.step == m_info.firstStep) m_usualLoss = std::fmin(m_usualLoss, mean);
    } else {
        m_losses.clear();
    }
    if (record.lr > kGrownRate * m_lr && m_lr > 0) m_lrBefore = m_lr, m_lrAfter = record.lr, m_lrStep = record.step;
    m_lr = record.lr;
}

void WatchedRun::noteFact(const StepRecord& record, bool isForwardFinite) {
    if (m_facts.size() >= kMostFacts) m_facts.erase(m_facts.begin(), m_facts.begin() + kMostFacts / 2);
    m_facts.push_back({.step = record.step,
                       .scale = isLossScale(record.lossScale) ? static_cast<float>(record.lossScale) : 0,
                       .isOverflow = isForwardFinite && (record.flags & kFlagFoundInf) != 0,
                       .isLost = !isForwardFinite && (record.flags & (kFlagFoundInf | kFlagLossNonFinite)) != 0});
}

bool WatchedRun::isBoundByFp16(std::uint32_t id, double largest) {
    const auto tensor = m_tensors.find(id);
    if (tensor == m_tensors.end() || !isGradient(tensor->second.role)) return false;
    if (isComputedInFp32(tensor->second.role, tensor->second.cls)) return false;
    if (isFp16() && largest > facts(Dtype::F16).maxFinite) m_wideTensors.insert(id);
    return !m_wideTensors.contains(id);
}

void WatchedRun::noteGradient(std::int64_t step, double largest) {
    const auto fact = std::ranges::lower_bound(m_facts, step, {}, &ScaleFact::step);
    if (fact == m_facts.end() || fact->step != step || !std::isfinite(largest)) return;
    float& known = fact->gradientMax;
    known = std::max(known, static_cast<float>(largest));
    if (known > 0 && step >= m_gradientStep) m_gradientMax = known, m_gradientStep = step;
}

void WatchedRun::take(const ProbeStatistics& statistics) {
    bool areGradientsKnown = true;
    StepStats stats{
        .step = statistics.step, .lossScale = statistics.lossScale, .tensors = {}, .isBeforeClipping = statistics.areBeforeClipping};
    std::map<std::uint32_t, std::size_t> places;
    double largest = 0;
    for (const CountedTensor& counted : statistics.tensors) {
        const auto described = m_tensors.find(counted.tensor);
        if (described == m_tensors.end()) continue;
        const DescribedTensor& tensor = described->second;
        const bool isScaled = tensor.role == TensorRole::Gradient         ? statistics.areGradientsScaled
                              : tensor.role == TensorRole::WeightGradient ? statistics.areWeightGradientsScaled
                                                                          : false;
        TensorStats seen{.tensor = tensor.name,
                         .layer = tensor.module,
                         .operation = tensor.cls,
                         .phase = phaseOf(tensor.role),
                         .role = tensor.role,
                         .storage = tensor.dtype,
                         .isScaled = isScaled,
                         .elements = counted.elements,
                         .classes = counted.classes,
                         .smallest = counted.smallest,
                         .magnitudes = counted.magnitudes,
                         .sketch = counted.sketch};
        const double unscaled = seen.classes.absMax / (isScaled ? statistics.lossScale : 1);
        areGradientsKnown &= !isGradient(tensor.role) || isLargestKnown(seen, statistics.lossScale);
        if (isGradient(tensor.role) && isBoundByFp16(counted.tensor, unscaled * statistics.lossScale))
            largest = std::max(largest, unscaled);
        const auto [place, isNew] = places.try_emplace(counted.tensor, stats.tensors.size());
        if (isNew)
            stats.tensors.push_back(std::move(seen));
        else
            stats.tensors[place->second] = std::move(seen);  // replaces an earlier micro-batch's
    }
    if (stats.tensors.empty()) return;
    flush();
    const auto examined = m_examinations.find(stats.step);
    if (areGradientsKnown) noteGradient(stats.step, largest);
    keep(stats);
    if (examined != m_examinations.end()) {
        ProvenanceCard& card = examined->second.card;
        for (const TensorStats& tensor : stats.tensors) {
            if (tensor.tensor != card.tensor) continue;
            card.nonFinite = tensor.classes.nonFinite();
            card.elements = tensor.elements;
        }
        m_sink(StepExamined{m_info.id, examined->second});
    }
    m_sink(ValuesMeasured{m_info.id, stats.step, tensorShares(stats)});
    m_sink(TensorsMeasured{m_info.id, std::move(stats), 0, false});
}

void WatchedRun::keep(const StepStats& statistics) {
    m_statisticsBytes += bytesOf(statistics);
    if (const auto before = m_statistics.find(statistics.step); before != m_statistics.end()) m_statisticsBytes -= bytesOf(before->second);
    m_statistics.insert_or_assign(statistics.step, statistics);
    while (m_statisticsBytes > kMostStatisticsBytes && m_statistics.size() > 2) {
        const auto second = std::next(m_statistics.begin());
        m_statisticsBytes -= bytesOf(second->second);
        m_statistics.erase(second);
    }
}

void WatchedRun::take(const ProbeProblem& problem) {
    const std::size_t before = m_info.watch.problems.size();
    for (const std::string& sentence : problem.sentences) addProblem(m_info.watch, sentence);
    if (m_info.watch.problems.size() > before) emitInfo();
}

void WatchedRun::take(const ProbeEnd& end) {
    m_info.watch.link = WatchLink::Ended;
    m_info.watch.dropped = end.dropped;
    emitInfo();
}

void WatchedRun::flush() {
    if (m_records.empty()) return;
    StepsRecorded steps{.run = m_info.id, .records = std::move(m_records), .nextScale = m_nextScale, .cleanSteps = m_cleanSteps};
    steps.allocatedBytes = steps.records.back().memoryBytes;
    m_records.clear();
    m_sink(std::move(steps));
}

}  // namespace mantissa
