// SPDX-License-Identifier: Apache-2.0
// The program's selftest: its table, its JSON, its device. That the suite can fail is shown in tests/kernels/conformance.
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/engine/cli/program.h"

namespace mantissa {
namespace {

class Selftest : public ProgramTest {};

// One run of all checks: its text is written from the same results, as the next test sees for those of products.
TEST_F(Selftest, EveryFormatHoldsOnThisMachineWithItsDistanceToTheLimit) {
    const Outcome outcome = run("selftest --device cpu --json");
    EXPECT_EQ(outcome.exitCode, 0);
    EXPECT_EQ(outcome.err, "");
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["device"]["name"], "cpu");
    EXPECT_TRUE(json["holds"]);
    EXPECT_LE(json["reference_gradients"]["worst"], json["reference_gradients"]["limit"]);
    EXPECT_GT(json["checks"].size(), 60u);
    std::set<std::string> rows;
    for (const auto& check : json["checks"]) {
        EXPECT_TRUE(check["holds"]) << check;
        EXPECT_GT(check["cases"], 0) << check;
        EXPECT_LE(check["error_over_limit"]["p50"], check["error_over_limit"]["p99"]) << check;
        EXPECT_LE(check["error_over_limit"]["p99"], check["error_over_limit"]["max"]) << check;
        EXPECT_LE(check["error_over_limit"]["max"], 1) << check;
        for (const char* part : {"operation", "format"}) rows.insert(check[part].get<std::string>());
    }
    for (const char* name : {"fp32", "tf32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2", "matmul", "gelu gradient", "adamw"})
        EXPECT_TRUE(rows.contains(name)) << name;
}

TEST_F(Selftest, SaysInATableWhatHolds) {
    const Outcome outcome = run("selftest --only 'fp16 matmul'");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.out;
    EXPECT_EQ(outcome.err, "");
    for (const char* text : {"cpu: ", "fp16 ", "matmul", "worst error", "central differences", ": all hold.\n"})
        EXPECT_NE(outcome.out.find(text), std::string::npos) << text;
    EXPECT_EQ(outcome.out.find("FAIL"), std::string::npos);
}

TEST_F(Selftest, RunsTheChecksThatAreAskedForAndTellsEachAsItEnds) {
    const Outcome outcome = run("selftest --device cpu --only 'fp16 matmul' --progress --json");
    EXPECT_EQ(outcome.exitCode, 0);
    EXPECT_NE(outcome.err.find("fp16 matmul: holds, "), std::string::npos) << outcome.err;
    const auto checks = nlohmann::json::parse(outcome.out)["checks"];
    EXPECT_GE(checks.size(), 1u);
    for (const auto& check : checks) EXPECT_EQ(check["operation"], "matmul") << check;
    EXPECT_EQ(run("selftest --only fp17").exitCode, 2);
}

TEST_F(Selftest, ADeviceThatIsNotThereIsBadInput) {
    for (const char* extent : {"", "--full "}) {
        const Outcome outcome = run(std::string("selftest ") + extent + "--device cuda:0");
        EXPECT_EQ(outcome.exitCode, 2);
        EXPECT_NE(outcome.err.find("cuda:0"), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
}

}  // namespace
}  // namespace mantissa
