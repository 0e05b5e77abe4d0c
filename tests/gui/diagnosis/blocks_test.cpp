// SPDX-License-Identifier: Apache-2.0
// The page "Blocks": which steps it reads, and what it shows of their operands.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QImage>
#include <cmath>

#include "gui/app/theme.h"
#include "gui/diagnosis/diagnose_page.h"
#include "tests/gui/diagnosis/page_parts.h"
#include "tests/gui/support/live_session.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

OperandBlocks plantedOperand() {
    OperandBlocks operand;
    operand.tensor = "layers.0.output.grad";
    operand.layer = "layers.0";
    operand.products = {Direction::WeightGrad};
    operand.operand = LinearOperand::OutputGradient;
    operand.format = "nvfp4";
    operand.rows = 32, operand.cols = 3, operand.blockRows = 16;
    operand.isRotated = true;
    operand.nonZero = 80, operand.flushed = 20, operand.saturated = 24;
    operand.sqnr = 20.4321;
    operand.map.rows = 2, operand.map.cols = 3;
    operand.map.sqnr = {10, 20, 30, NAN, INFINITY, -INFINITY};
    operand.map.flushed = {0.5f, 0, 0, 0, 0, 0};
    operand.nanScales = 1;
    operand.scales = {{-3, 1}, {0, 4}};
    return operand;
}

TEST(BlockModelTest, ARowIsAnOperand) {
    BlockModel model(nullptr);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.show({plantedOperand()});
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column) cells << model.index(0, column).data().toString();
    EXPECT_EQ(cells.join(u'|'), QStringLiteral("layers.0|weight gradient|gradient|20.43 dB|25.00 %|25.00 %"));
    model.show({});
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(BlockPlotsTest, AreDrawnInBothThemes) {
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
        const ThemeLoan loan(kind);
        BlockMapPlot map(nullptr);
        ScaleHistogram scales(nullptr);
        map.resize(300, 200);
        scales.resize(300, 100);
        map.show(plantedOperand());
        scales.show(plantedOperand().scales);
        const QImage picture = map.grab().toImage();
        EXPECT_EQ(picture.pixelColor(250, 130), Theme::current().danger) << "the scale that is NaN";
        EXPECT_NE(picture.pixelColor(50, 40), picture.pixelColor(250, 40)) << "10 dB and 30 dB";
        EXPECT_EQ(scales.grab().toImage().pixelColor(290, 40), Theme::current().accent);
    }
}

TEST(BlocksPageTest, OnlyARunThatTheEngineTrainsIsRead) {
    SessionModel session;
    loadThreeRuns(session);
    EXPECT_EQ(BlocksPage::refusalFor(session.run(2)), QStringLiteral("The run has no step yet."));
    session.handle(steps(2, 0, 10));
    RunState* run = session.run(2);
    EXPECT_EQ(BlocksPage::refusalFor(run), QString()) << "as after a switch";
    EXPECT_NE(BlocksPage::refusalFor(nullptr), QString());
    EXPECT_FALSE(BlocksPage::hasOwnBlocks(*run));
    run->effectiveAt[QStringLiteral("/precision")] = 5;
    EXPECT_TRUE(BlocksPage::hasOwnBlocks(*run)) << "the steps before may have had some";
    run->effectiveAt.clear();
    run->info.settings.training.precision.policy = "nvfp4";
    EXPECT_TRUE(BlocksPage::hasOwnBlocks(*run));
}

