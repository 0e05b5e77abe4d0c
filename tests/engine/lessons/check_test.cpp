// SPDX-License-Identifier: Apache-2.0
// A lesson played without a window: what it does to the runs, and a claim that does not come true.
#include <gtest/gtest.h>

#include "engine/session/lesson_check.h"

namespace mantissa {
namespace {

const std::string kHeadLines =
    "# A lesson\n\nAbout it.\n\nseeds: 1 2\n```experiment\n"
    R"({"data": {"name": "digits", "batch_size": 8}, "model": {"hidden": [8]}, "steps": 20, "validation_interval": 5,
        "runs": [{"name": "a", "precision": "fp16", "scaler": {"preset": "static", "init_scale": 64}}, {"name": "b"}]})"
    "\n```\n";

CheckedLesson playedThrough(const std::string& steps, std::uint64_t seed = 1) {
    return checkLesson(readLesson(kHeadLines + steps, "l.md"), seed, createCpuBackend());
}

void expectAll(const CheckedLesson& lesson) {
    for (const CheckedClaim& each : lesson.claims)
        EXPECT_TRUE(each.result.holds) << each.place << ": " << each.text << "\n" << each.result.measured << each.result.problem;
}

TEST(LessonCheck, PlaysEachKindOfAction) {
    const CheckedLesson lesson = playedThrough(
        "## One\nText.\n```do\nhide \"b\"\npanels loss\ntrain to 4\nset \"a\" /scaler/scale 128\nset \"a\" /inject/input \"inf\"\n"
        "train to 8\nmeasure \"a\" at 6\nexamine \"a\" at first bad\nexamine \"b\" at 2\n```\n"
        "```claim\nloss_scale(\"a\", 3) == 64\nloss_scale(\"a\", 4) == 128\nfirst_bad(\"a\") == 4\nskips(\"a\") == 1\n"
        "verdict(\"a\") == \"bad data\"\nverdict(\"b\", 2) == \"sound\"\nunchanged(\"a\", 6) < 0.5\nval_loss(\"b\") == val_loss(\"b\", 4)\n"
        "memory(\"a\", \"masters\") > 0\n```\n"
        "## Two\nText.\n```do\nreset\ntrain to 6\n```\n```claim\nskips(\"a\") == 0\nloss_scale(\"a\") == 64\nloss(\"a\") < inf\n```\n");
    EXPECT_EQ(lesson.claims.size(), 12u);
    expectAll(lesson);
    EXPECT_EQ(lesson.steps, 2 * 8 + 2 * 6);
    EXPECT_EQ(lesson.claims.front().step, "One");
}

TEST(LessonCheck, AClaimThatDoesNotComeTrueIsFound) {
    const CheckedLesson lesson =
        playedThrough("## One\nText.\n```do\ntrain to 4\n```\n```claim\nskips(\"a\") == 3\nloss(\"b\") < inf\n```\n");
    ASSERT_EQ(lesson.claims.size(), 2u);
    EXPECT_EQ(lesson.failures(), 1u);
    EXPECT_FALSE(lesson.claims[0].result.holds);
    EXPECT_EQ(lesson.claims[0].place, "l.md:16");
    EXPECT_EQ(lesson.claims[0].result.measured, "0 ≠ 3");
}

TEST(LessonCheck, ComingAgainGivesTheSameNumbersAndAnotherSeedOthers) {
    const std::string steps =
        "## One\nText.\n```do\ntrain to 4\nset \"b\" /optimizer/lr 0.1\ntrain to 9\n```\n```claim\nloss(\"b\", 0..9) == 0\n```\n"
        "## Two\nText.\n```do\nreset\ntrain to 4\nset \"b\" /optimizer/lr 0.1\ntrain to 9\n```\n```claim\nloss(\"b\", 0..9) == 0\n```\n";
    const auto measured = [](const CheckedLesson& lesson, std::size_t i) { return lesson.claims.at(i).result.measured; };
    const CheckedLesson one = playedThrough(steps), again = playedThrough(steps), other = playedThrough(steps, 2);
    EXPECT_EQ(measured(one, 0), measured(one, 1)) << "after a reset";
    EXPECT_EQ(measured(one, 0), measured(again, 0));
    EXPECT_NE(measured(one, 0), measured(other, 0));
}

TEST(LessonCheck, WhatTheEngineRefusesIsSaidWithItsStep) {
    try {
        playedThrough("## One\nText.\n```do\ntrain to 4\nexamine \"b\" at first bad\n```\n");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "l.md:10: step 'One': no step of \"b\" is bad: its losses and gradients are all finite");
    }
    try {
        playedThrough("## One\nText.\n```do\nset \"b\" /inject/tensor {\"tensor\": \"nowhere\", \"value\": 1}\n```\n");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("l.md:13: at /inject/tensor/tensor: the model makes no tensor 'nowhere'"))
            << error.what();
    }
}

}  // namespace
}  // namespace mantissa
