// SPDX-License-Identifier: Apache-2.0
// The one place of step order. Read `Trainer::step` from top to bottom.
#include "engine/training/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "engine/data/batch_order.h"
#include "engine/training/audit.h"
#include "engine/training/injection.h"
#include "engine/training/optimizer_plan.h"
#include "engine/training/run_memory.h"
#include "engine/training/step_census.h"
#include "engine/training/text_sampler.h"

namespace mantissa {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

bool isAnotherRun(const TrainingSettings& a, const TrainingSettings& b) {
    return a.model != b.model || a.data != b.data || a.init != b.init || a.optimizer.kind != b.optimizer.kind;
}

/// Whether going from one to the other takes other plans.
bool needsPlan(const TrainingSettings& next, const TrainingSettings& now) {
    OptimizerSettings planned = next.optimizer;  // rate and schedule reach the plan through the step scalars
    planned.lr = now.optimizer.lr;
    planned.schedule = now.optimizer.schedule;
    return next.precision != now.precision || next.evalPrecision != now.evalPrecision || next.accumulate != now.accumulate ||
           next.zeroGrad != now.zeroGrad || planned != now.optimizer;
}

}  // namespace

struct Trainer::Impl {
    TrainingSettings settings;
    std::shared_ptr<const Dataset> dataset;
    std::shared_ptr<Backend> backend;
    std::unique_ptr<Queue> queue;
    RunMemory memory;
    LossScaler scaler;
    BatchOrder order;

    TrainingCounters counters;
    std::optional<FirstNonFinite> first;
    bool keepsBadSteps = false;
    std::optional<StepStart> badStep;
    std::vector<std::int32_t> batchIndices;
    Instrumentation instrumentation = Instrumentation::Off;
    std::int64_t censusStep = -1;  // of what lies in the plan's looks
    double censusScale = 1;
    StepFaults faults;  // of the next step

    Impl(const TrainingSettings& s, std::shared_ptr<const Dataset> d, std::shared_ptr<Backend> b)
        : settings(s),
          dataset(std::move(d)),
          backend(std::move(b)),
          queue(backend->createQueue()),
          memory(*backend, *queue, *dataset),
          scaler(settings.scaler),
          order(settings.data, *dataset),
          batchIndices(static_cast<std::size_t>(settings.data.batchSize)) {
        memory.adopt(buildPlans(settings, shapeOf(*dataset), *backend));
    }

    const Plan& plan() const { return memory.trainingPlan(); }
    Executor& executor() const { return *memory.training().executor; }

    double lr() const { return settings.optimizer.lr * scheduleFactor(settings.optimizer.schedule, counters.scheduleStep, settings.steps); }

    void writeScalars() {
        StepScalars scalars;
        scalars.lossGrad = static_cast<float>(scaler.scale() / static_cast<double>(settings.accumulate));
        scalars.inverseScale = scaler.inverseScale();
        scalars.lr = lr();
        scalars.maxGradNorm = static_cast<float>(settings.clipGradNorm.value_or(0));
        scalars.clipsScaled = settings.unscale == "after_clip" ? 1 : 0;
        scalars.skipOnFoundInf = scaler.skipsOnFoundInf() ? 1 : 0;
        scalars.overflowTest = scaler.overflowTest();
        scalars.optimizerStep = counters.optimizerStep;
        scalars.dropoutStep = counters.nextMicroBatch;
        scalars.hasMomentum = counters.hasMomentum ? 1 : 0;
        backend->copyIn(*queue, executor().address(plan().scalars), &scalars, sizeof scalars);
    }

    StepScalars readScalars() {
        StepScalars scalars;
        backend->copyOut(*queue, &scalars, executor().address(plan().scalars), sizeof scalars);
        queue->wait();
        return scalars;
    }

    /// Calls `pass(begin, isLast)` for each micro-batch of this step, with its samples in place. Can be repeated: a step's batches are a
    /// function of its number.
    template <typename Pass>
    void eachMicroBatch(Pass pass) {
        const DeviceMemory& gradients = memory.home(Home::Gradients);
        if (settings.accumulate > 1 && settings.zeroGrad)
            backend->fillZero(*queue, gradients.data(), static_cast<std::size_t>(gradients.bytes()));
        for (std::int64_t micro = 0; micro < settings.accumulate; ++micro) {
            const std::int64_t microBatch = counters.nextMicroBatch + micro;
            order.indices(microBatch, batchIndices.data());
            memory.training().writeIndices(*backend, *queue, batchIndices);
            auto* const scalars = static_cast<std::byte*>(executor().address(plan().scalars));
            if (micro > 0) backend->copyIn(*queue, scalars + offsetof(StepScalars, dropoutStep), &microBatch, sizeof microBatch);
            faults.arm(executor(), plan(), micro == 0);
            pass(micro == 0 ? 0 : plan().prologueEnd, micro == settings.accumulate - 1);
        }
    }

