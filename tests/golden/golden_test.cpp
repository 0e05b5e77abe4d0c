// SPDX-License-Identifier: Apache-2.0
// Whole training runs against PyTorch's: same weights, same batches, 200 steps. make_goldens.py wrote the references, with its
// versions and seed in each file, and says what they hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/experiment/safetensors.h"
#include "engine/training/trainer.h"
#include "kernels/conformance/compare.h"
#include "kernels/conformance/tolerance.h"
#include "tests/golden/first_gradient.h"
#include "tests/support/tolerance.h"

namespace mantissa {
namespace {

struct GoldenCase {
    const char* name;
    PrecisionSettings precision;
    const char* activation;
    OptimizerSettings optimizer;
    std::int64_t batchSize = 64, accumulate = 1;
    std::optional<double> clip = std::nullopt;
    ScalerSettings scaler = {};
    std::map<std::int64_t, OptimizerSettings> changes = {};  // live, holding from that step
    double labelSmoothing = 0;
    std::int64_t validateEvery = 1000;  // steps; beyond the run: after its last step alone
    std::vector<std::int64_t> hidden = {32, 24};
    bool isNarrowUpdate = false;  // a part of the update is in BF16
};

void PrintTo(const GoldenCase& golden, std::ostream* out) {
    *out << golden.name;
}

std::vector<GoldenCase> goldenCases() {
    const OptimizerSettings adamw;
    const OptimizerSettings nesterov{.kind = "sgd", .lr = 0.05, .weightDecay = 1e-3, .momentum = 0.9, .nesterov = true};
    const auto momentum = [](double lr) { return OptimizerSettings{.kind = "sgd", .lr = lr, .weightDecay = 0, .momentum = 0.9}; };
    const auto pytorch = [](double initScale, std::int64_t interval) {
        return ScalerSettings{.preset = "pytorch", .initScale = initScale, .growthInterval = interval};
    };
    std::vector<GoldenCase> cases;
    cases.push_back({"fp32-adamw", {"fp32"}, "relu", adamw});
    cases.push_back({"fp32-sgd-nesterov", {"fp32"}, "gelu", nesterov});
    const auto sgd = [](double mu, double dampening, bool isNesterov = false) {
        return OptimizerSettings{
            .kind = "sgd", .lr = 0.05, .weightDecay = 0, .momentum = mu, .dampening = dampening, .nesterov = isNesterov};
    };
    cases.push_back({"fp32-sgd-live", {"fp32"}, "relu", sgd(0, 0)});
    cases.back().changes = {{10, sgd(0.9, 0.5)}, {40, sgd(0, 0.5)}, {60, sgd(0.8, 0.25)}, {100, sgd(0, 0)}, {101, sgd(0.9, 0, true)}};
    cases.push_back({"fp32-clip-accumulate", {"fp32"}, "tanh", adamw, 16, 4, 0.5});
    cases.push_back({"bf16-adamw", {"bf16"}, "relu", adamw});
    cases.push_back({"bf16-sgd", {"bf16"}, "sigmoid", momentum(0.5)});
    cases.push_back({"fp16-adamw", {"fp16"}, "gelu", adamw, 64, 1, std::nullopt, pytorch(0x1p24, 40)});
    cases.push_back({"fp16-sgd-clip-accumulate", {"fp16"}, "relu", momentum(0.05), 32, 2, 0.25, pytorch(0x1p16, 100)});
    cases.push_back({"fp8-delayed-adamw", {.policy = "fp8", .overrides = {}, .fp8 = {.amaxHistoryLen = 16}}, "gelu", adamw});
    cases.push_back({"pure-bf16-adamw", {"pure-bf16"}, "relu", adamw});
    cases.push_back({"pure-bf16-kahan", {.policy = "pure-bf16", .overrides = {}, .weightUpdate = WeightUpdate::Kahan}, "tanh", adamw});
    cases.push_back({"fp8-current-sgd", {.policy = "fp8", .overrides = {}, .fp8 = {.scaling = "current"}}, "relu", momentum(0.1)});
    cases.push_back({"fp16-label-smoothing", {"fp16"}, "relu", adamw, 64, 1, std::nullopt, pytorch(0x1p16, 100)});
    cases.back().labelSmoothing = 0.1;
    cases.push_back({"bf16-label-smoothing", {"bf16"}, "gelu", adamw});
    cases.back().labelSmoothing = 0.1;
    cases.push_back({"tf32-adamw", {"tf32"}, "gelu", adamw});
    cases.push_back({"fp32-label-smoothing", {"fp32"}, "relu", adamw});
    cases.back().labelSmoothing = 0.1;
    cases.back().validateEvery = 40;
    cases.push_back({"fp32-validation", {"fp32"}, "tanh", momentum(0.1)});
    cases.back().validateEvery = 15;
    cases.push_back({"fp32-decay-matrices", {"fp32"}, "gelu", {.weightDecay = 1, .decay = "matrices"}});
    cases.push_back({"fp32-decay-all", {"fp32"}, "gelu", {.weightDecay = 1}});
    const auto scheduled = [](const ScheduleSettings& schedule) { return OptimizerSettings{.schedule = schedule}; };
    cases.push_back({"fp32-schedule-linear", {"fp32"}, "tanh", scheduled({.kind = "linear", .totalSteps = 150})});
    cases.push_back({"fp32-schedule-cosine", {"fp32"}, "tanh", scheduled({.kind = "cosine", .warmupSteps = 20})});
    cases.push_back({"fp32-schedule-step", {"fp32"}, "tanh", scheduled({.kind = "step", .warmupSteps = 10, .every = 30, .factor = 0.5})});
    const OptimizerSettings muon{.kind = "muon", .lr = 3e-3, .weightDecay = 0.1, .momentum = 0.95, .nesterov = true, .nsDtype = "fp32"};
    cases.push_back({"muon-fp32", {"fp32"}, "tanh", muon});
    cases.push_back({"muon-bf16", {"fp32"}, "tanh", muon});
    cases.back().optimizer.nsDtype = "bf16";
    for (GoldenCase* each : {&cases.back(), &cases.back() - 1}) each->hidden = {24, 40};  // a wide matrix and a tall one
    cases.back().isNarrowUpdate = true;
    cases.push_back({"moments-bf16", {"fp32"}, "tanh", {.stateDtype = "bf16"}});
    cases.back().isNarrowUpdate = true;
    return cases;
}

class Golden : public testing::TestWithParam<GoldenCase> {
protected:
    Golden() {
        for (NamedTensor& tensor : readSafetensors(std::string(MANTISSA_GOLDEN_DIR) + "/" + GetParam().name + ".safetensors"))
            m_reference[tensor.name] = std::move(tensor.values);
        const GoldenCase& golden = GetParam();
        m_settings.data.order = "sequential";
        m_settings.data.batchSize = golden.batchSize;
        m_settings.model.hidden = golden.hidden;
        m_settings.model.activation = golden.activation;
        m_settings.optimizer = golden.optimizer;
        m_settings.accumulate = golden.accumulate;
        m_settings.clipGradNorm = golden.clip;
        m_settings.precision = golden.precision;
        m_settings.scaler = golden.scaler;
        m_settings.model.labelSmoothing = golden.labelSmoothing;
        m_settings.validationInterval = golden.validateEvery;
        m_settings.steps = static_cast<std::int64_t>(reference("losses").size());
    }

