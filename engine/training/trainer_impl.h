// SPDX-License-Identifier: Apache-2.0
// Implementation of the trainer: its state, and the parts of a step. Their order is in trainer.cpp, measurements and repetitions in
// trainer_trials.cpp.
#pragma once

#include <cmath>
#include <cstddef>
#include <new>
#include <utility>

#include "engine/data/batch_order.h"
#include "engine/training/audit.h"
#include "engine/training/device_steps.h"
#include "engine/training/injection.h"
#include "engine/training/run_memory.h"
#include "engine/training/trainer.h"

namespace mantissa {

struct Trainer::Impl {
    using Clock = std::chrono::steady_clock;
    static double secondsBetween(Clock::time_point begin, Clock::time_point end) {
        return std::chrono::duration<double>(end - begin).count();
    }

    TrainingSettings settings;
    std::shared_ptr<const Dataset> dataset;
    std::shared_ptr<Backend> backend;
    std::unique_ptr<Queue> queue;
    RunMemory memory;
    LossScaler scaler;
    BatchOrder order;

    TrainingCounters counters;
    std::optional<FirstNonFinite> first;
    bool keepsNonFiniteSteps = false;
    std::optional<StepStart> nonFiniteStep;
    std::vector<std::int32_t> batchIndices;
    std::vector<float> losses;  // of this step's micro-batches
    Instrumentation instrumentation = Instrumentation::Off;
    std::int64_t statsStep = -1;  // step of the present tensor statistics
    double statsScale = 1;
    StepFaults faults;                         // of the next step
    std::unique_ptr<DeviceSteps> deviceSteps;  // for this plan and these rules; created when first needed
    bool hasNoRoomAhead = false;               // no memory for `deviceSteps`
    bool hasStepped = false;                   // with this plan, as steps ahead run it, so libraries are initialised
    std::int64_t ahead = 1;                    // steps that the device may run without the host

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

    double lrAt(std::int64_t scheduleStep) const {
        return settings.optimizer.lr * scheduleFactor(settings.optimizer.schedule, scheduleStep, settings.steps);
    }
    double lr() const { return lrAt(counters.scheduleStep); }

    // trainer_ahead.cpp
    bool canStepAlone() const;
    /// Whether the device measures the steps that it runs without the host: all of them, keeping the last one's statistics.
    bool measuresAhead() const { return instrumentation == Instrumentation::Blocks; }
    /// Returns how many steps, at most `most`, the device can run without the host now; 1 or less: the host runs the next one.
    std::int64_t stepsAhead(std::int64_t most) const;
    /// Creates `deviceSteps`. Returns false if they are not available, for lack of memory or because the capture failed.
    bool makeDeviceSteps();
    /// Runs up to `count` steps on the device and returns how many were completed: fewer, or none, if one needs the host or `onStep`
    /// returns false.
    std::int64_t stepAhead(std::int64_t count, std::int64_t mostAhead, const OnStep& onStep, std::chrono::seconds patience);

    // shared by `step` and `stepAhead`, trainer.cpp
    /// Returns the record at the beginning of the next step.
    StepRecord beginRecord() const;
    /// Advances the counters and completes the record.
    void finishStep(StepRecord& record, const StepOutcome& outcome, ScaleChange change, double seconds);

    StepScalars scalarsOfStep() const {
        StepScalars scalars;
        scalars.lossGrad = static_cast<float>(static_cast<double>(scaler.scale()) / static_cast<double>(settings.accumulate));
        scalars.inverseScale = scaler.inverseScale();
        scalars.lr = lr();
        scalars.maxGradNorm = static_cast<float>(settings.clipGradNorm.value_or(0));
        scalars.clipsScaled = settings.unscale == "after_clip" ? 1 : 0;
        scalars.skipOnFoundInf = scaler.skipsOnFoundInf() ? 1 : 0;
        scalars.overflowTest = scaler.overflowTest();
        scalars.optimizerStep = counters.optimizerStep;
        scalars.dropoutStep = counters.nextMicroBatch;
        scalars.step = counters.nextStep;
        scalars.hasMomentum = counters.hasMomentum ? 1 : 0;
        return scalars;
    }
    void writeScalars() {
        const StepScalars scalars = scalarsOfStep();
        backend->copyIn(*queue, executor().address(plan().scalars), &scalars, sizeof scalars);
    }

    StepScalars readScalars() {
        StepScalars scalars;
        backend->copyOut(*queue, &scalars, executor().address(plan().scalars), sizeof scalars);
        queue->wait();
        return scalars;
    }

