// SPDX-License-Identifier: Apache-2.0
// Unscaling and the optimizers on the emulated card, beside the CPU: several pieces and blocks, every overflow test and every order of
// clipping, every way to write weights, and steps that are skipped.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/conformance/compare.h"
#include "tests/kernels/cuda/beside_cpu.h"
#include "tests/kernels/cuda/repeated.h"
#include "tests/support/non_finite.h"

namespace mantissa::test {
namespace {

constexpr std::int64_t kWeights = 20'011;

Bytes scalarsBytes(const StepScalars& scalars) {
    return bytesOfAll(std::vector{scalars});
}

// ---- Unscaling ----

/// Parameters of none, one and several pieces that begin anywhere in a chunk.
const Segments kParts{0, 5, 5, 9003, 9004, kWeights};

/// Values bit for bit or both NaN; norms are summed in double in another order, and rounded to fp32 then.
void expectUnscaledAsOnCpu(const Segments& segments, Dtype dtype, const std::vector<float>& gradients, const StepScalars& scalars) {
    const auto parameters = static_cast<std::int64_t>(segments.size()) - 1;
    const Trial trial{.desc = UnscaleDesc{segments, dtype},
                      .operands = {stored(dtype, gradients), roomFor(Dtype::F32, parameters), scalarsBytes(scalars)}};
    const std::vector<Bytes> expected = resultsOn(*createCpuBackend(), trial), actual = resultsOnCard(trial);
    const bool isNothing = gradients.empty();
    EXPECT_TRUE(isNothing || conformance::compareExact(valuesOf(dtype, actual[0]), valuesOf(dtype, expected[0]), conformance::kAnything));
    EXPECT_EQ(actual[1], expected[1]) << "found per parameter";
    StepScalars a, e;
    std::memcpy(&a, actual[2].data(), sizeof a);
    std::memcpy(&e, expected[2].data(), sizeof e);
    const auto numbers = [](const StepScalars& s) {
        return std::vector<double>{static_cast<double>(s.foundInf), static_cast<double>(s.skipped), static_cast<double>(s.gradAbsMax)};
    };
    EXPECT_TRUE(conformance::compareExact(numbers(a), numbers(e), conformance::kAnything));
    for (const auto member : {&StepScalars::gradNorm, &StepScalars::clipCoefficient}) {
        EXPECT_EQ(std::isnan(a.*member), std::isnan(e.*member));
        if (!std::isnan(e.*member)) {
            EXPECT_FLOAT_EQ(a.*member, e.*member);
        }
    }
}

TEST(CudaUnscale, EveryOverflowTestAndOrderOfClipping) {
    for (const float planted : {kInf, 3e38f}) {
        std::vector<float> gradients = normalNumbers(kWeights, 1);
        gradients[8999] = gradients[9002] = planted;  // in one parameter's last pieces
        for (const OverflowTest test : {OverflowTest::Elements, OverflowTest::UnscaledElements, OverflowTest::Sums, OverflowTest::Norm}) {
            for (const bool clipsScaled : {false, true}) {
                expectUnscaledAsOnCpu(kParts, Dtype::F32, gradients,
                                      {.inverseScale = 0.25f,
                                       .maxGradNorm = 1.5f,
                                       .clipsScaled = clipsScaled ? 1 : 0,
                                       .skipOnFoundInf = 1,
                                       .overflowTest = test});
            }
        }
    }
}

// Squares of two parameters that add up beyond fp32; those of three numbers that do not.
TEST(CudaUnscale, TheNormIsThatOfAllParameters) {
    for (const bool overflows : {true, false}) {
        const std::vector<float> gradients = overflows ? std::vector{0x1.8p63f, 0x1.8p63f, 0.0f} : std::vector{0x1p63f, 0x1p63f, 0x1p63f};
        const StepScalars scalars{.inverseScale = 0.5f, .skipOnFoundInf = 1, .overflowTest = OverflowTest::Norm};
        expectUnscaledAsOnCpu({0, 1, 3}, Dtype::F32, gradients, scalars);
        const Bytes after = resultsOnCard(
            {.desc = UnscaleDesc{{0, 1, 3}}, .operands = {bytesOfAll(gradients), roomFor(Dtype::F32, 2), scalarsBytes(scalars)}})[2];
        StepScalars found;
        std::memcpy(&found, after.data(), sizeof found);
        EXPECT_EQ(found.skipped, overflows ? 1 : 0);
    }
}

TEST(CudaUnscale, FactorsFormatsAndEmptyParameters) {
    const std::vector<float> gradients = normalNumbers(kWeights, 2);
    for (const float factor : {1.0f, 1.0f / 3, 0x1p127f}) {
        for (const Dtype dtype : {Dtype::F32, Dtype::F16, Dtype::BF16}) {
            expectUnscaledAsOnCpu(kParts, dtype, gradients,
                                  {.inverseScale = factor, .maxGradNorm = 1, .overflowTest = OverflowTest::UnscaledElements});
        }
    }
    expectUnscaledAsOnCpu({0}, Dtype::F32, {}, {.maxGradNorm = 1});
    expectUnscaledAsOnCpu({0, 0, 0}, Dtype::F32, {}, {.maxGradNorm = 1, .clipsScaled = 1});
}

// An infinite factor is no overflow of gradients that are finite, and poisons what there is and nothing beside it.
TEST(CudaUnscale, AnInfiniteFactorPoisonsUnseen) {
    const std::vector<Bytes> after = resultsOnCard(
        {.desc = UnscaleDesc{{0, 3}},
         .operands = {bytesOfAll(std::vector<float>{1, -2, 3}), roomFor(Dtype::F32, 1), scalarsBytes({.inverseScale = kInf})}});
    EXPECT_EQ(valuesOf(Dtype::F32, after[0]), (std::vector<double>{HUGE_VAL, -HUGE_VAL, HUGE_VAL}));
    StepScalars scalars;
    std::memcpy(&scalars, after[2].data(), sizeof scalars);
    EXPECT_EQ(scalars.foundInf, 0);
    EXPECT_EQ(scalars.gradNorm, kInf);
}

// Parameters by the dozen, more than a block has warps, and each its own flag.
TEST(CudaUnscale, ManyParameters) {
    Segments segments{0};
    for (std::int64_t i = 1; i <= 40; ++i) segments.push_back(i * 11);
    std::vector<float> gradients = normalNumbers(440, 3);
    for (const std::size_t at : {std::size_t{0}, std::size_t{225}, std::size_t{439}}) gradients[at] = kNan;
    expectUnscaledAsOnCpu(segments, Dtype::F32, gradients, {.inverseScale = 0.5f, .skipOnFoundInf = 1});
    Bytes found = resultsOnCard({.desc = UnscaleDesc{segments},
                                 .operands = {bytesOfAll(gradients), roomFor(Dtype::F32, 40), scalarsBytes({.inverseScale = 0.5f})}})[1];
    std::vector<double> flags = valuesOf(Dtype::F32, found);
    EXPECT_EQ(std::count(flags.begin(), flags.end(), 1.0), 3);
    EXPECT_EQ(flags[20], 1);
}

TEST(CudaUnscale, RecordedStepsAreAsTheFirst) {
    const Bytes gradients = normalBytes(Dtype::F32, kWeights, 4);
    expectSameInEveryLaunch({.desc = UnscaleDesc{kParts},
                             .operands = {gradients, roomFor(Dtype::F32, 5), scalarsBytes({.inverseScale = 0.3f, .maxGradNorm = 1})}});
}

// ---- Optimizers ----

struct OptimizerState {
    Bytes w, g, m, v, lost;

