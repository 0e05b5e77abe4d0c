// SPDX-License-Identifier: Apache-2.0
// Tensor statistics, stored non-finite steps, and repetition of a step without committing it.
#include <algorithm>

#include "engine/training/trainer_impl.h"

namespace mantissa {
namespace {

/// Levels that differ only in the measured steps share a plan.
Instrumentation plannedFor(Instrumentation level) {
    return level == Instrumentation::Sampled ? Instrumentation::Full : level;
}

/// The update's statistics start with those of the moved weights.
static_assert(offsetof(UpdateStats, moved) == 0);

TensorStats statsFrom(const MeasuredTensor& measured, const UpdateStats& seen) {
    const bool isUpdate = measured.role == TensorRole::Update;
    return {.tensor = measured.tensor,
            .layer = measured.layer,
            .operation = measured.operation,
            .phase = std::string(phaseName(measured.phase)),
            .role = measured.role,
            .storage = measured.storage,
            .isScaled = isGradient(measured.role),
            .elements = measured.elements,
            .classes = seen.moved.classes,
            .smallest = seen.moved.smallest,
            .magnitudes =
                histogramOf(std::span(seen.moved.cells).subspan(seen.moved.firstCell(), seen.moved.cellCount()), seen.moved.firstCell()),
            .meant = isUpdate ? seen.meant : 0,
            .lost = isUpdate ? seen.lost : 0};
}

/// Returns the statistics of the last measured step, in order of execution; empty if the plan does not measure. Waits for the queue.
std::vector<TensorStats> readStats(const ReadyPlan& training, Backend& backend, Queue& queue, double lossScale) {
    std::vector<TensorStats> tensors;
    UpdateStats seen;
    for (const MeasuredTensor& measured : training.plan->measured) {
        const std::size_t bytes = measured.role == TensorRole::Update ? sizeof(UpdateStats) : sizeof(ElementStats);
        backend.copyOut(queue, &seen, training.executor->address(measured.slot), bytes);
        queue.wait();
        tensors.push_back(statsFrom(measured, seen));
        tensors.back().passed = measured.passedPerScale * lossScale;
    }
    return tensors;
}

}  // namespace

void Trainer::setInstrumentation(Instrumentation level) {
    Impl& t = *m_impl;
    const Instrumentation before = std::exchange(t.instrumentation, level);
    if (plannedFor(level) == plannedFor(before)) return;
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

std::int64_t Trainer::statsStep() const {
    return m_impl->statsStep;
}

std::optional<StepStats> Trainer::stats() const {
    const Impl& t = *m_impl;
    if (t.statsStep < 0) return std::nullopt;
    const double ofMicroBatch = t.statsScale / static_cast<double>(t.settings.accumulate);
    return StepStats{
        .step = t.statsStep, .lossScale = t.statsScale, .tensors = readStats(t.memory.training(), *t.backend, *t.queue, ofMicroBatch)};
}

void Trainer::keepNonFiniteSteps(bool keeps) {
    m_impl->keepsNonFiniteSteps = keeps;
}

std::optional<StepStart> Trainer::takeNonFiniteStep() {
    return std::exchange(m_impl->nonFiniteStep, std::nullopt);
}

bool Trainer::keepsBadGradients() const {
    if (m_impl->settings.zeroGrad) return false;
    const std::vector<float> kept = m_impl->numbersOf(Arena::Gradients);
    return !std::all_of(kept.begin(), kept.end(), [](float g) { return std::isfinite(g); });
}

StepStart Trainer::stepStart() const {
    return {m_impl->snapshot(), m_impl->faults.faults()};
}

void Trainer::putFaults(const Faults& faults) {
    m_impl->faults.putAgain(faults, m_impl->memory, m_impl->plan());
}

Trainer::Tried Trainer::tryStep(const Observer* observer) {
    Impl& t = *m_impl;
    Tried tried;
    t.writeScalars();
    if (observer == nullptr) {
        t.forwardAndBackward();
        t.unscaleAndCheck();
    } else {
        const Executor::Observer at = [&](std::int64_t instruction, int buffer, const ElementClasses& classes) {
            if (observer->at) observer->at(t.executor(), *t.queue, instruction, buffer, classes);
            return true;
        };
        const Executor::AfterEach after = [&](std::int64_t instruction) {
            if (observer->after) observer->after(t.executor(), *t.queue, instruction);
        };
        const auto audit = [&](std::int64_t begin, std::int64_t end) { t.executor().audit(*t.queue, begin, end, at, after); };
        t.eachMicroBatch([&](std::int64_t begin, bool) {
            audit(begin, t.plan().backwardEnd);
            tried.loss += static_cast<double>(t.memory.training().readLoss(*t.backend, *t.queue));
        });
        tried.loss /= static_cast<double>(t.settings.accumulate);
        audit(t.plan().backwardEnd, t.plan().unscaleEnd);
        if (observer->throughUpdate) audit(t.plan().unscaleEnd, static_cast<std::int64_t>(t.plan().instructions.size()));
    }
    const StepScalars scalars = t.readScalars();
    if (observer == nullptr) tried.loss = t.meanLoss();
    tried.foundInf = scalars.foundInf != 0;
    tried.gradAbsMax = scalars.gradAbsMax;
    tried.gradNorm = scalars.gradNorm;
    tried.gradients = t.numbersOf(Arena::Gradients);
    t.memory.restoreStatistics();
    return tried;
}

std::vector<double> Trainer::timeStep() {
    Impl& t = *m_impl;
    std::vector<double> seconds(t.plan().instructions.size());
    t.writeScalars();
    t.eachMicroBatch([&](std::int64_t begin, bool) { t.executor().time(*t.queue, begin, t.plan().backwardEnd, seconds); });
    t.executor().time(*t.queue, t.plan().backwardEnd, std::ssize(t.plan().instructions), seconds);
    return seconds;
}

}  // namespace mantissa
