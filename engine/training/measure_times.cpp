// SPDX-License-Identifier: Apache-2.0
#include "engine/training/measure_times.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "engine/plan/product_rate.h"
#include "engine/plan/roofline.h"
#include "engine/training/then_restore.h"

namespace mantissa {
namespace {

constexpr std::size_t kLeastRepeats = 3, kMostRepeats = 51;
constexpr std::chrono::seconds kBudget(1), kLongEnough(10);  // kLongEnough: after which one repetition is enough

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// One repetition: the seconds of the whole step, and of each instruction.
struct TimedStep {
    double whole = 0;
    std::vector<double> parts;
};

/// Alternates both measurements, so that other processes disturb them alike. The first two repetitions, which initialise libraries
/// and capture the work of a GPU, are not kept.
std::vector<TimedStep> timedSteps(Trainer& trainer, const std::function<bool()>& goesOn) {
    Snapshot start = trainer.snapshot();
    if (!start.first)
        start.first.emplace();  // a non-finite step is then not searched for its first value, which takes longer than the step
    std::vector<TimedStep> steps;
    int warmUps = 2;
    const auto begin = std::chrono::steady_clock::now();
    const auto isEnough = [&] {
        const auto elapsed = std::chrono::steady_clock::now() - begin;
        return steps.size() == kMostRepeats || (steps.size() >= kLeastRepeats && elapsed > kBudget) ||
               (!steps.empty() && elapsed > kLongEnough);
    };
    while (!isEnough()) {
        TimedStep timed;
        trainer.restore(start);
        timed.whole = trainer.step().stepMs * 1e-3;
        if (goesOn && !goesOn()) break;
        trainer.restore(start);
        timed.parts = trainer.timeStep();
        if (warmUps-- <= 0) steps.push_back(std::move(timed));
        if (goesOn && !goesOn()) break;
    }
    if (steps.empty()) throw std::invalid_argument("the measurement was stopped");
    return steps;
}

}  // namespace

StepTimes measureStepTimes(Trainer& trainer, Backend& backend, const std::function<bool()>& goesOn) {
    trainer.setInstrumentation(Instrumentation::Off);
    const std::vector<TimedStep> steps = thenRestore(trainer, [&] { return timedSteps(trainer, goesOn); });
    const auto medianOver = [&](const auto& secondsIn) {
        std::vector<double> each;
        for (const TimedStep& step : steps) each.push_back(secondsIn(step));
        return medianOf(std::move(each));
    };
    std::vector<double> seconds;
    for (std::size_t i = 0; i < trainer.plan().instructions.size(); ++i)
        seconds.push_back(medianOver([i](const TimedStep& step) { return step.parts[i]; }));
    StepTimes times = timesByOperation(trainer.plan(), measuredTimes(trainer.plan(), seconds, trainer.settings().accumulate));
    times.device = backend.device().name;
    times.stepSeconds = medianOver([](const TimedStep& step) { return step.whole; });
    for (OperationTime& each : times.operations)
        if (each.kind == OperationKind::Product) each.peakTflops = measurePeak(backend, each.compute);
    times.notes = notesOfMeasured(trainer.plan(), times, backend);
    return times;
}

}  // namespace mantissa