    OptimizerState(Dtype dtype, std::int64_t count)
        : w(normalBytes(dtype, count, 11)),
          g(normalBytes(dtype, count, 12)),
          m(normalBytes(dtype, count, 13)),
          lost(stored(dtype, scaled(count, 0x1p-12f))) {
        std::vector<float> squares = normalNumbers(static_cast<std::size_t>(count), 14);
        for (float& x : squares) x *= x;
        v = stored(dtype, squares);
    }
    static std::vector<float> scaled(std::int64_t count, float factor) {
        std::vector<float> values = normalNumbers(static_cast<std::size_t>(count), 15);
        for (float& x : values) x *= factor;
        return values;
    }
};

/// All three, with these scalars and this storage, are the CPU's to the bit.
void expectStepsAsOnCpu(std::int64_t count, const ParameterStorage& storage, const StepScalars& s, std::size_t offset = 0) {
    const OptimizerState state(storage.dtype, count);
    const Bytes scalars = scalarsBytes(s);
    for (const bool isDecoupled : {true, false}) {
        const AdamWDesc adamw{.count = count, .weightDecay = 0.1, .storage = storage, .isDecoupled = isDecoupled};
        expectSameAsCpu({.desc = adamw, .operands = {state.w, state.g, state.m, state.v, scalars, state.lost}, .offset = offset});
    }
    const LionDesc lion{.count = count, .weightDecay = 0.1, .storage = storage};
    expectSameAsCpu({.desc = lion, .operands = {state.w, state.g, state.m, scalars, state.lost}, .offset = offset});
    for (const SgdDesc& rule : {SgdDesc{.weightDecay = 0.1}, SgdDesc{.momentum = 0.9, .dampening = 0.3},
                                SgdDesc{.momentum = 0.9, .weightDecay = 0.01, .nesterov = true}}) {
        SgdDesc sgd = rule;
        sgd.count = count;
        sgd.storage = storage;
        expectSameAsCpu({.desc = sgd, .operands = {state.w, state.g, state.m, scalars, state.lost}, .offset = offset});
    }
}

TEST(CudaOptimizer, EveryStorageAndUpdateIsTheCpus) {
    for (const Dtype dtype : kStored) {
        for (const WeightUpdate update : {WeightUpdate::NearestEven, WeightUpdate::Stochastic, WeightUpdate::Kahan}) {
            if (dtype == Dtype::F32 && update != WeightUpdate::NearestEven) continue;
            for (const std::int64_t firstElement : {0, 1, 2, 3}) {
                if (update != WeightUpdate::Stochastic && firstElement != 0) continue;
                expectStepsAsOnCpu(2059, {dtype, update, 0x123456789AB, firstElement},
                                   {.lr = 0.01, .optimizerStep = 7, .hasMomentum = 1, .clipCoefficient = 0.5f});
            }
        }
    }
}

TEST(CudaOptimizer, FirstStepsLateStepsAndOffTheLine) {
    for (const std::int64_t step : {std::int64_t{0}, std::int64_t{100'000}}) {
        expectStepsAsOnCpu(kWeights, {}, {.lr = 0.01, .optimizerStep = step, .hasMomentum = step == 0 ? 0 : 1}, sizeof(float));
    }
    expectStepsAsOnCpu(0, {}, {.lr = 0.01});
}

TEST(CudaOptimizer, ASkippedStepTouchesNothing) {
    for (const WeightUpdate update : {WeightUpdate::NearestEven, WeightUpdate::Stochastic, WeightUpdate::Kahan})
        expectStepsAsOnCpu(300, {Dtype::BF16, update}, {.lr = 0.01, .hasMomentum = 1, .foundInf = 1, .skipped = 1});
}

// Unscaling decides, on the card, whether the recorded step after it is taken.
TEST(CudaOptimizer, AStepFollowsWhatUnscalingFound) {
    const auto backend = cuda::createBackend(0);
    for (const bool isBad : {true, false}) {
        std::vector<float> gradients(100, 1.0f);
        if (isBad) gradients[70] = kInf;
        const GuardedBuffer w(*backend, std::vector<float>(100, 1.0f)), g(*backend, gradients), found(*backend, std::vector<float>(1)),
            scalars(*backend, std::vector{StepScalars{.inverseScale = 0.5f, .lr = 1, .maxGradNorm = 2.5f, .skipOnFoundInf = 1}});
        const auto unscale = backend->prepare(UnscaleDesc{{0, 100}}), step = backend->prepare(SgdDesc{.count = 100});
        const auto queue = backend->createQueue();
        const auto recording = queue->capture([&] {
            unscale->enqueue(*queue, std::vector<void*>{g.data(), found.data(), scalars.data()});
            step->enqueue(*queue, std::vector<void*>{w.data(), g.data(), nullptr, scalars.data(), nullptr});
        });
        ASSERT_NE(recording, nullptr);
        recording->launch(*queue);
        queue->wait();
        // Of norm 5 once they are unscaled, so half of a half is taken away.
        for (const float weight : w.read<float>()) ASSERT_NEAR(weight, isBad ? 1.0f : 0.75f, 1e-6f);
        EXPECT_EQ(scalars.read<StepScalars>().front().skipped, isBad ? 1 : 0);
    }
}

}  // namespace
}  // namespace mantissa::test
