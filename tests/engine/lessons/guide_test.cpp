// SPDX-License-Identifier: Apache-2.0
// The guide to lessons: its example is one, and it leaves nothing out.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "engine/session/lesson_check.h"

namespace mantissa {
namespace {

std::string guide() {
    std::ostringstream text;
    text << std::ifstream(MANTISSA_GUIDE).rdbuf();
    return text.str();
}

TEST(LessonGuide, ItsExampleIsALessonThatComesTrue) {
    const std::string text = guide(), fence = "~~~\n";
    const std::size_t begin = text.find(fence) + fence.size(), end = text.find(fence, begin);
    ASSERT_NE(end, std::string::npos);
    const Lesson lesson = readLesson(text.substr(begin, end - begin), "one-hot-step.md");
    EXPECT_EQ(lesson.steps.size(), 2u);
    for (const std::uint64_t seed : lesson.seeds) EXPECT_EQ(checkLesson(lesson, seed, createCpuBackend()).failures(), 0u) << seed;
}

TEST(LessonGuide, NamesEachLessonEachFunctionAndEachPanel) {
    const std::string text = guide();
    for (const BundledLesson& each : bundledLessons()) {
        const std::string row = each.title + " (`" + each.name + "`) | " + std::to_string(each.minutes) + " |";
        EXPECT_NE(text.find(row), std::string::npos) << row;
    }
    for (const ClaimFunction& each : claimFunctions()) {
        const std::string name(each.signature.substr(0, each.signature.find('(')));
        EXPECT_NE(text.find("`" + name), std::string::npos) << name;
    }
    for (const std::string& panel : lessonPanels()) EXPECT_NE(text.find("`" + panel + "`"), std::string::npos) << panel;
}

TEST(LessonPanels, EachButMemoryPlotsASeries) {
    for (const std::string& panel : lessonPanels()) EXPECT_EQ(plottedBy(panel).empty(), panel == "memory") << panel;
    EXPECT_EQ(plottedBy("lost updates"), "lost_updates");
}

}  // namespace
}  // namespace mantissa
