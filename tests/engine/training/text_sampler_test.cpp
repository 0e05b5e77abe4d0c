// SPDX-License-Identifier: Apache-2.0
// What a language model writes, held against the one text that it can have learned.
#include <gtest/gtest.h>

#include "engine/training/trainer.h"

namespace mantissa {
namespace {

const std::string kRound = "abcdefgh\n";  // each character has one that follows it

std::shared_ptr<const Dataset> rounds(std::int64_t context) {
    auto data = std::make_shared<Dataset>();
    data->name = "rounds";
    data->kind = DataKind::Tokens;
    data->classes = static_cast<std::int32_t>(kRound.size());
    data->tokens.context = context;
    data->tokens.vocabulary.characters = {'\n', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'};
    std::string text;
    for (int i = 0; i < 200; ++i) text += kRound;
    splitTokens(data->tokens, data->tokens.vocabulary.encode(text));
    return data;
}

std::string learnedText(const std::string& policy, const std::string& evalPolicy) {
    TrainingSettings settings;
    settings.data = {.batchSize = 8, .context = 16};
    settings.model = {.kind = "gpt", .nLayer = 1, .nHead = 1, .nEmbd = 16};
    settings.precision.policy = policy;
    settings.evalPrecision = evalPolicy;
    settings.optimizer = {.kind = "adam", .lr = 0.01};
    if (policy == "fp16") settings.scaler = {.preset = "pytorch", .initScale = 256};
    Trainer run(settings, rounds(settings.data.context), createCpuBackend());
    for (int step = 0; step < 150; ++step) run.step();
    return run.sampleText(2 * static_cast<std::int64_t>(kRound.size()));
}

TEST(TextSampler, GoesOnWithWhatFollowsInEachFormat) {
    for (const char* policy : {"fp32", "tf32", "fp16", "bf16", "fp8", "pure-fp16", "pure-bf16"})
        EXPECT_EQ(learnedText(policy, ""), kRound + kRound) << policy;
}

TEST(TextSampler, WritesInTheFormatThatItValidatesIn) {
    for (const char* policy : {"fp32", "fp16", "bf16"}) {
        EXPECT_EQ(learnedText("fp32", policy), kRound + kRound) << policy;
        EXPECT_EQ(learnedText(policy, "fp32"), kRound + kRound) << policy;
    }
}

}  // namespace
}  // namespace mantissa
