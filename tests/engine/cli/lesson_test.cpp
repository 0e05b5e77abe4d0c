// SPDX-License-Identifier: Apache-2.0
// `mantissa lesson` as a script would run it.
#include <nlohmann/json.hpp>

#include "tests/engine/cli/program.h"

namespace mantissa {
namespace {

const std::string kLesson =
    "# Small\n\nAbout it.\n\nexperiment: small.json\nseeds: 1 2\n\n## One\nText.\n```do\ntrain to 3\n```\n```claim\n";

class LessonProgram : public ProgramTest {
protected:
    void SetUp() override {
        ProgramTest::SetUp();
        write("small.json",
              R"({"data": {"name": "digits", "batch_size": 8}, "model": {"hidden": [8]}, "steps": 5, "runs": [{"name": "a"}]})");
        write("true.md", kLesson + "loss(\"a\") > 0\n```\n");
        write("false.md", kLesson + "skips(\"a\") == 0\nloss(\"a\") < 0\n```\n");
    }
};

TEST_F(LessonProgram, ListsThoseThatThereAre) {
    const auto list = nlohmann::json::parse(run("lesson --json").out)["lessons"];
    ASSERT_EQ(list.size(), 21u);
    EXPECT_EQ(list[0]["name"], "format-anatomy");
    EXPECT_GT(list[0]["minutes"], 0);
    EXPECT_NE(run("lesson").out.find("find-the-nan\n  Detective: find the NaN, "), std::string::npos);
    EXPECT_NE(run("lesson --functions").out.find("skips(run)"), std::string::npos);
    EXPECT_GT(nlohmann::json::parse(run("lesson --functions --json").out)["functions"].size(), 30u);
}

TEST_F(LessonProgram, ChecksAFileWithItsSeedsOrOthers) {
    const Outcome text = run("lesson true.md");
    EXPECT_EQ(text.exitCode, 0) << text.err;
    EXPECT_NE(text.out.find("Seed 1, 3 steps trained\n  true   true.md:14: loss(\"a\") > 0\n           measured: "), std::string::npos)
        << text.out;
    EXPECT_NE(text.out.find("Seed 2, "), std::string::npos);
    const auto json = nlohmann::json::parse(run("lesson true.md --seed 5 --seed 6 --json").out);
    EXPECT_EQ(json["lesson"], "true");
    ASSERT_EQ(json["checks"].size(), 2u);
    EXPECT_EQ(json["checks"][0]["seed"], 5);
    EXPECT_EQ(json["checks"][1]["holds"], true);
    EXPECT_EQ(json["checks"][0]["claims"][0]["place"], "true.md:14");
}

TEST_F(LessonProgram, AClaimThatDoesNotComeTrueEndsWithThree) {
    const Outcome outcome = run("lesson false.md --seed 4");
    EXPECT_EQ(outcome.exitCode, 3);
    EXPECT_TRUE(outcome.err.starts_with("mantissa: false.md:15: with seed 4 it did not come true: loss(\"a\") < 0: ")) << outcome.err;
    EXPECT_NE(outcome.out.find("  true   false.md:14"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("  FALSE  false.md:15"), std::string::npos) << outcome.out;
    EXPECT_EQ(nlohmann::json::parse(run("lesson false.md --json").out)["checks"][0]["holds"], false);
}

TEST_F(LessonProgram, WhatCannotBeReadIsOneLineWithItsPlace) {
    write("bad.md", kLesson + "lose(\"a\") < 1\n```\n");
    const std::vector<std::pair<std::string, std::string>> refusals{
        {"lesson bad.md", "mantissa: bad.md:14: there is no function 'lose' (did you mean 'loss'?)\n"},
        {"lesson to-hot", "mantissa: to-hot: there is no such file, and no bundled lesson of this name (did you mean 'too-hot'?)\n"},
        {"lesson --seed 1", "mantissa: lesson: --seed needs a lesson\n"},
    };
    for (const auto& [arguments, sentence] : refusals) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exitCode, 2) << arguments;
        EXPECT_EQ(outcome.err, sentence);
        EXPECT_EQ(outcome.out, "");
    }
}

}  // namespace
}  // namespace mantissa