    /// Weight copies, forward, loss x scale, backward, added up over the micro-batches. Returns the unscaled mean loss.
    double forwardAndBackward(bool looks = false) {
        double loss = 0;
        eachMicroBatch([&](std::int64_t begin, bool isLast) {
            executor().run(*queue, begin, plan().backwardEnd, looks && isLast);
            loss += static_cast<double>(memory.training().readLoss(*backend, *queue));
        });
        return loss / static_cast<double>(settings.accumulate);
    }

    void unscaleAndCheck() { executor().run(*queue, plan().backwardEnd, plan().unscaleEnd); }
    void update(bool looks) { executor().run(*queue, plan().unscaleEnd, static_cast<std::int64_t>(plan().instructions.size()), looks); }

    /// Repeats the step under audit and names the first instruction whose output is not finite. Weights and optimizer are still as they
    /// were before the step; gradients and scalars come out as they were found.
    void findFirstNonFinite() {
        memory.restoreStatistics();
        eachMicroBatch([&](std::int64_t begin, bool) {
            if (!first) first = auditPasses(executor(), plan(), *queue, begin, plan().backwardEnd);
        });
        writeScalars();
        memory.restoreStatistics();
        forwardAndBackward();
        unscaleAndCheck();
        if (!first) first = auditGradients(executor(), plan(), *queue);
        first->step = counters.nextStep;
    }

    Snapshot snapshot() const {
        return {.settings = settings, .scaler = scaler.state(), .counters = counters, .first = first, .memory = memory.lasting()};
    }

    /// As the step began: only the running statistics have moved since.
    void keepBadStep() {
        const bool hasStatistics = plan().statisticsBefore >= 0;
        const std::vector<std::byte> now = hasStatistics ? memory.lasting() : std::vector<std::byte>();
        memory.restoreStatistics();
        badStep = {snapshot(), faults.faults()};
        if (hasStatistics) memory.restoreLasting(now);
    }

    void validate(StepRecord& record) {
        double loss = 0;
        std::int64_t correct = 0, done = 0;
        const std::int64_t count = dataset->validationCount();
        std::vector<std::int32_t> rows;
        while (done < count) {
            const ReadyPlan& whole = memory.evaluation().front();
            const ReadyPlan& chunk = count - done >= whole.rows ? whole : memory.evaluation().back();
            rows.resize(static_cast<std::size_t>(chunk.rows));
            for (std::size_t i = 0; i < rows.size(); ++i)
                rows[i] = static_cast<std::int32_t>((done + static_cast<std::int64_t>(i)) * dataset->sampleStride());
            chunk.writeIndices(*backend, *queue, rows);
            chunk.executor->run(*queue, 0, chunk.plan->forwardEnd);
            loss += static_cast<double>(chunk.readLoss(*backend, *queue)) * static_cast<double>(chunk.rows);
            if (plan().correct >= 0) correct += chunk.readCorrect(*backend, *queue);
            done += chunk.rows;
        }
        record.validationLoss = loss / static_cast<double>(count);
        record.validationAccuracy =
            plan().correct < 0 ? NAN : static_cast<double>(correct) / static_cast<double>(count * labelsPerSample());
        record.flags |= kFlagValidated;
        if (!first && (first = auditStatistics(executor(), plan(), *queue))) first->step = record.step;
    }

    std::int64_t labelsPerSample() const { return dataset->kind == DataKind::Tokens ? dataset->tokens.context : 1; }

    bool validatesAfter(std::int64_t step) const {
        if (dataset->validationCount() == 0) return false;
        return step + 1 == settings.steps ||
               (settings.validationEpochs > 0 ? hasPassedEpochs() : (step + 1) % settings.validationInterval == 0);
    }
    /// Whether the last step went over a multiple of `validationEpochs`.
    bool hasPassedEpochs() const {
        const double samples = settings.validationEpochs * static_cast<double>(dataset->trainCount());
        if (samples <= static_cast<double>(settings.accumulate * settings.data.batchSize)) return true;
        const auto done = [&](std::int64_t microBatches) {
            return std::floor(static_cast<double>(microBatches * settings.data.batchSize) / samples);
        };
        return done(counters.nextMicroBatch) > done(counters.nextMicroBatch - settings.accumulate);
    }

    void adoptPlans(const TrainingSettings& next, bool keepsMomentum) {
        RunPlans plans = buildPlans(next, shapeOf(*dataset), *backend, keepsMomentum, instrumentation != Instrumentation::Off);
        faults.check(plans.training);
        memory.adopt(std::move(plans));
        counters.planKeepsMomentum = keepsMomentum;
        censusStep = -1;
    }

