// SPDX-License-Identifier: Apache-2.0
// `mantissa plan --roofline`, beside what was measured on an H200 (tests/device/RESULTS.md).
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "program.h"

namespace mantissa {
namespace {

class Roofline : public ProgramTest {
protected:
    nlohmann::json planned(const std::string& options) {
        const Outcome outcome = run("plan e.json --roofline h200 --json " + options);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        return nlohmann::json::parse(outcome.out)["runs"];
    }
};

constexpr const char* kGpt2 =
    R"({"data": {"name": "synthetic-tokens", "batch_size": 16, "context": 1024, "vocabulary": 50304, "length": 50000},
    "model": {"kind": "gpt", "n_layer": 12, "n_head": 12, "n_embd": 768, "attention": "fused"},
    "runs": [{"name": "bf16", "precision": "bf16"}, {"name": "fp16", "precision": "fp16"}]})";
constexpr const char* kResNet50 =
    R"({"data": {"name": "synthetic-images", "batch_size": 256, "samples": 288, "classes": 1000, "height": 224,
    "width": 224, "channels": 3}, "model": {"kind": "resnet50"}, "runs": [{"name": "fp16", "precision": "fp16"}]})";

TEST_F(Roofline, AStepIsTheSumOfItsInstructions) {
    write("e.json", R"({"accumulate": 3, "runs": [{"name": "a", "precision": "fp16"}]})");
    const nlohmann::json entry = planned("")[0];
    double sum = 0;
    std::map<std::string, double> byLimit;
    for (const nlohmann::json& instruction : entry["instructions"]) {
        const double seconds = instruction["predicted_seconds"].get<double>() * instruction["repeats"].get<double>();
        sum += seconds;
        byLimit[instruction["limit"]] += seconds;
    }
    EXPECT_NEAR(entry["roofline"]["step_seconds"], sum, 1e-12);
    for (const auto& [limit, seconds] : byLimit) EXPECT_NEAR(entry["roofline"]["seconds_by_limit"][limit], seconds, 1e-12) << limit;
    EXPECT_GT(byLimit["launch"], 0.9 * sum) << "a small MLP is too small for a GPU";
    EXPECT_NE(run("plan e.json --roofline h200").out.find("too small for this GPU"), std::string::npos);
}

/// Kernels of a step, if each instruction or group of instructions is one, and the bytes that they touch besides those of convolutions.
struct Kernels {
    std::size_t launches = 0;
    double bytes = 0;
};
Kernels kernelsOf(const nlohmann::json& run) {
    Kernels all;
    std::set<int> groups;
    for (const nlohmann::json& each : run["instructions"]) {
        if (each["repeats"] == 0) continue;
        if (!each.contains("group") || groups.insert(each["group"].get<int>()).second) ++all.launches;
        if (!each["operation"].get<std::string>().starts_with("conv2d")) all.bytes += each["bytes"].get<double>();
    }
    return all;
}

/// Steps whose every instruction is a kernel were predicted at 31.5 and 31.3 ms, and took an H200 34.3 and 42.5.
TEST_F(Roofline, OfGpt2AndResNet50CountsGroupsOfInstructionsOnce) {
    write("e.json", kGpt2);
    const nlohmann::json gpt = planned("");
    const double bf16 = gpt[0]["roofline"]["step_seconds"], fp16 = gpt[1]["roofline"]["step_seconds"];
    EXPECT_LT(bf16, 29e-3);
    EXPECT_GT(bf16, 0.9 * 31.5e-3);
    EXPECT_NEAR(fp16 / bf16, 1, 0.02);
    EXPECT_LE(kernelsOf(gpt[0]).launches, 330U);
    EXPECT_LE(kernelsOf(gpt[0]).bytes, 48e9);
    const nlohmann::json& statistics = gpt[0]["roofline"]["statistics_seconds"];
    EXPECT_NEAR(statistics["full"].get<double>() / bf16, 0.25, 0.03) << "the step's tensors are read once more";
    EXPECT_NEAR(statistics["blocks"].get<double>() / bf16, 0.09, 0.01) << "more than half of it is the launch of kernels";
    write("e.json", kResNet50);
    const nlohmann::json resnet = planned("")[0];
    EXPECT_LT(resnet["roofline"]["step_seconds"], 26e-3);
    EXPECT_GT(resnet["roofline"]["step_seconds"], 0.75 * 31.3e-3);
    EXPECT_LE(kernelsOf(resnet).launches, 380U);
    EXPECT_LE(kernelsOf(resnet).bytes, 60e9);
}

