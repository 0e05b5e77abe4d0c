// SPDX-License-Identifier: Apache-2.0
// What the bundled lessons claim comes true, with each of their seeds.
#include <gtest/gtest.h>

#include "engine/session/lesson_check.h"
#include "kernels/backend.h"

namespace mantissa {
namespace {

struct LessonOnSeed {
    std::string lesson;
    std::uint64_t seed = 0;
};
void PrintTo(const LessonOnSeed& each, std::ostream* out) {
    *out << each.lesson << " with seed " << each.seed;
}

std::vector<LessonOnSeed> lessonsOnSeeds() {
    std::vector<LessonOnSeed> all;
    for (const BundledLesson& bundled : bundledLessons()) {
        for (const std::uint64_t seed : loadLesson(bundled.name).seeds) all.push_back({bundled.name, seed});
    }
    return all;
}

class BundledLessonTest : public testing::TestWithParam<LessonOnSeed> {};

TEST_P(BundledLessonTest, ClaimsComeTrue) {
    const CheckedLesson checked = checkLesson(loadLesson(GetParam().lesson), GetParam().seed, createCpuBackend());
    EXPECT_GE(checked.claims.size(), 3u);
    for (const CheckedClaim& each : checked.claims)
        EXPECT_TRUE(each.result.holds) << each.place << ": " << each.text << "\nmeasured: " << each.result.measured << each.result.problem;
}

INSTANTIATE_TEST_SUITE_P(Each, BundledLessonTest, testing::ValuesIn(lessonsOnSeeds()), [](const auto& each) {
    std::string name = each.param.lesson + "_" + std::to_string(each.param.seed);
    for (char& c : name) c = c == '-' ? '_' : c;
    return name;
});

TEST(BundledLessons, ThereAreFourteenOfGoodForm) {
    EXPECT_EQ(bundledLessons().size(), 14u);
    for (const BundledLesson& bundled : bundledLessons()) {
        const Lesson lesson = loadLesson(bundled.name);
        EXPECT_GE(lesson.seeds.size(), 3u) << bundled.name;
        EXPECT_GE(lesson.steps.size(), 3u) << bundled.name;
        EXPECT_LE(lesson.steps.size(), 6u) << bundled.name;
        EXPECT_FALSE(lesson.summary.empty()) << bundled.name;
        EXPECT_FALSE(lesson.steps.back().question) << bundled.name << " ends with what to remember";
        std::size_t questions = 0;
        for (const LessonStep& step : lesson.steps) {
            questions += step.question ? 1 : 0;
            for (const LessonChoice& choice : step.question ? step.question->choices : std::vector<LessonChoice>{})
                EXPECT_FALSE(choice.why.empty()) << bundled.name << ": " << choice.text;
        }
        EXPECT_GE(questions, 1u) << bundled.name;
    }
}

}  // namespace
}  // namespace mantissa
