// SPDX-License-Identifier: Apache-2.0
// A forecast from the counts of an fp32 step, against the conversion of every number of that step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/diagnosis/predict.h"
#include "engine/training/trainer.h"
#include "kernels/cpu/round_array.h"
#include "tests/engine/training/small_run.h"

namespace mantissa {
namespace {

using LayerRole = std::pair<std::string, TensorRole>;

/// The numbers of a step, tensor by tensor, as the step wrote them.
std::map<LayerRole, std::vector<std::vector<float>>> numbersOfNextStep(Trainer& trainer, const StepStats& like) {
    std::map<std::string, std::vector<float>> written;
    const Trainer::Observer observer{.at = [&](Executor& executor, Queue& queue, std::int64_t, int buffer, const ElementClasses&) {
        written[trainer.plan().buffers[static_cast<std::size_t>(buffer)].name] = executor.values(queue, buffer);
    }};
    const auto before = trainer.weights();
    trainer.tryStep(&observer);
    trainer.step();
    const auto after = trainer.weights();
    std::map<LayerRole, std::vector<std::vector<float>>> numbers;
    for (const TensorStats& tensor : like.tensors) {
        auto& ofRole = numbers[{tensor.layer, tensor.role}];
        if (tensor.role != TensorRole::Weight && tensor.role != TensorRole::Update) {
            ofRole.push_back(written.at(tensor.tensor));
            continue;
        }
        for (std::size_t p = 0; p < after.size(); ++p) {
            if (after[p].name != tensor.tensor) continue;
            ofRole.push_back(after[p].values);
            if (tensor.role == TensorRole::Update)
                for (std::size_t i = 0; i < ofRole.back().size(); ++i) ofRole.back()[i] -= before[p].values[i];
        }
    }
    return numbers;
}

std::vector<float> converted(Dtype format, std::vector<float> values, int shift) {
    for (float& value : values) value = std::ldexp(value, shift);
    roundArray(format, values.data(), values.data(), values.size());
    return values;
}

bool fits(Dtype format, const std::vector<float>& values, int shift) {
    const std::vector<float> stored = converted(format, values, shift);
    return std::all_of(stored.begin(), stored.end(), [](float value) { return std::isfinite(value); });
}

/// The largest shift at which it fits, one after another.
int shiftOfItsOwn(Dtype format, const std::vector<float>& values) {
    if (std::all_of(values.begin(), values.end(), [](float value) { return value == 0; })) return 0;
    int shift = -60;
    while (fits(format, values, shift + 1)) ++shift;
    return shift;
}

StoredCounts countOf(Dtype format, const std::vector<float>& values, int shift) {
    const std::vector<float> stored = converted(format, values, shift);
    StoredCounts counts;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == 0) continue;
        ++(!std::isfinite(stored[i])                                            ? counts.overflowed
           : stored[i] == 0                                                     ? counts.flushed
           : static_cast<double>(std::abs(stored[i])) < facts(format).minNormal ? counts.subnormal
                                                                                : counts.normal);
    }
    return counts;
}

void expectExact(TrainingSettings settings, int steps) {
    settings.precision.policy = "fp32";
    const auto data = loadDataset(settings.data);
    Trainer measuring(settings, data, createCpuBackend()), plain(settings, data, createCpuBackend());
    measuring.setInstrumentation(Instrumentation::Full);
    for (int step = 0; step <= steps; ++step) measuring.step();
    for (int step = 0; step < steps; ++step) plain.step();
    const StepStats stats = measuring.stats().value();
    EXPECT_EQ(forecastVerdict(stats, {}).caveat.english(), "");
    const auto numbers = numbersOfNextStep(plain, stats);
    StoredCounts all;
    for (const Dtype format : {Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2}) {
        for (const int shift : {0, 12, 24}) {
            const ForecastSettings asked = ForecastSettings::of(format, shift);
            for (const LayerForecast& forecasted : forecast(stats, asked)) {
                StoredCounts expected;
                std::int64_t zeros = 0;
                for (const std::vector<float>& values : numbers.at({forecasted.layer, forecasted.role})) {
                    const bool isGradient = forecasted.role == TensorRole::Gradient || forecasted.role == TensorRole::WeightGradient;
                    const int by = asked.scalesEachTensor ? shiftOfItsOwn(format, values) : isGradient ? shift : 0;
                    const StoredCounts counts = countOf(format, values, by);
                    expected.flushed += counts.flushed, expected.subnormal += counts.subnormal;
                    expected.normal += counts.normal, expected.overflowed += counts.overflowed;
                    zeros += std::count(values.begin(), values.end(), 0.0f);
                }
                EXPECT_EQ(forecasted.stored, expected)
                    << facts(format).name << " × 2^" << shift << ", " << forecasted.layer << ", " << roleName(forecasted.role);
                EXPECT_EQ(forecasted.zeros, zeros);
                all.flushed += expected.flushed, all.subnormal += expected.subnormal;
                all.overflowed += expected.overflowed, all.normal += expected.normal;
            }
        }
    }
    EXPECT_GT(std::min({all.flushed, all.subnormal, all.overflowed, all.normal}), 10) << "there was something to be counted";
}

TEST(ForecastOfARun, IsWhatConvertingEveryNumberGives) {
    TrainingSettings settings = smallRun("fp32");
    settings.optimizer = {.kind = "adamw", .lr = 1e-3};
    expectExact(settings, 3);
}

TEST(ForecastOfARun, HoldsForModelsWithManyKindsOfLayers) {
    TrainingSettings settings;
    settings.model = {.kind = "gpt", .nLayer = 1, .nHead = 2, .nEmbd = 16, .dropout = 0};
    settings.data = {.name = "synthetic-tokens", .batchSize = 2, .context = 8, .length = 500};
    expectExact(settings, 1);
}

}  // namespace
}  // namespace mantissa