TEST_F(Roofline, AutoIsWhatTheGpuComputesBest) {
    write("e.json", R"({"runs": [{"name": "a", "precision": "auto"}]})");
    EXPECT_EQ(planned("")[0]["precision"], "bf16");
    const std::string text = run("plan e.json --roofline v100").out;
    EXPECT_TRUE(text.starts_with("a: fp16, scaler pytorch\n")) << text.substr(0, 100);
}

TEST_F(Roofline, SaysWhichProductsTheGpuHasNoInstructionsFor) {
    write("e.json", R"({"runs": [{"name": "a", "precision": "bf16"}]})");
    EXPECT_NE(run("plan e.json --roofline v100").out.find("no instructions for products in bf16; the prediction uses the rate of fp32"),
              std::string::npos);
    EXPECT_EQ(run("plan e.json --roofline a100").out.find("no instructions"), std::string::npos);
}

TEST_F(Roofline, TheMeasuredStepStandsBesideThePredictedOne) {
    write("e.json", R"({"accumulate": 2, "runs": [{"name": "a", "precision": "bf16"}]})");
    const Outcome both = run("plan e.json --measure --device cpu --roofline h200 --json");
    ASSERT_EQ(both.exitCode, 0) << both.err;
    const nlohmann::json entry = nlohmann::json::parse(both.out)["runs"][0];
    const nlohmann::json& measured = entry["measured"];
    EXPECT_EQ(measured["device"], "cpu");
    EXPECT_GT(measured["step_seconds"], 0);
    double sum = 0;
    std::map<std::string, int> runs;
    for (const nlohmann::json& each : measured["operations"]) {
        sum += each["seconds"].get<double>();
        runs[each["operation"]] += each["runs"].get<int>();
        EXPECT_EQ(each.contains("compute"), each.contains("large_product_tflops")) << each;
    }
    EXPECT_NEAR(measured["operation_seconds"], sum, 1e-12);
    EXPECT_GT(measured["product_seconds"], 0);
    EXPECT_GT(measured["conversion_seconds"], 0);
    EXPECT_LT(measured["product_seconds"].get<double>() + measured["conversion_seconds"].get<double>(), sum);
    EXPECT_LE(measured["short_seconds"], sum);
    std::map<std::string, int> planned;
    for (const nlohmann::json& each : entry["instructions"]) planned[each["operation"]] += each["repeats"].get<int>();
    EXPECT_EQ(runs, planned);
    EXPECT_NE(measured["notes"].dump().find("products in bf16 with fp32 arithmetic"), std::string::npos);
    EXPECT_EQ(entry["roofline"]["gpu"], "h200");
    const std::string text = run("plan e.json --measure --device cpu --roofline h200").out;
    for (const char* words : {"measured on cpu", "% of GEMM", "h200 ms", "limited by", "Products: ", "On h200:"})
        EXPECT_NE(text.find(words), std::string::npos) << words;
    EXPECT_EQ(run("plan e.json --device cpu").exitCode, 2) << "a device without --measure";
    EXPECT_EQ(run("plan e.json --measure --memory").exitCode, 2);
    EXPECT_EQ(run("plan e.json --measure --device cuda:99").exitCode, 2);
}

TEST_F(Roofline, RefusesAnUnknownGpuAndTheMemorysOptions) {
    write("e.json", R"({"runs": [{"name": "a", "precision": "fp16"}]})");
    EXPECT_EQ(run("plan e.json --roofline h2000").exitCode, 2);
    EXPECT_EQ(run("plan e.json --roofline h200 --memory").exitCode, 2);
    EXPECT_EQ(run("plan e.json --roofline h200 --card 24GiB").exitCode, 2);
}

}  // namespace
}  // namespace mantissa
