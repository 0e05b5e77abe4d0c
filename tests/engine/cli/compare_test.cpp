// SPDX-License-Identifier: Apache-2.0
// `mantissa compare` as a script would run it.
#include <nlohmann/json.hpp>

#include "tests/engine/cli/program.h"

namespace mantissa {
namespace {

constexpr const char* kParting = R"({"data": {"name": "digits", "batch_size": 16}, "model": {"hidden": [8]}, "steps": 20,
    "events": [{"step": 12, "run": "b", "set": {"/inject/tensor": {"tensor": "layers.0.output", "value": 50}}}],
    "runs": [{"name": "a"}, {"name": "b"}, {"name": "c", "init": {"seed": 5}}, {"name": "d", "model": {"hidden": [9]}}]})";

class Compare : public ProgramTest {
protected:
    void SetUp() override {
        ProgramTest::SetUp();
        write("e.json", kParting);
    }
    void expectRefusal(const std::string& arguments, const std::string& sentence) {
        const Outcome outcome = run("compare " + arguments);
        EXPECT_EQ(outcome.exitCode, 2) << arguments;
        EXPECT_EQ(outcome.err, "mantissa: " + sentence + "\n") << arguments;
        EXPECT_EQ(outcome.out, "");
    }
};

TEST_F(Compare, WhereTwoRunsPartIsSaidInWordsAndAsJson) {
    const Outcome text = run("compare e.json --runs a,b");
    ASSERT_EQ(text.exitCode, 0) << text.err;
    EXPECT_NE(text.out.find("First apart at step 12: layers.0, "), std::string::npos) << text.out;
    EXPECT_NE(text.out.find(" Until step 11 both are equal.\n"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("first apart by more than 1 %: layers.0.output at step 12 (forward)\n"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("layers.1"), std::string::npos) << "a table of layers";
    const auto found = nlohmann::json::parse(run("compare e.json --runs a,b --every 5 --steps 18 --bound 1e-9 --json").out);
    EXPECT_EQ(found["first_apart"]["step"], 15) << "step 12 was not compared";
    EXPECT_EQ(found["first_apart"]["role"], "weight");
    EXPECT_EQ(found["steps"].size(), 4u);
    EXPECT_EQ(found["runs"], (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(found["bound"], 1e-9);
    EXPECT_EQ(found["steps"][0]["layers"][0]["difference"], 0);
}

TEST_F(Compare, NamesMayHaveCommas) {
    write("commas.json", R"({"data": {"name": "digits", "batch_size": 16}, "model": {"hidden": [8]}, "steps": 3,
        "runs": [{"name": "fp16, late"}, {"name": "fp16"}, {"name": "x,y,z"}]})");
    for (const char* names : {"fp16, late,fp16", "fp16,fp16, late", "x,y,z,fp16, late", "fp16,x,y,z"}) {
        const Outcome outcome = run(std::string("compare commas.json --runs '") + names + "'");
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_NE(outcome.out.find("never apart"), std::string::npos) << outcome.out;
    }
}

TEST_F(Compare, RunsThatStayTogetherAndThoseThatBeginApartSaySo) {
    EXPECT_NE(run("compare e.json --runs a,b --steps 10")
                  .out.find("a and b are equal in all 10 compared steps, 0 to 9.\n"
                            "never apart by more than 1 %\n"),
              std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(run("compare e.json --runs a,b --steps 10 --json").out)["first_apart"], nullptr);
    EXPECT_NE(run("compare e.json --runs a,c --steps 3").out.find("They begin with different weights.\n"), std::string::npos);
}

TEST_F(Compare, WhatCannotBeComparedIsRefusedInOneLine) {
    expectRefusal("e.json --runs a,d", "e.json: runs 'a' and 'd' have different models: MLP 64-8-10, relu; MLP 64-9-10, relu");
    expectRefusal("e.json --runs a,e", "e.json: there is no run 'e' (did you mean 'a'?)");
    expectRefusal("e.json --runs a,a", "e.json: a run cannot be compared with itself");
    expectRefusal("e.json --runs a", "compare: --runs takes the names of two runs, as in --runs fp16,fp32");
    EXPECT_EQ(run("compare e.json").exitCode, 2);
    EXPECT_EQ(run("compare e.json --runs a,b --every 0").exitCode, 2);
    EXPECT_EQ(run("compare e.json --runs a,b --bound -1").exitCode, 2);
}

TEST_F(Compare, WhatWasFoundIsSaidBeforeWhyARunCouldNotGoOn) {
    write("ends.json", R"({"data": {"name": "digits", "batch_size": 16}, "model": {"hidden": [8]}, "steps": 20,
        "events": [{"step": 3, "run": "b", "set": {"/inject/input": "inf"}}],
        "runs": [{"name": "a"}, {"name": "b", "precision": "fp16", "scaler": {"preset": "deepspeed", "init_scale": 1, "hysteresis": 1}}]})");
    const Outcome ended = run("compare ends.json --runs a,b");
    EXPECT_EQ(ended.exitCode, 3);
    EXPECT_NE(ended.err.find("run 'b' could not go on"), std::string::npos) << ended.err;
    EXPECT_NE(ended.out.find("largest difference of"), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("layers.0"), std::string::npos);
    EXPECT_FALSE(nlohmann::json::parse(run("compare ends.json --runs a,b --json").out)["stopped"].get<std::string>().empty());
}

}  // namespace
}  // namespace mantissa