    const std::vector<float>& reference(const std::string& name) const { return m_reference.at(name); }
    bool has(const std::string& name) const { return m_reference.contains(name); }
    bool isFp32() const { return m_settings.precision.policy == "fp32" && !GetParam().isNarrowUpdate; }

    /// Weights before step 0, as the reference had them.
    std::vector<NamedTensor> initialWeights(const Trainer& drawn) const {
        std::vector<NamedTensor> weights = drawn.weights();  // for names and shapes
        for (NamedTensor& tensor : weights) tensor.values = reference("init." + tensor.name);
        return weights;
    }
    std::unique_ptr<Trainer> trainer(const TrainingSettings& settings) const {
        const auto dataset = loadDataset({.name = "digits"});
        const std::shared_ptr<Backend> backend = createCpuBackend();
        const std::vector<NamedTensor> initial = initialWeights(Trainer(settings, dataset, backend));
        return std::make_unique<Trainer>(settings, dataset, backend, &initial);
    }

    /// The next step, after what the case changes there.
    static StepRecord step(Trainer& run) {
        const auto change = GetParam().changes.find(run.nextStep());
        if (change != GetParam().changes.end()) {
            TrainingSettings next = run.settings();
            next.optimizer = change->second;
            run.change(next);
        }
        return run.step();
    }