    /// In place of the middle element of the next batch's first sample, of `width` elements a sample.
    float putIntoNextSample(Home home, std::int64_t width, float value) {
        order.indices(counters.nextMicroBatch, batchIndices.data());
        counters.flagsForNext |= kFlagSettingChanged;
        return faults.putIntoData(memory, *dataset, home, static_cast<std::size_t>(batchIndices.front() * width + width / 2), value);
    }

    void setWeights(const std::vector<NamedTensor>& initial);
    void drawWeights();

    /// fp32 numbers of the host to where the weights are stored.
    void storeWeights(const std::vector<float>& numbers) {
        convert(Home::Masters, CastDesc{static_cast<std::int64_t>(numbers.size()), Dtype::F32, plan().policy.weights}, numbers.data(),
                nullptr);
    }
    /// Weights, or what is laid out and stored as they are, as fp32 numbers.
    std::vector<float> numbersOf(Home home) {
        std::vector<float> numbers(static_cast<std::size_t>(plan().segments.back()));
        convert(home, CastDesc{plan().segments.back(), plan().policy.weights, Dtype::F32}, nullptr, numbers.data());
        return numbers;
    }
    /// From the host or to it: whichever is not null.
    void convert(Home home, const CastDesc& cast, const float* fromHost, float* toHost) {
        const DeviceMemory numbers(*backend, cast.count * static_cast<std::int64_t>(sizeof(float)));
        const auto bytes = static_cast<std::size_t>(numbers.bytes());
        void* const weights = memory.home(home).data();
        if (fromHost != nullptr) backend->copyIn(*queue, numbers.data(), fromHost, bytes);
        const std::array<void*, 2> operands{fromHost != nullptr ? numbers.data() : weights, fromHost != nullptr ? weights : numbers.data()};
        backend->prepare(cast)->enqueue(*queue, operands);
        if (toHost != nullptr) backend->copyOut(*queue, toHost, numbers.data(), bytes);
        queue->wait();
    }
};

StepRecord Trainer::step() {
    Impl& t = *m_impl;
    const Clock::time_point start = Clock::now();
    StepRecord record;
    record.step = t.counters.nextStep;
    record.lossScale = static_cast<double>(t.scaler.scale());
    record.lr = t.lr();
    record.flags = t.counters.flagsForNext;

    t.writeScalars();
    const bool looks = looksAt(t.instrumentation, record.step);
    record.loss = t.forwardAndBackward(looks);
    t.unscaleAndCheck();
    StepScalars scalars = t.readScalars();
    const bool foundInf = scalars.foundInf != 0;
    const bool isLossFinite = std::isfinite(record.loss), isNormFinite = std::isfinite(scalars.gradNorm);
    if (foundInf || !isLossFinite || !isNormFinite) {
        if (t.keepsBadSteps) t.keepBadStep();
        if (!t.first) t.findFirstNonFinite();
    }
    t.update(looks);  // or skips itself, see StepScalars.skipped
    t.queue->wait();
    const ScaleChange change = t.scaler.update({foundInf, scalars.gradAbsMax});

    if (looks) t.censusStep = record.step, t.censusScale = record.lossScale;
    const bool skipped = scalars.skipped != 0;
    t.counters.skippedTotal += skipped ? 1 : 0;
    t.counters.optimizerStep += skipped ? 0 : 1;
    t.counters.hasMomentum = t.counters.hasMomentum || (!skipped && usesMomentum(t.settings.optimizer));
    t.counters.scheduleStep += skipped && t.settings.optimizer.schedule.onSkip == "hold" ? 0 : 1;
    t.counters.nextMicroBatch += t.settings.accumulate;
    t.counters.nextStep += 1;
    t.faults.takeBack(t.memory, *t.dataset);
    t.counters.flagsForNext = 0;

    const double stepSeconds = secondsSince(start);
    record.samples = t.counters.nextMicroBatch * t.settings.data.batchSize;
    record.epoch = static_cast<double>(record.samples) / static_cast<double>(t.dataset->trainCount());
    record.gradNorm = static_cast<double>(scalars.gradNorm);
    record.skippedTotal = t.counters.skippedTotal;
    record.stepMs = stepSeconds * 1e3;
    record.samplesPerSecond = static_cast<double>(t.settings.accumulate * t.settings.data.batchSize) / stepSeconds;
    record.memoryBytes = t.plan().memory.total();
    record.flags |= (skipped ? kFlagSkipped : 0u) | (foundInf ? kFlagFoundInf : 0u) | (isLossFinite ? 0u : kFlagLossNonFinite) |
                    (isNormFinite ? 0u : kFlagGradNormNonFinite) | (change == ScaleChange::Grown ? kFlagScaleGrew : 0u) |
                    (change == ScaleChange::BackedOff ? kFlagScaleBackedOff : 0u);
    if (t.validatesAfter(record.step)) t.validate(record);
    t.counters.wallSeconds += secondsSince(start);
    record.wallSeconds = t.counters.wallSeconds;
    return record;
}

