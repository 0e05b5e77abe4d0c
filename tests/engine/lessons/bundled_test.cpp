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

TEST(BundledLessons, ThereAreTwentyOneOfGoodForm) {
    EXPECT_EQ(bundledLessons().size(), 21u);
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

TEST(BundledLessons, EachIsTranslated) {
    for (const char* language : {"de", "zh_CN"}) {
        ASSERT_EQ(bundledLessons(language).size(), bundledLessons().size());
        for (const BundledLesson& bundled : bundledLessons()) {
            const Lesson english = loadLesson(bundled.name), lesson = loadLesson(bundled.name, language);  // throws where they do not fit
            EXPECT_NE(lesson.title, english.title) << language;
            EXPECT_NE(lesson.summary, english.summary) << language;
            for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
                EXPECT_NE(lesson.steps[i].title, english.steps[i].title) << bundled.name;
                EXPECT_EQ(lesson.steps[i].shown.prose.empty(), english.steps[i].shown.prose.empty()) << bundled.name;
                EXPECT_EQ(lesson.steps[i].shown.claims.size(), english.steps[i].shown.claims.size());
                EXPECT_EQ(lesson.steps[i].reveal.actions.size(), english.steps[i].reveal.actions.size());
                const auto whys = [](const LessonStep& step) {
                    return step.question ? std::count_if(step.question->choices.begin(), step.question->choices.end(),
                                                         [](const LessonChoice& choice) { return !choice.why.empty(); })
                                         : 0;
                };
                EXPECT_EQ(whys(lesson.steps[i]), whys(english.steps[i])) << bundled.name;
            }
        }
    }
    EXPECT_EQ(loadLesson("too-hot", "fr").title, loadLesson("too-hot").title) << "there is no French";
}

TEST(BundledLessons, ATranslationFitsItsLessonOrIsRefused) {
    const auto refusal = [](const std::string& words) -> std::string {
        Lesson lesson = loadLesson("too-hot");
        try {
            translateLesson(lesson, words, "too-hot (xx)");
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(refusal("# T\n\n## One step\nwords\n").find("has 1 steps, the lesson has 5"), std::string::npos)
        << refusal("# T\n\n## One step\nwords\n");
    EXPECT_NE(refusal("# T\n\n## One\n```do\ntrain to 3\n```\n").find("too-hot (xx):4"), std::string::npos);
    EXPECT_NE(refusal("# T\nwords\nminutes: 3\n\n## One\nwords\n").find("too-hot (xx):3"), std::string::npos);
    std::string otherAnswer = "# T\n\n";
    for (int i = 0; i < 5; ++i) otherAnswer += "## S\nwords\n```ask\nq?\n- one *\n- two\n```\nreveal\n";
    EXPECT_NE(refusal(otherAnswer).find("the answers of this step are not those of the lesson"), std::string::npos);
}

}  // namespace
}  // namespace mantissa
