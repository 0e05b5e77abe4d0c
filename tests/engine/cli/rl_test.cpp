// SPDX-License-Identifier: Apache-2.0
// rl: table and object say the same, the second time too, and mistakes are one sentence.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "program.h"

namespace mantissa {
namespace {

class RlCommand : public ProgramTest {
protected:
    nlohmann::json rlOf(const std::string& arguments) const {
        const Outcome outcome = run("rl " + arguments + " --json");
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return nlohmann::json::parse(outcome.out);
    }
};

std::int64_t countOf(const nlohmann::json& histogram) {
    const auto counts = histogram.get<std::vector<std::int64_t>>();
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

TEST_F(RlCommand, HasARowForEachPair) {
    const std::string arguments = "matrix --formats fp32,fp16,bf16 --updates 5";
    const nlohmann::json found = rlOf(arguments);
    EXPECT_EQ(rlOf(arguments), found) << "the same again";
    ASSERT_EQ(found["seeds"].size(), 1u);
    EXPECT_EQ(found["seeds"][0]["seed"], 1);
    EXPECT_EQ(found["sampler_attention"], "fused");
    const nlohmann::json& pairs = found["seeds"][0]["pairs"];
    ASSERT_EQ(pairs.size(), 9u);
    const Outcome table = run("rl " + arguments);
    EXPECT_EQ(table.exitCode, 0) << table.err;
    for (const nlohmann::json& each : pairs) {
        EXPECT_EQ(countOf(each["histogram"]) + each["non_finite"].get<std::int64_t>(), each["tokens"].get<std::int64_t>());
        EXPECT_EQ(each["histogram"].size(), found["bins"].size());
        EXPECT_GE(each["kl"].get<double>(), -1e-15);
        char kl[32];
        std::snprintf(kl, sizeof kl, "%.2e", each["kl"].get<double>());
        EXPECT_NE(table.out.find(each["kl"] == 0.0 ? " 0" : kl), std::string::npos) << kl << "\n" << table.out;
    }
    EXPECT_EQ(pairs[5]["trainer"], "fp16");
    EXPECT_EQ(pairs[5]["sampler"], "bf16");
    EXPECT_LT(pairs[4]["kl"].get<double>(), pairs[8]["kl"].get<double>()) << "fp16 with itself, bf16 with itself";
}

TEST_F(RlCommand, TrainsAndContinuesFromItsWeights) {
    const nlohmann::json found =
        rlOf("train --trainer bf16 --sampler fp8 --correct ratio --updates 4 --seed 7 --save-weights w.safetensors");
    const nlohmann::json& updates = found["seeds"][0]["updates"];
    EXPECT_EQ(found["seeds"][0]["seed"], 7);
    EXPECT_EQ(found["correct"], "ratio");
    ASSERT_EQ(updates.size(), 4u);
    for (const nlohmann::json& each : updates) {
        EXPECT_GT(each["kl"].get<double>(), 0);
        EXPECT_GE(each["reward"].get<double>(), 0);
        EXPECT_FALSE(each["skipped"].get<bool>());
    }
    ASSERT_TRUE(std::filesystem::exists(folder / "w.safetensors"));
    const nlohmann::json later = rlOf("matrix --formats fp32,bf16 --weights w.safetensors --seed 7");
    EXPECT_EQ(later["seeds"][0]["pairs"].size(), 4u);
    const Outcome table = run("rl train --updates 2 --seed 1 --seed 2");
    EXPECT_EQ(table.exitCode, 0) << table.err;
    EXPECT_NE(table.out.find("Seed 2: trainer fp32"), std::string::npos) << table.out;
}

TEST_F(RlCommand, RefusesMistakesInOneSentence) {
    const auto expectRefusal = [&](const std::string& arguments, const std::string& part) {
        const Outcome outcome = run("rl " + arguments);
        EXPECT_EQ(outcome.exitCode, 2) << arguments;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    };
    expectRefusal("", "MODE is required");
    expectRefusal("matirx", "rl: MODE: 'matirx' is not known (matrix, train)");
    expectRefusal("''", "rl: MODE: '' is not known");
    expectRefusal("train --trainer fp17", "rl: --trainer: 'fp17' is not known (fp32, tf32, fp16");
    expectRefusal("train --sampler pure-bf16", "rl: --sampler: 'pure-bf16' is not known");
    expectRefusal("train --correct clip", "rl: --correct: 'clip' is not known (none, ratio)");
    expectRefusal("train --formats fp16", "rl train: --formats is an option of rl matrix");
    expectRefusal("matrix --trainer fp16", "rl matrix: --trainer is an option of rl train");
    expectRefusal("matrix --formats fp16,,bf16", "rl: --formats: 'fp16,,bf16' has an empty name");
    expectRefusal("matrix --formats fp16,fp16", "rl: --formats: 'fp16' is given twice");
    expectRefusal("matrix --sampler-attention flash", "rl: --sampler-attention: 'flash' is not known (fused, materialised)");
    expectRefusal("train --updates -1", "rl: --updates");
    expectRefusal("train --seed x", "rl: ");
    expectRefusal("train --weights absent.safetensors", "absent.safetensors");
    expectRefusal("train --warm-up 3 --weights absent.safetensors", "rl: --warm-up has no effect");
    expectRefusal("matrix --lr 1 --weights absent.safetensors", "leave --updates and --lr out");
    expectRefusal("train --updates 0 --save-weights absent/w.safetensors", "the folder of 'absent/w.safetensors' does not exist");
    expectRefusal("train --seed 1 --seed 2 --save-weights w.safetensors", "give one --seed");
    write("w.safetensors", "no weights");
    expectRefusal("matrix --weights w.safetensors", "w.safetensors");
}

}  // namespace
}  // namespace mantissa