    TrainingSettings m_settings;

private:
    std::map<std::string, std::vector<float>> m_reference;
};

TEST_P(Golden, EveryStepHasPyTorchsLossAndScale) {
    const auto run = trainer(m_settings);
    const std::vector<float>& losses = reference("losses");
    const std::vector<float>& scales = reference("scales");
    const std::size_t compared = isFp32() ? losses.size() : std::size_t{conformance::kLowTrajectorySteps};
    ASSERT_GE(losses.size(), compared);
    std::vector<double> actual, expected, limits;
    for (std::size_t step = 0; step < losses.size(); ++step) {
        const StepRecord record = Golden::step(*run);
        ASSERT_EQ(record.lossScale, scales[step]) << "step " << step;
        if (step >= compared) continue;
        actual.push_back(record.loss);
        expected.push_back(static_cast<double>(losses[step]));
        limits.push_back(conformance::trajectoryLimit(isFp32() ? Dtype::F32 : Dtype::BF16, expected.back()));
    }
    const conformance::Comparison comparison = conformance::compare(actual, expected, limits);
    EXPECT_TRUE(comparison) << comparison;
    RecordProperty("share_of_limit", std::to_string(comparison.margin));
}

/// The cases with a schedule, or with validation losses.
class GoldenWatched : public Golden {};

// Rates are worked out in double on both sides, PyTorch's step by step from the one before, and stored as fp32.
TEST_P(GoldenWatched, EveryStepHasPyTorchsRateAndValidationLoss) {
    const auto run = trainer(m_settings);
    std::vector<double> validated;
    for (std::int64_t step = 0; step < m_settings.steps; ++step) {
        const StepRecord record = Golden::step(*run);
        if (has("rates")) {
            const auto rate = static_cast<double>(reference("rates")[static_cast<std::size_t>(step)]);
            ASSERT_NEAR(record.lr, rate, 1e-6 * m_settings.optimizer.lr) << "step " << step;
        }
        const bool isDue = (step + 1) % m_settings.validationInterval == 0;
        EXPECT_EQ(record.validated(), isDue || step + 1 == m_settings.steps) << "step " << step;
        if (isDue) validated.push_back(record.validationLoss);
    }
    if (!has("validation")) return;
    const std::vector<double> expected = conformance::toDouble(reference("validation"));
    std::vector<double> limits;
    for (const double loss : expected) limits.push_back(conformance::trajectoryLimit(Dtype::F32, loss));
    const conformance::Comparison comparison = conformance::compare(validated, expected, limits);
    EXPECT_TRUE(comparison) << comparison;
    RecordProperty("share_of_limit", std::to_string(comparison.margin));
}

TEST_P(Golden, TheFirstGradientOfEveryParameterIsPyTorchs) {
    TrainingSettings settings = m_settings;
    settings.optimizer = test::kReadingSgd;
    settings.clipGradNorm.reset();
    const auto run = trainer(settings);
    const std::vector<NamedTensor> before = run->weights();
    for (int step = 0; step <= static_cast<int>(reference("grad_step")[0]); ++step) run->step();
    const std::vector<NamedTensor> after = run->weights();
    double margin = 0;
    for (std::size_t t = 0; t < before.size(); ++t) {
        SCOPED_TRACE(before[t].name);
        const std::vector<float>& expected = reference("grad." + before[t].name);
        const std::vector<double> limit{test::gradientLimit(run->policy().compute, test::largestMagnitude(expected))};
        const conformance::Comparison comparison =
            conformance::compare(test::gradientBetween(before[t], after[t]), conformance::toDouble(expected), limit);
        EXPECT_TRUE(comparison) << comparison;
        if (run->policy().compute == Dtype::TF32) {
            EXPECT_LE(std::sqrt(comparison.normalisedMse), test::tf32GradientLimit());
        }
        margin = std::max(margin, comparison.margin);
    }
    RecordProperty("share_of_limit", std::to_string(margin));
}

TEST_P(Golden, TheFinalWeightsArePyTorchs) {
    const auto run = trainer(m_settings);
    for (std::int64_t step = 0; step < m_settings.steps; ++step) Golden::step(*run);
    const double limit = test::finalWeightsLimit(GetParam().isNarrowUpdate ? Dtype::BF16 : run->policy().compute);
    double margin = 0;
    for (const NamedTensor& tensor : run->weights()) {
        SCOPED_TRACE(tensor.name);
        const std::vector<double> expected = conformance::toDouble(reference("final." + tensor.name));
        const auto difference = conformance::compare(conformance::toDouble(tensor.values), expected, std::vector<double>{INFINITY});
        EXPECT_LE(std::sqrt(difference.normalisedMse), limit) << difference;
        margin = std::max(margin, std::sqrt(difference.normalisedMse) / limit);
    }
    RecordProperty("share_of_limit", std::to_string(margin));
}

std::string identifierOf(const testing::TestParamInfo<GoldenCase>& golden) {
    std::string name = golden.param.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

std::vector<GoldenCase> watchedCases() {
    std::vector<GoldenCase> cases = goldenCases();
    std::erase_if(cases, [](const GoldenCase& golden) {
        return golden.validateEvery == GoldenCase{}.validateEvery && golden.optimizer.schedule == ScheduleSettings{};
    });
    return cases;
}

INSTANTIATE_TEST_SUITE_P(PyTorch, Golden, testing::ValuesIn(goldenCases()), identifierOf);
INSTANTIATE_TEST_SUITE_P(PyTorch, GoldenWatched, testing::ValuesIn(watchedCases()), identifierOf);

}  // namespace
}  // namespace mantissa
