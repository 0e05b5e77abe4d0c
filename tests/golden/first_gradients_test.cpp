// SPDX-License-Identifier: Apache-2.0
// First gradients of four small models in 16 bits against PyTorch's autocast, measured by what the format itself does to them: the distance
// of PyTorch's 16-bit gradient from its fp32 gradient. make_first_gradients.py wrote the references from the program's own initial weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/experiment/safetensors.h"
#include "engine/training/trainer.h"
#include "kernels/conformance/compare.h"
#include "tests/golden/exact_sums_backend.h"
#include "tests/golden/first_gradient.h"

namespace mantissa {
namespace {

constexpr double kMostOfTheFormatsEffect = 0.05, kMostOfALoss = 1e-3;
/// A residual network carries a last bit of one convolution's fp32 sum on to all later roundings. There the limit is twice the distance
/// between PyTorch and PyTorch with sums in double. With sums in double on both sides the plain limits hold.
constexpr double kTimesPyTorchs = 2;
constexpr std::size_t kSampled = 400;

ModelSettings modelOf(const std::string& name) {
    if (name == "mlp") return {.hidden = {32, 24}};
    if (name == "resnet") return {.kind = "resnet", .depth = 8};
    if (name == "gpt") return {.kind = "gpt", .nLayer = 2, .nHead = 2, .nEmbd = 16};
    return {.kind = "llama", .nLayer = 2, .nHead = 4, .nEmbd = 16, .tieWeights = false, .nKvHead = 2, .nInner = 24};
}

std::vector<double> everyNth(const std::vector<double>& values) {
    const std::size_t step = std::max<std::size_t>(1, (values.size() + kSampled - 1) / kSampled);
    std::vector<double> result;
    for (std::size_t i = 0; i < values.size(); i += step) result.push_back(values[i]);
    return result;
}

struct FirstGradientCase {
    const char *model, *policy;
};

class FirstGradients : public testing::TestWithParam<FirstGradientCase> {
protected:
    FirstGradients() {
        const std::string file = std::string(MANTISSA_GOLDEN_DIR) + "/first-gradients-" + GetParam().model + ".safetensors";
        for (NamedTensor& tensor : readSafetensors(file)) m_reference[tensor.name] = std::move(tensor.values);
        m_settings.model = modelOf(GetParam().model);
        m_settings.data = {.name = "opticks", .batchSize = 4, .order = "sequential", .context = 12};
        if (!takesTokens(m_settings.model.kind)) m_settings.data = {.name = "digits", .batchSize = 16, .order = "sequential"};
        m_settings.precision.policy = GetParam().policy;
        m_settings.validationInterval = 1000;
        if (m_settings.precision.policy == "fp16") m_settings.scaler = {.preset = "static", .initScale = 65536};
    }

    std::vector<double> reference(int seed, const std::string& name) const {
        return conformance::toDouble(m_reference.at(std::to_string(seed) + "." + name));
    }
    std::unique_ptr<Trainer> trainer(int seed, std::shared_ptr<Backend> backend) {
        m_settings.init.seed = static_cast<std::uint64_t>(seed);
        auto run = std::make_unique<Trainer>(m_settings, loadDataset(m_settings.data), std::move(backend));
        double sum = 0;
        for (const NamedTensor& tensor : run->weights()) {
            for (const float value : tensor.values) sum += static_cast<double>(value);
        }
        EXPECT_NEAR(sum, reference(seed, "sum")[0], 1e-6 * std::max(1.0, std::abs(sum)))
            << "other initial weights: run make_first_gradients.py";
        return run;
    }

    /// The distance from PyTorch's gradient as a share of what the format does to PyTorch's. `sums`: "", or "double." for PyTorch's with
    /// sums in double.
    double shareOfTheEffect(int seed, std::shared_ptr<Backend> backend, const std::string& sums = "") {
        m_settings.optimizer = test::kReadingSgd;
        const auto run = trainer(seed, std::move(backend));
        const std::vector<NamedTensor> before = run->weights();
        run->step();
        const std::vector<NamedTensor> after = run->weights();
        double distance = 0, effect = 0;
        for (std::size_t t = 0; t < before.size(); ++t) {
            if (m_reference.count(std::to_string(seed) + ".fp32." + before[t].name) == 0) continue;  // a running statistic
            const std::vector<double> own = everyNth(test::gradientBetween(before[t], after[t])),
                                      low = reference(seed, std::string(GetParam().policy) + "." + sums + before[t].name),
                                      full = reference(seed, "fp32." + sums + before[t].name);
            EXPECT_EQ(own.size(), low.size()) << before[t].name;
            for (std::size_t i = 0; i < own.size(); ++i) {
                distance += (own[i] - low[i]) * (own[i] - low[i]);
                effect += (low[i] - full[i]) * (low[i] - full[i]);
            }
        }
        return std::sqrt(distance / effect);
    }

