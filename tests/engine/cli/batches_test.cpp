// SPDX-License-Identifier: Apache-2.0
// batches: split sums make logits depend on the batch, fixed ones do not.
#include <nlohmann/json.hpp>

#include "program.h"
#include "tests/support/sanitized.h"

namespace mantissa {
namespace {

constexpr const char* kTextRuns = R"({"data": {"name": "opticks", "batch_size": 4, "context": 16}, "steps": 8, "sample_tokens": 0,
    "model": {"kind": "gpt", "n_layer": 1, "n_head": 2, "n_embd": 64, "dropout": 0}, "runs": [{"name": "narrow", "precision": "bf16"},
    {"name": "wide", "precision": "fp32"}, {"name": "blocks", "precision": "mxfp8"}, {"name": "pure", "precision": "pure-fp16"},
    {"name": "one scale", "precision": "fp8"}]})";

class BatchesCommand : public ProgramTest {
protected:
    nlohmann::json batchesOf(const std::string& arguments) {
        const Outcome outcome = run("batches " + arguments + " --json");
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return nlohmann::json::parse(outcome.out);
    }
};

TEST_F(BatchesCommand, SplitSumsDependOnTheBatchAndFixedOnesDoNot) {
    write("e.json", kTextRuns);
    for (const std::string name : {"narrow", "blocks", "pure"}) {
        if (test::kIsSanitized && name != "blocks") continue;
        SCOPED_TRACE(name);
        const std::string arguments = "e.json --largest 8 --tokens 12 --run " + name;
        const nlohmann::json split = batchesOf(arguments);
        EXPECT_EQ(split["run"], name);
        EXPECT_EQ(split["accumulator"], "hopper");
        ASSERT_EQ(split["trials"].size(), 4u) << "1, 2, 4 and 8";
        EXPECT_EQ(split["trials"][0]["differing"], 0);
        EXPECT_EQ(split["trials"][3]["batch"], 8);
        EXPECT_EQ(split["trials"][3]["elements_per_sum"], name == "blocks" ? 256 : 128);
        if (name != "narrow") {
            EXPECT_GT(split["trials"][3]["differing"], 0) << "in bf16 a model as small as this hides them";
        }
        EXPECT_LT(split["trials"][3]["largest_difference"].get<double>(), 0.2 * split["largest_logit"].get<double>());
        EXPECT_EQ(batchesOf(arguments), split) << "the same again";
        const nlohmann::json fixed = batchesOf(arguments + " --sums fixed");
        for (const nlohmann::json& trial : fixed["trials"]) {
            EXPECT_EQ(trial["differing"], 0) << trial;
            EXPECT_TRUE(trial["first_token"].is_null()) << trial;
        }
    }
}

TEST_F(BatchesCommand, OneScaleForATensorDependsOnTheBatchWithFixedSumsToo) {
    write("e.json", kTextRuns);
    const nlohmann::json found = batchesOf("e.json --largest 2 --tokens 4 --sums fixed --run 'one scale'");
    EXPECT_GT(found["trials"][1]["differing"], 0) << "the other sample's magnitudes are in the scale";
}

TEST_F(BatchesCommand, TheTableSaysWhatTheObjectDoes) {
    write("e.json", kTextRuns);
    const Outcome table = run("batches e.json --largest 4 --tokens 3 --step 2");
    EXPECT_EQ(table.exitCode, 0) << table.err;
    EXPECT_TRUE(table.out.starts_with("Run 'narrow', bf16, after 2 steps. Sums: by-rows, hopper. Prompt: \"")) << table.out;
    const nlohmann::json found = batchesOf("e.json --largest 4 --tokens 3 --step 2");
    EXPECT_NE(table.out.find("batch 1 goes on with \"" + found["trials"][0]["text"].get<std::string>()), std::string::npos) << table.out;
    const nlohmann::json wide = batchesOf("e.json --run wide --sums backend --largest 2 --tokens 2");
    EXPECT_TRUE(wide["trials"][1]["elements_per_sum"].is_null());
    EXPECT_EQ(wide["accumulator"], "fp32");
}

TEST_F(BatchesCommand, WhatHasNoPromptOrNoSplitSumsIsRefused) {
    write("e.json", kTextRuns);
    write("digits.json", R"({"data": {"name": "digits"}, "steps": 3, "runs": [{"name": "a", "precision": "bf16"}]})");
    const auto expectRefusal = [&](const std::string& arguments, const std::string& sentence) {
        const Outcome outcome = run("batches " + arguments);
        EXPECT_EQ(outcome.exitCode, 2) << arguments;
        EXPECT_EQ(outcome.err, "mantissa: " + sentence + "\n") << arguments;
        EXPECT_EQ(outcome.out, "");
    };
    expectRefusal("digits.json", "digits.json: only a language model has a prompt: the model must be gpt or llama");
    expectRefusal("e.json --run wide",
                  "e.json: the sums of products in fp32 are the backend's: only those in a format of tensor cores can be split here");
    expectRefusal("e.json --step 9", "e.json: run 'narrow' has no step 9: it ends after 8 steps");
    EXPECT_EQ(run("batches e.json --run nothing").exitCode, 2);
    EXPECT_EQ(run("batches e.json --sums other").exitCode, 2);
    EXPECT_EQ(run("batches").exitCode, 2);
}

}  // namespace
}  // namespace mantissa
