// SPDX-License-Identifier: Apache-2.0
// A lesson's text: what it becomes, and the sentence with its place for each mistake.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/lessons/lesson.h"

namespace mantissa {
namespace {

const std::string kHead = "# A lesson\n\nWhat it is about.\n\nexperiment: too-hot\nseeds: 1 2 3\nminutes: 4\n\n";  // 8 lines
const std::string kLesson = kHead +
                            "## Three scales\n"
                            "Look at *this*.\n"
                            "```do\nset \"fp32\" /optimizer/lr 0.003\nhide \"fp16 at 2^24\"\npanels loss, skipped steps\ntrain to 40\n```\n"
                            "```python\nscaler.step()\n```\n"
                            "```ask\nWhich one?\n- The first\n  Because of this.\n- The second *\n  Yes:\n  it is.\n```\n"
                            "It was the second.\n"
                            "```do\nshow \"fp16 at 2^24\"\nexamine \"fp16 at 2^24\" at first bad\n```\n"
                            "```claim\nskips(\"fp16 at 2^24\") == 40\n\n0 < loss(\"fp32\") < inf\n```\n"
                            "## The end\nRemember.\n";

std::string refusalOf(const std::string& text) {
    try {
        (void)readLesson(text, "l.md");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(LessonReader, ReadsNumbersToShow) {
    const Lesson lesson = readLesson(kHead + "## One\nLook.\n```do\nnumber 2^-24 in fp16\nnumber nan in bf16\n```\n", "l.md");
    const auto first = std::get<LessonNumber>(lesson.steps.at(0).shown.actions.at(0));
    EXPECT_EQ(first.value, 0x1p-24F);
    EXPECT_EQ(first.format, Dtype::F16);
    const auto second = std::get<LessonNumber>(lesson.steps[0].shown.actions.at(1));
    EXPECT_TRUE(std::isnan(second.value));
    EXPECT_EQ(second.format, Dtype::BF16);
}

TEST(LessonReader, TellsPartsApart) {
    const Lesson lesson = readLesson(kLesson, "folder/my-lesson.md");
    EXPECT_EQ(lesson.name, "my-lesson");
    EXPECT_EQ(lesson.title, "A lesson");
    EXPECT_EQ(lesson.summary, "What it is about.");
    EXPECT_EQ(lesson.minutes, 4);
    EXPECT_EQ(lesson.seeds, (std::vector<std::uint64_t>{1, 2, 3}));
    EXPECT_EQ(lesson.experimentName, "too-hot");
    ASSERT_EQ(lesson.steps.size(), 2u);
    const LessonStep& step = lesson.steps[0];
    EXPECT_EQ(step.line, 9);
    EXPECT_EQ(step.shown.prose, "Look at *this*.\n```python\nscaler.step()\n```");
    ASSERT_EQ(step.shown.actions.size(), 4u);
    EXPECT_EQ(std::get<LessonSet>(step.shown.actions[0]).value, Json(0.003));
    EXPECT_EQ(std::get<LessonPanels>(step.shown.actions[2]).panels, (std::vector<std::string>{"loss", "skipped steps"}));
    EXPECT_EQ(std::get<LessonTrain>(step.shown.actions[3]).until, 40);
    ASSERT_TRUE(step.question);
    EXPECT_EQ(step.question->text, "Which one?");
    ASSERT_EQ(step.question->choices.size(), 2u);
    EXPECT_FALSE(step.question->choices[0].isRight);
    EXPECT_EQ(step.question->choices[1].text, "The second");
    EXPECT_EQ(step.question->choices[1].why, "Yes: it is.");
    EXPECT_TRUE(step.question->choices[1].isRight);
    EXPECT_EQ(step.reveal.prose, "It was the second.");
    ASSERT_EQ(step.reveal.claims.size(), 2u);
    EXPECT_EQ(step.reveal.claims[1].text(), "0 < loss(\"fp32\") < inf");
    EXPECT_EQ(step.reveal.claims[1].place(), "folder/my-lesson.md:36");
    EXPECT_FALSE(lesson.steps[1].question);
}

TEST(LessonReader, AStateIsWhatLeadsToItFromTheLatestReset) {
    const Lesson lesson = readLesson(kHead +
                                         "## One\nA.\n```do\ntrain to 40\n```\n```ask\n?\n- a *\n- b\n```\nB.\n```do\ntrain to 60\n```\n"
                                         "## Two\nC.\n```do\nreset\nset \"fp32\" /optimizer/lr 0.1\ntrain to 20\n```\n",
                                     "l.md");
    const auto count = [&](LessonPlace place) { return actionsTo(lesson, place).size(); };
    EXPECT_EQ(count({0, false}), 2u);  // the reset of the beginning, and the training
    EXPECT_EQ(count({0, true}), 3u);
    EXPECT_EQ(count({1, false}), 3u);
    EXPECT_TRUE(std::holds_alternative<LessonReset>(actionsTo(lesson, {1, false}).front()));
    EXPECT_EQ(stepsDoneAt(lesson, {0, false}), 40);
    EXPECT_EQ(stepsDoneAt(lesson, {0, true}), 60);
    EXPECT_EQ(stepsDoneAt(lesson, {1, false}), 20);
}

TEST(LessonReader, SeedsAreReplacedInEveryRun) {
    const Lesson lesson = readLesson(kLesson, "l.md");
    const Experiment experiment = parseExperiment(experimentWithSeed(lesson, 7), "seeded");
    ASSERT_EQ(experiment.runs.size(), 4u);
    for (const RunSettings& run : experiment.runs) {
        EXPECT_EQ(run.training.data.seed, 7u);
        EXPECT_EQ(run.training.init.seed, 7u);
    }
}

TEST(LessonReader, EachMistakeHasItsLine) {
    const std::string step = kHead + "## One\nText.\n";
    const auto doing = [&](const std::string& line) { return step + "```do\n" + line + "\n```\n"; };
    const auto claiming = [&](const std::string& line) { return step + "```claim\n" + line + "\n```\n"; };
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"", "l.md:1: a lesson begins with '# '"},
        {"# T\nseed: 1\n", "l.md:2: unknown header 'seed' (did you mean 'seeds'?)"},
        {"# T\n## One\n", "l.md:1: no experiment"},
        {"# T\nexperiment: nowhere\n", "l.md:2: nowhere: there is no such file"},
        {"# T\nexperiment: too-hot\n", "l.md:2: a lesson has at least one step"},
        {"# T\nexperiment: too-hot\nexperiment: too-hot\n", "l.md:3: a lesson has one experiment"},
        {"# T\n```experiment\n{\n```\n## One\n", "l.md:2: not JSON: line"},
        {"# T\nexperiment: too-hot\nseeds: one\n", "l.md:3: seeds: takes whole numbers"},
        {kHead + "## One\n", "l.md:9: step 'One' says nothing"},
        {kHead + "## \nA.\n", "l.md:9: a step has a title"},
        {step + "```do\nreset\n", "l.md:11: this block has no end"},
        {step + "```ask\n?\n- a *\n- b\n```\n", "l.md:9: nothing is said after the question"},
        {step + "```ask\n?\n- a *\n- b *\n```\nA.\n", "l.md:11: one answer is right"},
        {step + "```ask\n?\n- a *\n```\nA.\n", "l.md:11: a question has 2 to 6 answers"},
        {step + "```ask\n?\n- a *\n- \n```\nA.\n", "l.md:14: an answer has a text"},
        {step + "```ask\n- a *\n- b\n```\nA.\n", "l.md:11: the question is missing"},
        {step + "```ask\n?\n- a *\n- b\nand c\n```\nA.\n", "l.md:15: after the answers"},
        {doing("trai to 4"), "l.md:12: 'trai' is no action (did you mean 'train'?)"},
        {doing("train 4"), "l.md:12: it goes: train to 400"},
        {doing("train to 0"), "l.md:12: before step 0 nothing is trained"},
        {doing("train to 40\ntrain to 40"), "l.md:13: 40 steps are done already"},
        {doing("train to 4000"), "l.md:12: the experiment has 1500 steps"},
        {doing("set \"fp3\" /optimizer/lr 1"), "l.md:12: the experiment has no run \"fp3\" (did you mean 'fp32'?)"},
        {doing("set \"fp32\" /optimizer/lt 1"), "l.md:12: at /optimizer/lt: "},
        {doing("number 1 of fp16"), "l.md:12: it goes: number 65519 in fp16"},
        {doing("number 1 in fp17"), "l.md:12: it goes: number 65519 in fp16"},
        {doing("number one in fp16"), "l.md:12: 'one' is no number"},
        {doing("set \"fp32\" lr 1"), "l.md:12: it goes: set"},
        {doing("hide fp32"), "l.md:12: it goes: hide \"RUN\""},
        {doing("panels lost"), "l.md:12: there is no panel 'lost' (did you mean 'loss'?)"},
        {doing("measure \"fp32\" at 4"), "l.md:12: step 4 is not done here: 0 steps are"},
        {doing("examine \"fp32\" at last bad"), "l.md:12: it goes: examine"},
        {claiming("loss(\"fp32\")"), "l.md:12: a claim compares"},
        {claiming("lose(\"fp32\") < 1"), "l.md:12: there is no function 'lose' (did you mean 'loss'?)"},
        {claiming("loss(\"fp3\") < 1"), "l.md:12: the experiment has no run \"fp3\""},
        {claiming("ulp(1, fp1) < 1"), "l.md:12: there is no format 'fp1' (did you mean 'fp16'?)"},
        {claiming("verdict(\"fp32\") < \"a\""), "l.md:12: texts are compared by == and != alone"},
        {claiming("verdict(\"fp32\") == 1"), "l.md:12: a text and a number cannot be compared"},
        {claiming("\"a\" + 1 == 1"), "l.md:12: a text cannot be reckoned with"},
        {claiming("(1 < 2"), "l.md:12: ')' is expected where '< 2' stands"},
        {claiming("1 <"), "l.md:12: a number, a text or a function is expected at the end"},
        {claiming("1 < 2 3"), "l.md:12: one of < <= > >= == != is expected where '3' stands"},
        {claiming("skips(\"fp32\", 4) < 2"), "l.md:12: it goes: skips(run)"},
        {claiming("loss_gap(\"fp32\", \"fp3\", 0..4) < 2"), "l.md:12: the experiment has no run \"fp3\""},
        {claiming("loss_gap(\"fp32\", \"fp32\", 4) < 2"), "l.md:12: it goes: loss_gap(run, other, first..end)"},
        {claiming("highest(loss(\"fp32\")) < 2"), "l.md:12: highest and lowest look over steps"},
        {claiming("memory(\"fp32\", \"mastres\") < 2"), "l.md:12: memory has no \"mastres\" (did you mean 'masters'?)"},
        {claiming("verdict(\"fp32\", 0..4) == \"a\""), "l.md:12: it goes: verdict(run)"},
        {claiming(std::string(100, '(') + "1"), "l.md:12: brackets nest too deep"},
        {claiming(std::string(100, '-') + "1 < 2"), "l.md:12: signs nest too deep"},
    };
    for (const auto& [text, sentence] : mistakes) {
        EXPECT_TRUE(refusalOf(text).starts_with(sentence)) << "wanted: " << sentence << "\n   got: " << refusalOf(text);
    }
}

TEST(LessonReader, FilesAreReadBesideTheLesson) {
    EXPECT_THROW((void)loadLesson("no-such-lesson"), InputError);
    EXPECT_EQ(refusalOf("# T\nexperiment: four-formats\n## One\nA.\n"), "");
}

}  // namespace
}  // namespace mantissa