    TrainingSettings m_settings;

private:
    std::map<std::string, std::vector<float>> m_reference;
};

double medianOf(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

TEST_P(FirstGradients, DifferFromPyTorchsByATwentiethOfTheFormatsEffect) {
    std::vector<double> shares, ofPyTorch;
    for (int seed = 1; seed <= 5; ++seed) {
        shares.push_back(shareOfTheEffect(seed, createCpuBackend()));
        ofPyTorch.push_back(reference(seed, std::string(GetParam().policy) + ".self")[0]);
        ASSERT_TRUE(std::isfinite(shares.back())) << "seed " << seed;
        RecordProperty("seed_" + std::to_string(seed), std::to_string(shares.back()) + ", PyTorch " + std::to_string(ofPyTorch.back()));
    }
    EXPECT_LE(medianOf(shares), std::max(kMostOfTheFormatsEffect, kTimesPyTorchs * medianOf(ofPyTorch)));
    RecordProperty("median_share_of_the_effect", std::to_string(medianOf(shares)));
    RecordProperty("pytorch_from_itself", std::to_string(medianOf(ofPyTorch)));
}

TEST_P(FirstGradients, TenLossesArePyTorchsToAThousandth) {
    const std::string format = GetParam().policy;
    double ofPyTorch = 0, largest = 0;
    for (int seed = 1; seed <= 5; ++seed) ofPyTorch = std::max(ofPyTorch, reference(seed, format + ".self")[1]);
    for (int seed = 1; seed <= 5; ++seed) {
        const auto run = trainer(seed, createCpuBackend());
        for (const double expected : reference(seed, format + ".losses")) {
            const double difference = std::abs(run->step().loss - expected) / expected;
            ASSERT_LE(difference, std::max(kMostOfALoss, kTimesPyTorchs * ofPyTorch)) << "seed " << seed;
            largest = std::max(largest, difference);
        }
    }
    RecordProperty("largest_difference", std::to_string(largest));
    RecordProperty("pytorch_from_itself", std::to_string(ofPyTorch));
}

/// No result depends on the order of a sum here, so the plain limits hold for each model.
TEST_P(FirstGradients, WithSumsInDoubleDifferByATwentiethOfTheFormatsEffect) {
    std::vector<double> shares;
    for (int seed = 1; seed <= 5; ++seed) {
        shares.push_back(shareOfTheEffect(seed, std::make_shared<test::ExactSumsBackend>(), "double."));
        ASSERT_TRUE(std::isfinite(shares.back())) << "seed " << seed;
        RecordProperty("seed_" + std::to_string(seed), std::to_string(shares.back()));
    }
    EXPECT_LE(medianOf(shares), kMostOfTheFormatsEffect);
    RecordProperty("median_share_of_the_effect", std::to_string(medianOf(shares)));
}

TEST_P(FirstGradients, WithSumsInDoubleTenLossesArePyTorchsToAThousandth) {
    double largest = 0;
    for (int seed = 1; seed <= 5; ++seed) {
        const auto run = trainer(seed, std::make_shared<test::ExactSumsBackend>());
        for (const double expected : reference(seed, std::string(GetParam().policy) + ".double.losses")) {
            const double difference = std::abs(run->step().loss - expected) / expected;
            EXPECT_LE(difference, kMostOfALoss) << "seed " << seed;
            largest = std::max(largest, difference);
        }
    }
    RecordProperty("largest_difference", std::to_string(largest));
}

INSTANTIATE_TEST_SUITE_P(PyTorch, FirstGradients,
                         testing::Values(FirstGradientCase{"mlp", "fp16"}, FirstGradientCase{"mlp", "bf16"},
                                         FirstGradientCase{"resnet", "fp16"}, FirstGradientCase{"resnet", "bf16"},
                                         FirstGradientCase{"gpt", "fp16"}, FirstGradientCase{"gpt", "bf16"},
                                         FirstGradientCase{"llama", "fp16"}, FirstGradientCase{"llama", "bf16"}),
                         [](const auto& golden) { return std::string(golden.param.model) + "_" + golden.param.policy; });

}  // namespace
}  // namespace mantissa