// ---- Making and changing ----

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

void Trainer::setInstrumentation(Instrumentation level) {
    Impl& t = *m_impl;
    const Instrumentation before = std::exchange(t.instrumentation, level);
    if ((level == Instrumentation::Off) == (before == Instrumentation::Off)) return;
    try {
        t.adoptPlans(t.settings, t.counters.planKeepsMomentum);
    } catch (...) {
        t.instrumentation = before;
        throw;
    }
}

Instrumentation Trainer::instrumentation() const {
    return m_impl->instrumentation;
}

std::int64_t Trainer::censusStep() const {
    return m_impl->censusStep;
}

std::optional<StepCensus> Trainer::census() const {
    const Impl& t = *m_impl;
    if (t.censusStep < 0) return std::nullopt;
    return StepCensus{t.censusStep, t.censusScale, readCensus(t.memory.training(), *t.backend, *t.queue)};
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
    t.censusStep = -1;
}

void Trainer::keepBadSteps(bool keeps) {
    m_impl->keepsBadSteps = keeps;
}

std::optional<StepStart> Trainer::takeBadStep() {
    return std::exchange(m_impl->badStep, std::nullopt);
}

StepStart Trainer::stepStart() const {
    return {m_impl->snapshot(), m_impl->faults.faults()};
}

void Trainer::putFaults(const Faults& faults) {
    m_impl->faults.putAgain(faults, m_impl->memory, m_impl->plan());
}

Trainer::Tried Trainer::tryStep(const Look* look) {
    Impl& t = *m_impl;
    Tried tried;
    t.writeScalars();
    if (look == nullptr) {
        tried.loss = t.forwardAndBackward();
        t.unscaleAndCheck();
    } else {
        const auto audit = [&](std::int64_t begin, std::int64_t end) {
            t.executor().audit(*t.queue, begin, end, [&](std::int64_t instruction, int buffer, const ElementClasses& classes) {
                look->at(t.executor(), *t.queue, instruction, buffer, classes);
                return true;
            });
        };
        t.eachMicroBatch([&](std::int64_t begin, bool) {
            audit(begin, t.plan().backwardEnd);
            tried.loss += static_cast<double>(t.memory.training().readLoss(*t.backend, *t.queue));
        });
        tried.loss /= static_cast<double>(t.settings.accumulate);
        audit(t.plan().backwardEnd, t.plan().unscaleEnd);
        if (look->throughUpdate) audit(t.plan().unscaleEnd, static_cast<std::int64_t>(t.plan().instructions.size()));
    }
    tried.foundInf = t.readScalars().foundInf != 0;
    tried.gradients = t.numbersOf(Home::Gradients);
    t.memory.restoreStatistics();
    return tried;
}

void Trainer::setLossScale(double scale) {
    m_impl->scaler.setScale(scale);
    m_impl->counters.flagsForNext |= kFlagSettingChanged;
}

float Trainer::injectInput(float value) {
    return m_impl->putIntoNextSample(Home::Inputs, m_impl->dataset->features, value);
}

float Trainer::injectLabel(float value) {
    const Dataset& data = *m_impl->dataset;
    if (data.kind != DataKind::Regression || !learnsTargets(m_impl->settings.model.kind))
        throw std::invalid_argument("only the targets of a regression are numbers that another can stand in for");
    return m_impl->putIntoNextSample(Home::Labels, data.targets, value);
}

void Trainer::injectTensor(const TensorInjection& injection) {
    m_impl->faults.add(injection, m_impl->plan());
    m_impl->counters.flagsForNext |= kFlagSettingChanged;
}

std::int64_t Trainer::nextStep() const {
    return m_impl->counters.nextStep;
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
std::optional<FirstNonFinite> Trainer::firstNonFinite() const {
    return m_impl->first;
}

std::string Trainer::sampleText(std::int64_t tokens) const {
    const Impl& t = *m_impl;
    if (t.dataset->kind != DataKind::Tokens || tokens == 0) return {};
    return mantissa::sampleText(
        t.memory, *t.backend, *t.queue, t.dataset->tokens,
        {.tokens = tokens, .seed = t.settings.init.seed, .stream = static_cast<std::uint32_t>(t.counters.nextStep)});
}

std::vector<NamedTensor> Trainer::weights() const {
    Impl& t = *m_impl;
    const std::vector<float> flat = t.numbersOf(Home::Masters);
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