    /// Calls `pass(begin, isLast)` for each micro-batch of this step, after selecting its samples. Repeatable, because batches are a
    /// function of the step's number.
    template <typename Pass>
    void eachMicroBatch(Pass pass) {
        const DeviceMemory& gradients = memory.arena(Arena::Gradients);
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

    /// Runs weight copies, forward and backward, accumulated over the micro-batches. `meanLoss` is valid after the next wait.
    void forwardAndBackward(bool measures = false) {
        losses.assign(static_cast<std::size_t>(settings.accumulate), 0.0f);
        float* loss = losses.data();
        eachMicroBatch([&](std::int64_t begin, bool isLast) {
            executor().run(*queue, begin, plan().backwardEnd, measures && isLast);
            backend->copyOut(*queue, loss++, executor().address(plan().loss), sizeof *loss);
        });
    }
    /// The unscaled mean loss of the micro-batches.
    double meanLoss() const {
        double sum = 0;
        for (const float loss : losses) sum += static_cast<double>(loss);
        return sum / static_cast<double>(settings.accumulate);
    }

    void unscaleAndCheck() { executor().run(*queue, plan().backwardEnd, plan().unscaleEnd); }
    void update(bool measures) {
        executor().run(*queue, plan().unscaleEnd, static_cast<std::int64_t>(plan().instructions.size()), measures);
    }

    /// Repeats the step under audit and sets `first` to the first non-finite output. Must run before the update; gradients and scalars are
    /// restored.
    void findFirstNonFinite() {
        memory.restoreStatistics();
        const std::vector<std::string> broken = brokenStatistics(executor(), plan(), *queue);
        eachMicroBatch([&](std::int64_t begin, bool) {
            if (!first) first = auditPasses(executor(), plan(), *queue, begin, plan().backwardEnd, broken);
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

    /// Stores the state at the beginning of the step. Since then only running statistics, and gradients accumulated over steps, have
    /// changed.
    void keepNonFiniteStep() {
        const bool hasMoved = plan().statisticsBefore >= 0 || plan().gradientsBefore >= 0;
        const std::vector<std::byte> now = hasMoved ? memory.lasting() : std::vector<std::byte>();
        memory.restoreStatistics();
        try {
            nonFiniteStep = {snapshot(), faults.faults()};
        } catch (const std::bad_alloc&) {
            nonFiniteStep.reset();  // then the step is not examined
        }
        if (hasMoved) memory.restoreLasting(now);
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
    /// Whether the last step passed a multiple of `validationEpochs`.
    bool hasPassedEpochs() const {
        const double samples = settings.validationEpochs * static_cast<double>(dataset->trainCount());
        if (samples <= static_cast<double>(settings.accumulate * settings.data.batchSize)) return true;
        const auto done = [&](std::int64_t microBatches) {
            return std::floor(static_cast<double>(microBatches * settings.data.batchSize) / samples);
        };
        return done(counters.nextMicroBatch) > done(counters.nextMicroBatch - settings.accumulate);
    }

    void adoptPlans(const TrainingSettings& next, bool keepsMomentum) {
        RunPlans plans = buildPlans(next, shapeOf(*dataset), *backend, keepsMomentum, instrumentation);
        faults.check(plans.training);
        deviceSteps.reset();
        hasNoRoomAhead = false;
        hasStepped = false;
        memory.adopt(std::move(plans));
        counters.planKeepsMomentum = keepsMomentum;
        statsStep = -1;
    }

    /// Replaces the middle element of the next batch's first sample, which has `width` elements.
    float putIntoNextSample(Arena arena, std::int64_t width, float value) {
        order.indices(counters.nextMicroBatch, batchIndices.data());
        counters.flagsForNext |= kFlagSettingChanged;
        return faults.putIntoData(memory, *dataset, arena, static_cast<std::size_t>(batchIndices.front() * width + width / 2), value);
    }

    void setWeights(const std::vector<NamedTensor>& initial);
    void drawWeights();

    /// Copies fp32 numbers of the host to the weights, in their storage format.
    void storeWeights(const std::vector<float>& numbers) {
        convert(Arena::Masters, CastDesc{static_cast<std::int64_t>(numbers.size()), Dtype::F32, plan().policy.weights}, numbers.data(),
                nullptr);
    }
    /// Returns the weights, or an arena with their layout and format, as fp32 numbers.
    std::vector<float> numbersOf(Arena arena) {
        std::vector<float> numbers(static_cast<std::size_t>(plan().segments.back()));
        convert(arena, CastDesc{plan().segments.back(), plan().policy.weights, Dtype::F32}, nullptr, numbers.data());
        return numbers;
    }
    /// Copies and converts from or to the host: the pointer that is not null.
    void convert(Arena arena, const CastDesc& cast, const float* fromHost, float* toHost) {
        const DeviceMemory numbers(*backend, cast.count * static_cast<std::int64_t>(sizeof(float)), "the weights as fp32");
        const auto bytes = static_cast<std::size_t>(numbers.bytes());
        void* const weights = memory.arena(arena).data();
        if (fromHost != nullptr) backend->copyIn(*queue, numbers.data(), fromHost, bytes);
        const std::array<void*, 2> operands{fromHost != nullptr ? numbers.data() : weights, fromHost != nullptr ? weights : numbers.data()};
        backend->prepare(cast)->enqueue(*queue, operands);
        if (toHost != nullptr) backend->copyOut(*queue, toHost, numbers.data(), bytes);
        queue->wait();
    }
};

}  // namespace mantissa
