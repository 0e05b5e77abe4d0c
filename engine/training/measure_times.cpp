// SPDX-License-Identifier: Apache-2.0
#include "engine/training/measure_times.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "engine/plan/product_rate.h"
#include "engine/plan/roofline.h"
#include "engine/training/then_put_back.h"

namespace mantissa {
namespace {

constexpr std::size_t kLeastRepeats = 3, kMostRepeats = 51;
constexpr std::chrono::milliseconds kBudget(500);  // for whole steps, and again for single instructions

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Calls `measure` until the budget is used. The first call, which initialises libraries and caches, is not kept.
template <typename Measure>
auto repeated(const std::function<bool()>& goesOn, Measure measure) {
    std::vector<decltype(measure())> kept;
    measure();
    const auto end = std::chrono::steady_clock::now() + kBudget;
    while (kept.size() < kMostRepeats && (kept.size() < kLeastRepeats || std::chrono::steady_clock::now() < end)) {
        if (goesOn && !goesOn()) break;
        kept.push_back(measure());
    }
    if (kept.empty()) throw std::invalid_argument("the measurement was stopped");
    return kept;
}

}  // namespace

StepTimes measureStepTimes(Trainer& trainer, Backend& backend, const std::function<bool()>& goesOn) {
    Snapshot start = trainer.snapshot();
    if (!start.first)
        start.first.emplace();  // a non-finite step is then not searched for its first value, which takes longer than the step
    const auto [steps, parts] = thenPutBack(trainer, [&] {
        trainer.setInstrumentation(Instrumentation::Off);
        const auto wholeSteps = repeated(goesOn, [&] {
            trainer.restore(start);
            return trainer.step().stepMs * 1e-3;
        });
        const auto instructions = repeated(goesOn, [&] {
            trainer.restore(start);
            return trainer.timeStep();
        });
        return std::pair(wholeSteps, instructions);
    });
    std::vector<double> seconds;
    for (std::size_t i = 0; i < parts.front().size(); ++i) {
        std::vector<double> each;
        for (const std::vector<double>& part : parts) each.push_back(part[i]);
        seconds.push_back(medianOf(std::move(each)));
    }
    StepTimes times = timesByOperation(trainer.plan(), measuredTimes(trainer.plan(), seconds, trainer.settings().accumulate));
    times.device = backend.device().name;
    times.stepSeconds = medianOf(steps);
    for (OperationTime& each : times.operations)
        if (each.kind == OperationKind::Product) each.peakTflops = measureCeiling(backend, each.compute);
    times.notes = notesOfMeasured(trainer.plan(), times, backend);
    return times;
}

}  // namespace mantissa
