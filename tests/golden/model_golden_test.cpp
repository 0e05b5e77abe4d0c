// SPDX-License-Identifier: Apache-2.0
// The first steps of each kind of model against PyTorch's: same weights, same batches. make_model_goldens.py wrote the references, with its
// versions and seed in each file, and says what they hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/experiment/safetensors.h"
#include "engine/training/trainer.h"
#include "kernels/conformance/compare.h"
#include "kernels/conformance/tolerance.h"
#include "tests/golden/first_gradient.h"
#include "tests/support/tolerance.h"

namespace mantissa {
namespace {

struct ModelCase {
    const char* name;
    ModelSettings model;
    const char* policy;
    std::optional<double> lossScale = std::nullopt;
    const char* reference = nullptr;  // the case whose numbers it has to give as well
};

void PrintTo(const ModelCase& golden, std::ostream* out) {
    *out << golden.name;
}

std::vector<ModelCase> modelCases() {
    const ModelSettings gpt{.kind = "gpt", .nLayer = 2, .nHead = 2, .nEmbd = 16};
    ModelSettings untied = gpt;
    untied.bias = untied.tieWeights = false;
    const ModelSettings llama{.kind = "llama", .nLayer = 2, .nHead = 4, .nEmbd = 16, .tieWeights = false, .nKvHead = 2, .nInner = 24};
    ModelSettings fusedGpt = gpt, fusedLlama = llama;
    fusedGpt.attention = fusedLlama.attention = "fused";
    const ModelSettings resnet{.kind = "resnet", .depth = 8};
    const ModelSettings autoencoder{.kind = "autoencoder", .hidden = {24}, .activation = "tanh", .code = 6};
    return {{"autoencoder-fp32", autoencoder, "fp32"},
            {"autoencoder-bf16", autoencoder, "bf16"},
            {"autoencoder-fp16", autoencoder, "fp16", 1024},
            {"resnet-fp32", resnet, "fp32"},
            {"resnet-bf16", resnet, "bf16"},
            {"resnet-fp16", resnet, "fp16", 1024},
            {"gpt-fp32", gpt, "fp32"},
            {"gpt-fp32-untied-without-bias", untied, "fp32"},
            {"gpt-bf16", gpt, "bf16"},
            {"gpt-fp16", gpt, "fp16", 1024},
            {"llama-fp32", llama, "fp32"},
            {"llama-bf16", llama, "bf16"},
            {"llama-fp16", llama, "fp16", 1024},
            {"gpt-fp32-fused", fusedGpt, "fp32", std::nullopt, "gpt-fp32"},
            {"llama-fp32-fused", fusedLlama, "fp32", std::nullopt, "llama-fp32"}};
}

class ModelGolden : public testing::TestWithParam<ModelCase> {
protected:
    ModelGolden() {
        m_settings.model = GetParam().model;
        const char* const own = GetParam().reference != nullptr ? GetParam().reference : GetParam().name;
        for (const std::string& name : {m_settings.model.kind + "-fp32", std::string(own)}) {
            for (NamedTensor& tensor : readSafetensors(std::string(MANTISSA_GOLDEN_DIR) + "/" + name + ".safetensors"))
                m_reference[tensor.name] = std::move(tensor.values);
        }
        m_settings.data = {.name = "opticks", .batchSize = 4, .order = "sequential", .context = 12};
        if (!takesTokens(m_settings.model.kind)) m_settings.data = {.name = "digits", .batchSize = 16, .order = "sequential"};
        m_settings.precision.policy = GetParam().policy;
        m_settings.validationInterval = 1000;
        if (GetParam().lossScale) m_settings.scaler = {.preset = "static", .initScale = *GetParam().lossScale};
    }

    const std::vector<float>& reference(const std::string& name) const { return m_reference.at(name); }
    bool hasReference(const std::string& name) const { return m_reference.count(name) > 0; }

    std::unique_ptr<Trainer> trainer() const {
        const auto dataset = loadDataset(m_settings.data);
        const std::shared_ptr<Backend> backend = createCpuBackend();
        std::vector<NamedTensor> initial = Trainer(m_settings, dataset, backend).weights();  // for names and shapes
        for (NamedTensor& tensor : initial) tensor.values = reference("init." + tensor.name);
        return std::make_unique<Trainer>(m_settings, dataset, backend, &initial);
    }

