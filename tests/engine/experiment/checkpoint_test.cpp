// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "engine/experiment/experiment.h"
#include "engine/experiment/safetensors.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

class CheckpointTest : public ::testing::Test {
protected:
    fs::path m_path =
        fs::temp_directory_path() / ("mantissa_checkpoint_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
                                     ::testing::UnitTest::GetInstance()->current_test_info()->name());
    void TearDown() override { fs::remove(m_path); }
};

/// What a model's own file has.
std::vector<NamedTensor> tensorsOf(const std::vector<ParameterShape>& shapes) {
    std::vector<NamedTensor> tensors;
    for (std::size_t i = 0; i < shapes.size(); ++i) tensors.push_back({shapes[i].name, shapes[i].shape, initialValues(shapes, i, 1)});
    return tensors;
}

/// The refusal's sentence; empty when all fits.
std::string refusal(const std::vector<NamedTensor>& tensors, const std::vector<ParameterShape>& shapes) {
    try {
        matchWeights(tensors, shapes, "file");
    } catch (const InputError& error) {
        return error.sentence();
    }
    return "";
}

constexpr DataShape kText{.classes = 7, .context = 4};
const ModelSettings kGpt{.kind = "gpt", .nLayer = 2, .nHead = 2, .nEmbd = 8};

TEST_F(CheckpointTest, TheReportNamesAllThatDoesNotFitTheModel) {
    const std::vector<ParameterShape> shapes{{"layers.0.weight", {2, 3}}, {"layers.0.bias", {2}}, {"layers.1.weight", {4, 2}}};
    writeSafetensors(
        m_path,
        {{"layers.1.weight", {2, 4}, std::vector<float>(8)}, {"layers.0.weight", {2, 3}, std::vector<float>(6)}, {"extra", {1}, {0}}});
    try {
        loadWeights(m_path.string(), shapes);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.sentence(),
                  "lacks layers.0.bias; has another shape for layers.1.weight (2x4 instead of 4x2); has what the model does not: extra");
    }
    writeSafetensors(m_path, {{"layers.1.weight", {4, 2}, std::vector<float>(8)},
                              {"layers.0.bias", {2}, {7, 8}},
                              {"layers.0.weight", {2, 3}, std::vector<float>(6)}});
    const auto loaded = loadWeights(m_path.string(), shapes);
    ASSERT_EQ(loaded.size(), 3u);
    EXPECT_EQ(loaded[1].name, "layers.0.bias") << "in the model's order";
    EXPECT_EQ(loaded[1].values, (std::vector<float>{7, 8}));
}

TEST_F(CheckpointTest, PrefixesThatWrappersPutInFrontAreTakenOff) {
    const auto shapes = parameterShapes(kGpt, kText);
    for (const char* prefix : {"_orig_mod.", "module.", "module._orig_mod.", "_orig_mod.module."}) {
        std::vector<NamedTensor> tensors = tensorsOf(shapes);
        for (NamedTensor& tensor : tensors) tensor.name = prefix + tensor.name;
        EXPECT_EQ(refusal(tensors, shapes), "") << prefix;
        tensors[3].name = "ln_1.weight";
        EXPECT_NE(refusal(tensors, shapes), "") << "not all of them have it";
    }
}

TEST_F(CheckpointTest, BookkeepingIsNoTensorTooMany) {
    const auto shapes = parameterShapes(kGpt, kText);
    std::vector<NamedTensor> tensors = tensorsOf(shapes);
    tensors.push_back({"transformer.h.0.attn.bias", {1, 1, 4, 4}, std::vector<float>(16)});
    tensors.push_back({"model.layers.0.self_attn.rotary_emb.inv_freq", {2}, {1, 0.1f}});
    EXPECT_EQ(refusal(tensors, shapes), "");
    tensors.push_back({"transformer.h.2.ln_1.weight", {8}, std::vector<float>(8)});
    EXPECT_EQ(refusal(tensors, shapes), "has what the model does not: transformer.h.2.ln_1.weight");
}

TEST_F(CheckpointTest, ATiedHeadMayBeThereUnderEitherNameOrBoth) {
    for (const char* kind : {"gpt", "llama"}) {
        ModelSettings settings = kGpt;
        settings.kind = kind;
        const auto shapes = parameterShapes(settings, kText);
        std::vector<NamedTensor> tensors = tensorsOf(shapes);
        NamedTensor head = tensors[0];
        head.name = "lm_head.weight";
        head.values[3] = std::numeric_limits<float>::quiet_NaN();
        tensors[0].values[3] = head.values[3];
        const auto both = [&] {
            std::vector<NamedTensor> all = tensors;
            all.push_back(head);
            return all;
        };
        EXPECT_EQ(refusal(both(), shapes), "") << "NaN equals itself";
        head.values[5] += 1;
        EXPECT_EQ(refusal(both(), shapes), "lm_head.weight differs from " + tensors[0].name + ", and this model ties them");
        std::vector<NamedTensor> headAlone = both();
        headAlone.erase(headAlone.begin());
        const auto matched = matchWeights(headAlone, shapes, "file");
        EXPECT_EQ(matched[0].name, shapes[0].name);
        EXPECT_EQ(matched[0].values[5], head.values[5]);

        settings.tieWeights = false;
        EXPECT_EQ(refusal(tensors, parameterShapes(settings, kText)), "lacks lm_head.weight");
        EXPECT_EQ(refusal(both(), parameterShapes(settings, kText)), "") << "a head of its own";
    }
}

TEST_F(CheckpointTest, BundledWeightsFitTheExperimentThatNamesThem) {
    std::size_t found = 0;
    for (const BundledExperiment& bundled : bundledExperiments()) {
        std::string source;
        fs::path folder;
        const Experiment experiment = parseExperiment(loadExperimentText(bundled.name, source, folder), source, folder);
        for (const RunSettings& run : experiment.runs) {
            if (run.training.init.weights.empty()) continue;
            EXPECT_TRUE(isBundledWeights(run.training.init.weights)) << "a file of its own would not be there";
            const auto shapes = parameterShapes(run.training.model, shapeOf(*loadDataset(run.training.data)));
            EXPECT_EQ(loadWeights(run.training.init.weights, shapes).size(), shapes.size());
            ++found;
        }
        EXPECT_EQ(parseExperiment(writeExperiment(experiment), "saved").runs, experiment.runs);
    }
    EXPECT_GT(found, 0u);
    try {
        loadWeights("bundled:opticks-lama-bf16", {});
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.sentence(), "there are no bundled weights of this name (did you mean 'opticks-llama-bf16'?)");
    }
}

}  // namespace
}  // namespace mantissa
