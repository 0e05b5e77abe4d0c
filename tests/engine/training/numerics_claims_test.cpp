// SPDX-License-Identifier: Apache-2.0
// Sentences of resources/guide/numerics.md about whole steps: the learning rate's factor, from its formulas.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "engine/training/schedule.h"

namespace mantissa {
namespace {

namespace claims {

constexpr std::int64_t kWarmup = 7, kTotal = 61;

/// The factor at t = 0, 1, ... of a schedule with a warmup against a formula of t' = t - warmup.
template <typename Formula>
void expectFactors(const char* kind, Formula formula) {
    const ScheduleSettings settings{.kind = kind, .warmupSteps = kWarmup, .totalSteps = kTotal, .every = 10, .factor = 0.5};
    for (std::int64_t t = 0; t < 100; ++t) {
        const double expected = t < kWarmup ? static_cast<double>(t + 1) / kWarmup : formula(static_cast<double>(t - kWarmup));
        EXPECT_NEAR(scheduleFactor(settings, t, 1000), expected, 1e-15) << kind << " at " << t;
    }
}

double done(double t) {
    return std::fmin(t / static_cast<double>(kTotal - kWarmup), 1);
}

}  // namespace claims

TEST(NumericsClaims, TheWarmupIsTPlus1OverItsStepsAndTheConstantScheduleStays1) {
    claims::expectFactors("constant", [](double) { return 1.0; });
}

TEST(NumericsClaims, TheLinearScheduleIs1MinusTheShareThatIsDone) {
    claims::expectFactors("linear", [](double t) { return 1 - claims::done(t); });
}

TEST(NumericsClaims, TheCosineScheduleIsHalfOf1PlusTheCosineOfPiTimesTheShareThatIsDone) {
    claims::expectFactors("cosine", [](double t) { return 0.5 * (1 + std::cos(std::numbers::pi * claims::done(t))); });
}

TEST(NumericsClaims, TheStepScheduleMultipliesAfterEachEverySteps) {
    claims::expectFactors("step", [](double t) { return std::pow(0.5, std::floor(t / 10)); });
}

}  // namespace
}  // namespace mantissa