TEST(BlockStripTest, StepsAreSpreadOverTheRun) {
    EXPECT_EQ(spreadSteps(0, 99, 4), (std::vector<std::int64_t>{0, 33, 66, 99}));
    EXPECT_EQ(spreadSteps(0, 2, 12), (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(spreadSteps(500, 500, 12), std::vector<std::int64_t>{500});
    EXPECT_TRUE(spreadSteps(0, -1, 12).empty());
}

TEST(BlockStripTest, ShowsTheSharesOfEachOperandAndKeepsALimitedNumberOfSteps) {
    const ThemeLoan loan(ThemeKind::Light);
    BlockStrip strip(nullptr);
    strip.resize(500, 260);
    OperandBlocks sound = plantedOperand();
    sound.nanScales = 0;
    sound.flushed = 0;
    EXPECT_EQ(operandLabel(sound), QStringLiteral("layers.0: dy in dw"));
    strip.add(3, {plantedOperand()});
    strip.add(7, {sound});
    const QImage picture = strip.plot()->grab().toImage();
    const auto colorAt = [&](std::int64_t step) {
        return picture.pixelColor(strip.plot()->cellAt(QStringLiteral("layers.0: dy in dw"), step).center().toPoint());
    };
    EXPECT_EQ(colorAt(3), Theme::current().danger) << "a scale is NaN";
    EXPECT_EQ(colorAt(7), LayerPlot::rampColor(0)) << "nothing is flushed";
    for (std::int64_t step = 10; step < 40; ++step) strip.add(step, {sound});
    ASSERT_NE(strip.operandsOf(3), nullptr) << "the earliest and the latest stay";
    ASSERT_NE(strip.operandsOf(39), nullptr);
    std::size_t kept = 0;
    for (std::int64_t step = 0; step < 40; ++step) kept += strip.operandsOf(step) ? 1 : 0;
    EXPECT_EQ(kept, BlockStrip::kMostSteps);
    OperandBlocks other = sound;
    other.layer = "layers.5";
    strip.add(50, {other});
    strip.choose(50, 0);
    EXPECT_TRUE(strip.plot()->cellAt(QStringLiteral("layers.0: dy in dw"), 39).isEmpty()) << "steps with other operands are left out";
    EXPECT_FALSE(shownTexts(strip).filter(QStringLiteral("Over 1 of")).isEmpty());
    strip.choose(39, 0);
    EXPECT_FALSE(strip.plot()->cellAt(QStringLiteral("layers.0: dy in dw"), 39).isEmpty());
    strip.clear();
    EXPECT_EQ(strip.operandsOf(39), nullptr);
}

struct BlocksLab : LiveSession {
    CapturedModel captured{&session, nullptr};
    Measurements measurements{&session, nullptr};
    DiagnosePage page{&session, &engine, &captured, &measurements, nullptr};

    bool begin() {
        engine.start(QStringLiteral("blocks"), QStringLiteral(R"({"title": "Blocks", "data": {"name": "digits", "batch_size": 32},
            "model": {"kind": "mlp", "hidden": [48, 40]}, "steps": 400,
            "runs": [{"name": "four", "precision": "nvfp4"}, {"name": "plain", "precision": "bf16"}]})"));
        if (!QTest::qWaitFor([this] { return session.state().state == LabState::Paused && session.runs().size() == 2; }, kPatienceMs))
            return false;
        engine.send(SingleStep{});
        return reaches(1);
    }
};

TEST(BlocksPageTest, ReadsAStepOfTheEngine) {
    BlocksLab live;
    ASSERT_TRUE(live.begin());
    const RunId four = live.session.runs()[0]->id, plain = live.session.runs()[1]->id;
    live.page.choose(four, 0);
    auto* blocks = live.page.findChild<BlocksPage*>();
    auto* model = blocks->findChild<BlockModel*>();
    blocks->read();
    ASSERT_TRUE(QTest::qWaitFor([&] { return model->rowCount() > 0; }, kPatienceMs));
    for (int row = 0; row < model->rowCount(); ++row) EXPECT_GT(model->row(row).sqnr, 5) << row;
    const auto isShown = [&](const QString& words) { return !shownTexts(*blocks).filter(words).isEmpty(); };
    EXPECT_TRUE(isShown(QStringLiteral("NVFP4, blocks of")));
    EXPECT_TRUE(isShown(QStringLiteral("Largest magnitude: ")));
    expectNamesInside(*blocks);
    for (int row = 0; row < model->rowCount(); ++row) EXPECT_EQ(model->row(row).format, "nvfp4");
    live.page.choose(plain, 0);
    EXPECT_EQ(model->rowCount(), 0);
    blocks->choosePolicy(QStringLiteral("mxfp4"));
    blocks->read();
    ASSERT_TRUE(QTest::qWaitFor([&] { return model->rowCount() > 0; }, kPatienceMs));
    for (int row = 0; row < model->rowCount(); ++row) EXPECT_EQ(model->row(row).format, "mxfp4") << "as after a switch";
    EXPECT_EQ(live.session.run(plain)->info.settings.training.precision.policy, "bf16");
}

/// A run without blocks before its switch: the steps that have none are passed over. A rewind forgets what was read.
TEST(BlocksPageTest, ReadsTheStepsThatHaveBlocksAndForgetsThemInARewind) {
    BlocksLab live;
    ASSERT_TRUE(live.begin());
    const RunId plain = live.session.runs()[1]->id;
    for (int i = 0; i < 9; ++i) live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(10));
    live.engine.send(ChangeSetting{plain, "/precision", "mxfp8"});
    for (int i = 0; i < 10; ++i) live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(20));
    live.page.choose(plain, 19);
    auto* blocks = live.page.findChild<BlocksPage*>();
    auto* strip = blocks->findChild<BlockStrip*>();
    blocks->readSeveral();
    ASSERT_TRUE(QTest::qWaitFor([&] { return strip->operandsOf(19) != nullptr; }, kPatienceMs));
    EXPECT_EQ(strip->operandsOf(0), nullptr);
    blocks->readSeveral();
    live.engine.send(RewindRuns{plain, 15});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.run(plain)->stepCount() == 15; }, kPatienceMs));
    EXPECT_EQ(strip->operandsOf(10), nullptr);
    EXPECT_EQ(blocks->findChild<BlockModel*>()->rowCount(), 0);
}

TEST(BlocksPageTest, ReadsSeveralStepsAndShowsTheOneThatIsClicked) {
    BlocksLab live;
    ASSERT_TRUE(live.begin());
    for (int i = 0; i < 30; ++i) live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(31));
    const RunId four = live.session.runs()[0]->id;
    live.page.choose(four, 0);
    auto* blocks = live.page.findChild<BlocksPage*>();
    auto* strip = blocks->findChild<BlockStrip*>();
    auto* model = blocks->findChild<BlockModel*>();
    blocks->readSeveral();
    const std::int64_t last = live.session.run(four)->stepCount() - 1;
    const std::vector<std::int64_t> steps = spreadSteps(0, last, 12);
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return std::all_of(steps.begin(), steps.end(), [&](std::int64_t step) { return strip->operandsOf(step) != nullptr; }); },
        kPatienceMs));
    emit strip->cellChosen(steps[1], 2);
    EXPECT_EQ(model->row(2).sqnr, (*strip->operandsOf(steps[1]))[2].sqnr);
    EXPECT_NE(model->row(2).sqnr, (*strip->operandsOf(steps[2]))[2].sqnr);
    EXPECT_FALSE(shownTexts(*blocks).filter(QStringLiteral("step %1").arg(steps[1])).isEmpty());
}

}  // namespace
}  // namespace mantissa::gui
