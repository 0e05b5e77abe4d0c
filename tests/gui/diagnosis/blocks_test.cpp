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

TEST(BlocksPageTest, ARunWithoutBlocksHasAReason) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(2, 0, 10));
    RunState* run = session.run(2);
    EXPECT_EQ(BlocksPage::refusalFor(run, 3), QStringLiteral("The run's precision has no blocks at this step."));
    run->effectiveAt[QStringLiteral("/precision")] = 5;
    EXPECT_EQ(BlocksPage::refusalFor(run, 3), QString()) << "the engine knows";
    EXPECT_NE(BlocksPage::refusalFor(run, 5), QString());
    run->info.settings.training.precision.policy = "nvfp4";
    EXPECT_EQ(BlocksPage::refusalFor(run, 5), QString());
    EXPECT_NE(BlocksPage::refusalFor(nullptr, 0), QString());
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
    live.page.choose(plain, 0);
    QPushButton* entry = nullptr;
    for (QPushButton* each : live.page.pages()->findChildren<QPushButton*>(QString(), Qt::FindDirectChildrenOnly))
        if (each->text() == QStringLiteral("Blocks")) entry = each;
    ASSERT_NE(entry, nullptr);
    EXPECT_FALSE(entry->isEnabled());
    EXPECT_EQ(entry->toolTip(), QStringLiteral("The run's precision has no blocks at this step."));
    live.page.choose(four, 0);
    ASSERT_TRUE(entry->isEnabled());
    auto* blocks = live.page.findChild<BlocksPage*>();
    auto* model = blocks->findChild<BlockModel*>();
    blocks->read();
    ASSERT_TRUE(QTest::qWaitFor([&] { return model->rowCount() > 0; }, kPatienceMs));
    for (int row = 0; row < model->rowCount(); ++row) EXPECT_GT(model->operand(row).sqnr, 5) << row;
    const auto isShown = [&](const QString& words) { return !shownTexts(*blocks).filter(words).isEmpty(); };
    EXPECT_TRUE(isShown(QStringLiteral("NVFP4, blocks of")));
    EXPECT_TRUE(isShown(QStringLiteral("Largest magnitude: ")));
    expectNamesInside(*blocks);
    live.page.choose(plain, 0);
    EXPECT_EQ(model->rowCount(), 0);
    EXPECT_FALSE(entry->isEnabled());
}

}  // namespace
}  // namespace mantissa::gui
