// SPDX-License-Identifier: Apache-2.0
// The order of a step, in `Trainer::step`; its parts are in trainer_impl.h.
#include "engine/training/trainer.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "engine/training/optimizer_plan.h"
#include "engine/training/trainer_impl.h"
#include "kernels/dtype/rounding.h"
#include "kernels/random/philox.h"

namespace mantissa {
namespace {

bool isAnotherRun(const TrainingSettings& a, const TrainingSettings& b) {
    return a.model != b.model || a.data != b.data || a.init != b.init || a.optimizer.kind != b.optimizer.kind;
}

/// Whether the change needs other plans.
bool needsPlan(const TrainingSettings& next, const TrainingSettings& now) {
    OptimizerSettings planned = next.optimizer;  // rate and schedule reach the plan through the step scalars
    planned.lr = now.optimizer.lr;
    planned.schedule = now.optimizer.schedule;
    return next.precision != now.precision || next.loss != now.loss || next.evalPrecision != now.evalPrecision ||
           next.accumulate != now.accumulate || next.zeroGrad != now.zeroGrad || planned != now.optimizer;
}

std::int32_t startToken(const Vocabulary& vocabulary) {
    const auto newline = std::find(vocabulary.characters.begin(), vocabulary.characters.end(), U'\n');
    if (vocabulary.isBytes()) return '\n';
    return newline == vocabulary.characters.end() ? 0 : static_cast<std::int32_t>(newline - vocabulary.characters.begin());
}

/// Samples a token from softmax(logits / temperature) by `unit` in [0, 1); nothing if a logit is not finite.
std::optional<std::int32_t> draw(std::span<const float> logits, double temperature, double unit) {
    const auto largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
    std::vector<double> sums;
    double sum = 0;
    for (const float logit : logits) sums.push_back(sum += std::exp((static_cast<double>(logit) - largest) / temperature));
    if (!std::isfinite(sum) || !std::isfinite(largest)) return std::nullopt;
    const auto place = std::upper_bound(sums.begin(), sums.end() - 1, unit * sum);
    return static_cast<std::int32_t>(place - sums.begin());
}

}  // namespace

StepRecord Trainer::Impl::beginRecord() const {
    StepRecord record;
    record.step = counters.nextStep;
    record.lossScale = static_cast<double>(scaler.scale());
    record.lr = lr();
    record.flags = counters.flagsForNext;
    return record;
}

void Trainer::Impl::finishStep(StepRecord& record, const StepOutcome& outcome, ScaleChange change, double seconds) {
    const bool skipped = outcome.skipped != 0, foundInf = outcome.foundInf != 0;
    counters.skippedTotal += skipped ? 1 : 0;
    counters.optimizerStep += skipped ? 0 : 1;
    counters.hasMomentum = counters.hasMomentum || (!skipped && usesMomentum(settings.optimizer));
    counters.scheduleStep += skipped && settings.optimizer.schedule.onSkip == "hold" ? 0 : 1;
    counters.nextMicroBatch += settings.accumulate;
    counters.nextStep += 1;
    counters.flagsForNext = 0;
    // A measured step runs the parts of groups alone, so it does not load what the device would then run without the host.
    hasStepped = hasStepped || measuresAhead() || !measuresAt(instrumentation, record.step);
    record.samples = counters.nextMicroBatch * settings.data.batchSize;
    record.epoch = static_cast<double>(record.samples) / static_cast<double>(dataset->trainCount());
    record.lossScale = static_cast<double>(outcome.scale);
    record.gradNorm = static_cast<double>(outcome.gradNorm);
    record.skippedTotal = counters.skippedTotal;
    record.stepMs = seconds * 1e3;
    record.samplesPerSecond = static_cast<double>(settings.accumulate * settings.data.batchSize) / seconds;
    record.memoryBytes = plan().memory.total();
    record.flags |= (skipped ? kFlagSkipped : 0u) | (foundInf ? kFlagFoundInf : 0u) |
                    (std::isfinite(record.loss) ? 0u : kFlagLossNonFinite) |
                    (std::isfinite(record.gradNorm) ? 0u : kFlagGradNormNonFinite) | (change == ScaleChange::Grown ? kFlagScaleGrew : 0u) |
                    (change == ScaleChange::BackedOff ? kFlagScaleBackedOff : 0u);
}

StepRecord Trainer::step() {
    Impl& t = *m_impl;
    const Impl::Clock::time_point start = Impl::Clock::now();
    StepRecord record = t.beginRecord();

    t.queue->mark(Queue::Mark::Begin);
    t.writeScalars();
    const bool measures = measuresAt(t.instrumentation, record.step);
    t.forwardAndBackward(measures);
    t.unscaleAndCheck();
    const StepScalars scalars = t.readScalars();  // the only wait; a non-finite step is inspected before its update
    record.loss = t.meanLoss();
    const bool foundInf = scalars.foundInf != 0;
    if (foundInf || !std::isfinite(record.loss) || !std::isfinite(scalars.gradNorm)) {
        if (t.keepsNonFiniteSteps) t.keepNonFiniteStep();
        if (!t.first) t.findFirstNonFinite();
    }
    t.update(measures);  // or skips itself, see StepScalars.skipped
    t.queue->mark(Queue::Mark::End);
    t.queue->wait();
    const float scale = t.scaler.scale();
    const ScaleChange change = t.scaler.update({foundInf, scalars.gradAbsMax});
    if (measures) t.statsStep = record.step, t.statsScale = record.lossScale;
    t.faults.takeBack(t.memory, *t.dataset);
    t.finishStep(record,
                 {.lr = record.lr,
                  .gradNorm = scalars.gradNorm,
                  .gradAbsMax = scalars.gradAbsMax,
                  .scale = scale,
                  .foundInf = foundInf ? 1 : 0,
                  .skipped = scalars.skipped != 0 ? 1 : 0},
                 change, t.queue->secondsBetweenMarks());
    if (t.validatesAfter(record.step)) t.validate(record);
    t.counters.wallSeconds += Impl::secondsBetween(start, Impl::Clock::now());
    record.wallSeconds = t.counters.wallSeconds;
    return record;
}

std::int64_t Trainer::classes() const {
    return learnsClasses(m_impl->settings.model.kind) ? shapeOf(*m_impl->dataset).classes : 0;
}

std::optional<Trainer::Validation> Trainer::validation() {
    Impl& t = *m_impl;
    if (t.dataset->validationCount() == 0) return std::nullopt;
    const auto known = t.first;  // only validations during training set the first non-finite value
    StepRecord record;
    t.validate(record);
    t.first = known;
    return Validation{record.validationLoss, record.validationAccuracy};
}

// ---- Creation and changes ----

void Trainer::Impl::setWeights(const std::vector<NamedTensor>& initial) {
    const auto valuesOf = [&](int buffer) -> const std::vector<float>& {
        const Buffer& wanted = plan().buffers[static_cast<std::size_t>(buffer)];
        const auto found =
            std::find_if(initial.begin(), initial.end(), [&](const NamedTensor& tensor) { return tensor.name == wanted.name; });
        if (found == initial.end()) throw std::invalid_argument("initial weights lack '" + wanted.name + "'");
        if (found->shape == wanted.shape) return found->values;
        throw std::invalid_argument("initial weight '" + wanted.name + "' is " + shapeText(found->shape) + ", not " +
                                    shapeText(wanted.shape));
    };
    std::vector<float> flat;
    for (const int parameter : plan().parameterBuffers) {
        const std::vector<float>& values = valuesOf(parameter);
        flat.insert(flat.end(), values.begin(), values.end());
    }
    storeWeights(flat);
    for (const int statistic : plan().statisticBuffers) {
        const std::vector<float>& values = valuesOf(statistic);
        backend->copyIn(*queue, executor().address(statistic), values.data(), values.size() * sizeof(float));
    }
}

void Trainer::Impl::drawWeights() {
    const std::vector<ParameterShape> shapes = parameterShapes(settings.model, shapeOf(*dataset));
    std::vector<NamedTensor> drawn;
    for (std::size_t i = 0; i < shapes.size(); ++i)
        drawn.push_back({shapes[i].name, shapes[i].shape, initialValues(shapes, i, settings.init.seed)});
    setWeights(drawn);
}

Trainer::Trainer(const TrainingSettings& settings, std::shared_ptr<const Dataset> dataset, std::shared_ptr<Backend> backend,
                 const std::vector<NamedTensor>* initial)
    : m_impl(std::make_unique<Impl>(settings, std::move(dataset), std::move(backend))) {
    if (initial != nullptr) {
        m_impl->setWeights(*initial);
    } else {
        m_impl->drawWeights();
    }
}

Trainer::~Trainer() = default;

void Trainer::change(const TrainingSettings& next) {
    Impl& t = *m_impl;
    const TrainingSettings& now = t.settings;
    if (isAnotherRun(next, now)) throw std::invalid_argument("model, data, init and the optimizer's kind are fixed for the life of a run");
    if (needsPlan(next, now)) {
        t.adoptPlans(next, t.counters.hasMomentum);
        t.counters.flagsForNext |= kFlagSwitchedPlan;
    }
    if (next.scaler != now.scaler) t.scaler.reconfigure(next.scaler);
    t.settings = next;
    t.counters.flagsForNext |= kFlagSettingChanged;
}

Snapshot Trainer::snapshot() const {
    return m_impl->snapshot();
}

std::int64_t Trainer::snapshotBytes() const {
    return m_impl->memory.lastingBytes();
}

void Trainer::restore(const Snapshot& snapshot) {
    Impl& t = *m_impl;
    if (isAnotherRun(snapshot.settings, t.settings))
        throw std::invalid_argument("the snapshot is of a run with another model, data, init or optimizer");
    t.faults.takeBack(t.memory, *t.dataset);
    const bool keepsMomentum = snapshot.counters.planKeepsMomentum;
    if (needsPlan(snapshot.settings, t.settings) || keepsMomentum != t.counters.planKeepsMomentum)
        t.adoptPlans(snapshot.settings, keepsMomentum);
    t.memory.restoreLasting(snapshot.memory);
    t.settings = snapshot.settings;
    t.scaler = LossScaler(snapshot.settings.scaler);
    t.scaler.restore(snapshot.scaler);
    t.counters = snapshot.counters;
    t.first = snapshot.first;
    t.statsStep = -1;
}

void Trainer::setLossScale(double scale) {
    m_impl->scaler.setScale(scale);
    m_impl->counters.flagsForNext |= kFlagSettingChanged;
}

float Trainer::injectInput(float value) {
    return m_impl->putIntoNextSample(Arena::Inputs, m_impl->dataset->features, value);
}

float Trainer::injectLabel(float value) {
    const Dataset& data = *m_impl->dataset;
    if (data.kind != DataKind::Regression || !learnsTargets(m_impl->settings.model.kind))
        throw std::invalid_argument("only the targets of a regression are numbers that another can stand in for");
    return m_impl->putIntoNextSample(Arena::Labels, data.targets, value);
}

void Trainer::injectTensor(const TensorInjection& injection) {
    m_impl->faults.add(injection, m_impl->plan());
    m_impl->counters.flagsForNext |= kFlagSettingChanged;
}

std::int64_t Trainer::nextStep() const {
    return m_impl->counters.nextStep;
}

double Trainer::trainedSeconds() const {
    return m_impl->counters.wallSeconds;
}
const TrainingSettings& Trainer::settings() const {
    return m_impl->settings;
}
const LossScaler& Trainer::scaler() const {
    return m_impl->scaler;
}
const Plan& Trainer::plan() const {
    return m_impl->plan();
}
const Policy& Trainer::policy() const {
    return m_impl->plan().policy;
}
std::int64_t Trainer::allocatedBytes() const {
    return m_impl->memory.allocatedBytes() + (m_impl->deviceSteps != nullptr ? m_impl->deviceSteps->deviceBytes() : 0);
}
std::optional<FirstNonFinite> Trainer::firstNonFinite() const {
    return m_impl->first;
}

/// Begins after a newline, or the first token if the vocabulary has none. Each sample is a function of logits, seed, stream and position.
/// Ends early at non-finite logits, and after a second.
std::string Trainer::sampleText(std::int64_t tokens) const {
    Impl& t = *m_impl;
    if (t.dataset->kind != DataKind::Tokens || tokens == 0) return {};
    constexpr std::chrono::seconds kLongest(1);
    constexpr double kTemperature = 0.8;  // nanoGPT's
    const TokenData& data = t.dataset->tokens;
    const auto stream = static_cast<std::uint32_t>(t.counters.nextStep);  // another stream gives another text
    const ReadyPlan& ready = t.memory.sampling();
    const Plan& plan = *ready.plan;
    const auto context = static_cast<std::size_t>(data.context), vocabulary = static_cast<std::size_t>(data.vocabulary.size());
    const Dtype dtype = *plan.buffers[static_cast<std::size_t>(plan.logits)].dtype;
    const std::size_t bytes = facts(dtype).storageBytes();
    const auto* logitsAt = static_cast<const std::byte*>(ready.executor->address(plan.logits));
    std::vector<std::byte> stored(vocabulary * bytes);
    std::vector<std::int32_t> text{startToken(data.vocabulary)};
    std::vector<float> logits(vocabulary);
    const DeviceMemory& window = t.memory.samplingWindow();  // unused rows hold token 0, not earlier text
    t.backend->fillZero(*t.queue, window.data(), static_cast<std::size_t>(window.bytes()));
    ready.writeIndices(*t.backend, *t.queue, {0});
    ready.executor->run(*t.queue, 0, plan.prologueEnd);
    const auto end = Impl::Clock::now() + kLongest;
    for (std::int64_t i = 0; i < tokens && Impl::Clock::now() < end; ++i) {
        // rows after the last token have no effect, since attention is causal
        const std::size_t length = std::min(text.size(), context);
        t.backend->copyIn(*t.queue, window.data(), text.data() + (text.size() - length), length * sizeof(std::int32_t));
        ready.executor->run(*t.queue, plan.prologueEnd, plan.forwardEnd);
        t.backend->copyOut(*t.queue, stored.data(), logitsAt + (length - 1) * stored.size(), stored.size());
        t.queue->wait();
        for (std::size_t j = 0; j < vocabulary; ++j) {
            std::uint32_t code = 0;
            std::memcpy(&code, stored.data() + j * bytes, bytes);
            logits[j] = decodeBits(dtype, code);
        }
        const std::uint32_t bits = randomBits(t.settings.init.seed, RandomUse::TextSample, stream, static_cast<std::uint64_t>(i));
        const std::optional<std::int32_t> next = draw(logits, kTemperature, static_cast<double>(bits) * 0x1p-32);
        if (!next) break;
        text.push_back(*next);
    }
    return data.vocabulary.decode(std::span(text).subspan(1));
}

void Trainer::resetStatistics() {
    Impl& t = *m_impl;
    if (t.plan().statisticBuffers.empty()) throw std::invalid_argument("the model has no running statistics");
    const std::vector<ParameterShape> shapes = parameterShapes(t.settings.model, shapeOf(*t.dataset));
    for (const int index : t.plan().statisticBuffers) {
        const Buffer& statistic = t.plan().buffers[static_cast<std::size_t>(index)];
        const auto shape = std::find_if(shapes.begin(), shapes.end(), [&](const auto& each) { return each.name == statistic.name; });
        const std::vector<float> values = initialValues(shapes, static_cast<std::size_t>(shape - shapes.begin()), t.settings.init.seed);
        t.backend->copyIn(*t.queue, t.executor().address(index), values.data(), values.size() * sizeof(float));
    }
    t.queue->wait();
}

std::vector<NamedTensor> Trainer::weights() const {
    Impl& t = *m_impl;
    const std::vector<float> flat = t.numbersOf(Arena::Masters);
    const Dtype stored = t.plan().policy.weights;
    std::vector<NamedTensor> tensors;
    for (std::size_t i = 0; i < t.plan().parameterBuffers.size(); ++i) {
        const Buffer& parameter = t.plan().buffers[static_cast<std::size_t>(t.plan().parameterBuffers[i])];
        tensors.push_back(
            {parameter.name, parameter.shape, {flat.begin() + t.plan().segments[i], flat.begin() + t.plan().segments[i + 1]}, stored});
    }
    for (const int index : t.plan().statisticBuffers) {
        const Buffer& statistic = t.plan().buffers[static_cast<std::size_t>(index)];
        std::vector<float> values(static_cast<std::size_t>(elementCount(statistic.shape)));
        t.backend->copyOut(*t.queue, values.data(), t.executor().address(index), values.size() * sizeof(float));
        t.queue->wait();
        tensors.push_back({statistic.name, statistic.shape, std::move(values)});
    }
    return tensors;
}

}  // namespace mantissa