    TrainingSettings m_settings;

private:
    std::map<std::string, std::vector<float>> m_reference;
};

TEST_P(ModelGolden, TheFirstLossesArePyTorchs) {
    const auto run = trainer();
    std::vector<double> actual, expected, limits;
    for (const float loss : reference("losses")) {
        actual.push_back(run->step().loss);
        expected.push_back(static_cast<double>(loss));
        limits.push_back(conformance::trajectoryLimit(run->policy().compute, expected.back()));
    }
    const conformance::Comparison comparison = conformance::compare(actual, expected, limits);
    EXPECT_TRUE(comparison) << comparison;
    RecordProperty("share_of_limit", std::to_string(comparison.margin));
}

TEST_P(ModelGolden, TheFirstGradientOfEveryParameterIsPyTorchs) {
    m_settings.optimizer = test::kReadingSgd;
    const auto run = trainer();
    const std::vector<NamedTensor> before = run->weights();
    run->step();
    const std::vector<NamedTensor> after = run->weights();
    double margin = 0;
    for (std::size_t t = 0; t < before.size(); ++t) {
        if (!hasReference("grad." + before[t].name)) continue;  // a running statistic
        SCOPED_TRACE(before[t].name);
        const std::vector<float>& expected = reference("grad." + before[t].name);
        const bool isChaotic = m_settings.model.kind == "resnet" && run->policy().compute != Dtype::F32;
        const std::vector<double> limit{isChaotic ? INFINITY
                                                  : test::gradientLimit(run->policy().compute, test::largestMagnitude(expected))};
        const conformance::Comparison comparison =
            conformance::compare(test::gradientBetween(before[t], after[t]), conformance::toDouble(expected), limit);
        EXPECT_TRUE(comparison) << comparison;
        if (isChaotic) {
            EXPECT_LE(std::sqrt(comparison.normalisedMse), test::residualGradientLimit(run->policy().compute));
        }
        margin = std::max(margin, comparison.margin);
    }
    RecordProperty("share_of_limit", std::to_string(margin));
}

TEST_P(ModelGolden, RunningStatisticsArePyTorchs) {
    const auto run = trainer();
    run->step();
    std::size_t compared = 0;
    for (const NamedTensor& tensor : run->weights()) {
        if (!hasReference("first." + tensor.name)) continue;
        SCOPED_TRACE(tensor.name);
        const std::vector<double> expected = conformance::toDouble(reference("first." + tensor.name));
        const auto difference = conformance::compare(conformance::toDouble(tensor.values), expected, std::vector<double>{INFINITY});
        EXPECT_LE(std::sqrt(difference.normalisedMse), test::finalWeightsLimit(run->policy().compute)) << difference;
        ++compared;
    }
    EXPECT_EQ(compared, m_settings.model.kind == "resnet" ? 18u : 0u);  // nine norms
}

/// Transient bytes that the forward pass made and the backward pass reads.
std::int64_t keptForBackward(const Plan& plan) {
    // The loss is the last operation before the backward pass, whose own operations begin with its gradient.
    std::set<int> made, read;
    bool isBackward = false;
    for (std::int64_t i = plan.prologueEnd; i < plan.backwardEnd; ++i) {
        const Instruction& instruction = plan.instructions[static_cast<std::size_t>(i)];
        isBackward = isBackward || instruction.phase == Phase::Backward;
        for (const int operand : instruction.operands) {
            if (operand >= 0 && plan.buffers[static_cast<std::size_t>(operand)].arena == Arena::Transient)
                (isBackward ? read : made).insert(operand);
        }
    }
    std::int64_t bytes = 0;
    for (const int buffer : made) bytes += read.count(buffer) > 0 ? plan.buffers[static_cast<std::size_t>(buffer)].bytes : 0;
    return bytes;
}

/// In fp32, where both keep the same formats.
class SavedActivations : public ModelGolden {};

TEST_P(SavedActivations, AreNoMoreThanPyTorchs) {
    const auto run = trainer();
    const auto saved = static_cast<std::int64_t>(reference("saved_bytes")[0]);
    const std::int64_t kept = keptForBackward(run->plan());
    EXPECT_GT(kept, saved / 2) << "counted at all";
    EXPECT_LE(kept, saved);
    EXPECT_LE(run->plan().memory.activations, saved) << "at the fullest moment";
    RecordProperty("activation_bytes", std::to_string(kept) + " of " + std::to_string(saved));
}

std::string testName(const testing::TestParamInfo<ModelCase>& golden) {
    std::string name = golden.param.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

std::vector<ModelCase> fp32Cases() {
    std::vector<ModelCase> cases = modelCases();
    std::erase_if(cases, [](const ModelCase& c) { return std::string_view(c.policy) != "fp32"; });
    return cases;
}

INSTANTIATE_TEST_SUITE_P(PyTorch, ModelGolden, testing::ValuesIn(modelCases()), testName);
INSTANTIATE_TEST_SUITE_P(PyTorch, SavedActivations, testing::ValuesIn(fp32Cases()), testName);

}  // namespace
}  // namespace mantissa
