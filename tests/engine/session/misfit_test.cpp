// SPDX-License-Identifier: Apache-2.0
// Settings that come from a stranger's recording: a model and data that do not go together are refused, whichever they are.
#include <gtest/gtest.h>

#include "engine/session/live_run.h"

namespace mantissa {
namespace {

RunSettings settingsOf(const std::string& data, const std::string& model) {
    return parseExperiment(R"({"data":)" + data + R"(,"model":)" + model + R"(,"steps":2,"runs":[{"name":"run"}]})", "test").runs.front();
}

TEST(Misfit, OfDataAndModelIsRefusedInASentence) {
    const std::string digits = R"({"name":"digits","batch_size":8})", text = R"({"name":"opticks","batch_size":2,"context":8})",
                      regression = R"({"name":"synthetic-regression","batch_size":8})";
    const std::pair<std::string, std::string> valid[] = {{digits, R"({"hidden":[8]})"},
                                                         {digits, R"({"kind":"autoencoder","hidden":[8]})"},
                                                         {digits, R"({"kind":"resnet","depth":8})"},
                                                         {text, R"({"kind":"gpt","n_layer":1,"n_head":2,"n_embd":8})"},
                                                         {text, R"({"kind":"llama","n_layer":1,"n_head":2,"n_embd":8})"},
                                                         {regression, R"({"hidden":[8]})"}};
    int refused = 0, trained = 0;
    for (const auto& [dataOfOne, modelOfOne] : valid) {
        for (const auto& [dataOfOther, modelOfOther] : valid) {
            RunSettings mixed = settingsOf(dataOfOne, modelOfOne);
            mixed.training.model = settingsOf(dataOfOther, modelOfOther).training.model;
            SCOPED_TRACE(dataOfOne + " " + modelOfOther);
            try {
                LiveRun run(0, mixed, createCpuBackend(), [](Event&&) {});
                while (run.canStep()) run.step();
                ++trained;
            } catch (const InputError& error) {
                EXPECT_FALSE(error.sentence().empty());
                ++refused;
            }
        }
    }
    EXPECT_EQ(trained + refused, 36);
    EXPECT_GE(refused, 15) << "tokens go to language models alone, images to a resnet, and so on";
    EXPECT_GE(trained, 6);
}

}  // namespace
}  // namespace mantissa
