// SPDX-License-Identifier: Apache-2.0
// blocks: the table and the object say the same, what has no blocks is refused, and a lesson's figures.
#include <nlohmann/json.hpp>

#include "program.h"
#include "tests/support/sanitized.h"

namespace mantissa {
namespace {

constexpr const char* kBlockRuns = R"({"data": {"order": "sequential", "batch_size": 32}, "model": {"hidden": [48, 40]}, "steps": 20,
    "optimizer": {"kind": "sgd", "lr": 0.05}, "runs": [{"name": "plain", "precision": "bf16"}, {"name": "four", "precision": "nvfp4"},
    {"name": "eight", "precision": "mxfp8"}]})";

class BlocksCommand : public ProgramTest {
protected:
    nlohmann::json blocksOf(const std::string& arguments) {
        const Outcome outcome = run("blocks " + arguments + " --json");
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return nlohmann::json::parse(outcome.out);
    }
};

TEST_F(BlocksCommand, HasARowForEachOperand) {
    write("e.json", kBlockRuns);
    const nlohmann::json found = blocksOf("e.json --step 5");
    EXPECT_EQ(found["run"], "four") << "the first in a block format";
    EXPECT_EQ(found["precision"], "nvfp4");
    EXPECT_EQ(found["step"], 5);
    ASSERT_FALSE(found["operands"].empty());
    const Outcome table = run("blocks e.json --step 5");
    EXPECT_EQ(table.exitCode, 0) << table.err;
    EXPECT_TRUE(table.out.starts_with("Step 5 of run 'four', nvfp4\n")) << table.out;
    EXPECT_EQ(std::count(table.out.begin(), table.out.end(), '\n'), static_cast<std::ptrdiff_t>(found["operands"].size()) + 3);
    bool hasRotated = false;
    for (const nlohmann::json& each : found["operands"]) {
        EXPECT_NE(table.out.find(each["tensor"].get<std::string>()), std::string::npos) << each["tensor"];
        EXPECT_GT(each["sqnr_db"].get<double>(), 5) << each["tensor"];
        EXPECT_EQ(each["rotated"].get<bool>(), !each["largest_rotated"].is_null());
        hasRotated = hasRotated || each["rotated"].get<bool>();
        std::int64_t blocks = each["zero_scales"].get<std::int64_t>() + each["nan_scales"].get<std::int64_t>();
        for (const nlohmann::json& bin : each["scales"]) blocks += bin["blocks"].get<std::int64_t>();
        EXPECT_EQ(blocks, each["blocks"].get<std::int64_t>());
        EXPECT_EQ(each["map"]["sqnr_db"].size(), each["map"]["rows"].get<std::size_t>() * each["map"]["cols"].get<std::size_t>());
    }
    EXPECT_TRUE(hasRotated);
    EXPECT_EQ(blocksOf("e.json --step 5"), found) << "the same again";
}

TEST_F(BlocksCommand, ChoosesTheRunAndTheStep) {
    write("e.json", kBlockRuns);
    EXPECT_EQ(blocksOf("e.json --run eight --step 20")["operands"][0]["format"], "mxfp8_e4m3") << "the step after the last one";
    const auto expectRefusal = [&](const std::string& arguments, const std::string& sentence) {
        const Outcome outcome = run("blocks " + arguments);
        EXPECT_EQ(outcome.exitCode, 2) << arguments;
        EXPECT_EQ(outcome.err, "mantissa: e.json: " + sentence + "\n") << arguments;
        EXPECT_EQ(outcome.out, "");
    };
    const nlohmann::json switched = blocksOf("e.json --run plain --step 5 --as nvfp4");
    EXPECT_EQ(switched["precision"], "nvfp4");
    EXPECT_EQ(switched["operands"].size(), blocksOf("e.json --step 5")["operands"].size());
    EXPECT_EQ(run("blocks e.json --as fp16").err,
              "mantissa: blocks: --as: 'fp16' is no block policy (fp8-block, fp8-rowwise, mxfp8, mxfp6, mxfp4, nvfp4)\n");
    expectRefusal("e.json --run plain", "step 0 quantises nothing to blocks: its precision is bf16");
    expectRefusal("e.json --step 21", "run 'four' has no step 21: it ends after 20 steps");
    EXPECT_EQ(run("blocks e.json --run five").exitCode, 2);
    EXPECT_EQ(run("blocks").exitCode, 2);
}

/// The figures that the lesson on MXFP8 quotes, which its claims cannot check.
TEST_F(BlocksCommand, HasTheFiguresOfTheLessonOnMxfp8) {
    const auto expectOperands = [&](const std::string& arguments, const std::string& operand, std::pair<double, double> sqnr,
                                    std::pair<double, double> saturated) {
        std::size_t found = 0;
        for (int seed = 1; seed <= (test::kIsSanitized ? 1 : 5); ++seed) {
            const std::string seeds = " --set /init/seed=" + std::to_string(seed) + " --set /data/seed=" + std::to_string(seed);
            const nlohmann::json blocks = blocksOf("mxfp8-gradients " + arguments + seeds);
            for (const nlohmann::json& each : blocks["operands"]) {
                if (each["operand"] != operand) continue;
                const std::string place = arguments + seeds + ": " + each["tensor"].get<std::string>();
                EXPECT_GT(each["sqnr_db"].get<double>(), sqnr.first) << place;
                EXPECT_LT(each["sqnr_db"].get<double>(), sqnr.second) << place;
                EXPECT_GE(each["saturated_share"].get<double>(), saturated.first) << place;
                EXPECT_LE(each["saturated_share"].get<double>(), saturated.second) << place;
                EXPECT_LT(each["flushed_share"].get<double>(), 0.02) << place;
                ++found;
            }
        }
        EXPECT_GE(found, test::kIsSanitized ? 2u : 10u) << arguments;
    };
    for (const std::string step : {"0", "20", "300"}) {
        if (test::kIsSanitized && step == "300") continue;
        expectOperands("--run e4m3 --step " + step, "gradient", {30, 33}, {0, 0});
        expectOperands("--run e5m2 --step " + step, "gradient", {25, 27}, {0, 0});
    }
    expectOperands("--run e4m3 --step 0", "weight", {32, 33}, {0, 0});
    expectOperands("--run 'e4m3, floor' --step 0", "weight", {26, 27}, {0.105, 0.125});
}

}  // namespace
}  // namespace mantissa
