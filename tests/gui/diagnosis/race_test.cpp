// SPDX-License-Identifier: Apache-2.0
// The scaler race below the cards: entrants as a table, scales as a picture, and what its buttons ask for.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QImage>
#include <QSignalSpy>
#include <cmath>

#include "gui/app/theme.h"
#include "gui/controls/copy_table.h"
#include "gui/diagnosis/diagnose_page.h"
#include "tests/gui/support/live_session.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

/// Steps 100 to 499: the first half bears 2^14, the other 2^20, and step 300 no scale at all.
std::vector<StepThreshold> madeUp() {
    std::vector<StepThreshold> steps;
    for (std::int64_t step = 100; step < 500; ++step) {
        const double highest = step < 300 ? 0x1p14 : 0x1p20;
        steps.push_back({step, highest, 1.5 * highest, 0.1});
    }
    steps[200] = {300, 0, 0, 0};
    return steps;
}

int rowOf(const QAbstractItemModel& model, const QString& name) {
    for (int row = 0; row < model.rowCount(); ++row)
        if (model.index(row, 0).data().toString() == name) return row;
    ADD_FAILURE() << name.toStdString();
    return 0;
}

TEST(RaceModelTest, ARowIsWhatTheRaceSays) {
    RaceModel model(nullptr);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const ScalerSettings own{.preset = "pytorch", .growthInterval = 50};
    model.begin(own);
    EXPECT_EQ(model.rowCount(), static_cast<int>(racingPresets().size()) + 1);
    EXPECT_EQ(model.index(0, RaceModel::SkippedColumn).data().toString(), QStringLiteral("–"));
    const auto steps = madeUp();
    model.setThresholds(steps);
    const RacedScaler raced = mantissa::raced(steps, own);
    EXPECT_GT(raced.skippedSteps(), 3);
    EXPECT_EQ(model.index(0, RaceModel::NameColumn).data().toString(), QStringLiteral("this run's scaler"));
    EXPECT_EQ(model.index(0, RaceModel::SkippedColumn).data().toLongLong(), raced.skippedSteps());
    EXPECT_EQ(model.index(0, RaceModel::RowColumn).data().toLongLong(), raced.longestRow);
    EXPECT_EQ(model.index(0, RaceModel::HeadroomColumn).data().toDouble(), std::round(raced.meanHeadroom * 10) / 10);
    EXPECT_EQ(model.index(0, RaceModel::EndColumn).data().toString(), QStringLiteral("–"));
    const int fixed = rowOf(model, QStringLiteral("static"));
    EXPECT_EQ(model.index(fixed, RaceModel::SkippedColumn).data().toString(), QStringLiteral("201"));
    EXPECT_EQ(model.index(fixed, RaceModel::FinalColumn).data().toString(), QStringLiteral("2¹⁶"));
    EXPECT_EQ(model.index(fixed, RaceModel::HeadroomColumn).data().toString(), QStringLiteral("4.0"));

    model.edit(fixed, {.preset = "static", .initScale = 0x1p10});
    EXPECT_EQ(model.index(fixed, RaceModel::NameColumn).data().toString(), QStringLiteral("static, edited"));
    EXPECT_EQ(model.index(fixed, RaceModel::SkippedColumn).data().toString(), QStringLiteral("1"));
    model.begin(own);
    EXPECT_EQ(model.index(fixed, RaceModel::SkippedColumn).data().toString(), QStringLiteral("201")) << "another run, as it entered";
}

TEST(RaceModelTest, WhereAFrameworkGivesUpIsSaid) {
    RaceModel model(nullptr);
    model.begin({});
    std::vector<StepThreshold> hopeless;
    for (std::int64_t step = 0; step < 40; ++step) hopeless.push_back({.step = step});
    model.setThresholds(hopeless);
    const int row = rowOf(model, QStringLiteral("deepspeed"));
    EXPECT_EQ(model.index(row, RaceModel::EndColumn).data().toString(), QStringLiteral("17"));
    EXPECT_TRUE(model.index(row, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("smallest loss scale")));
}

TEST(RacePlotTest, WhatOverflowsIsShadedAndWhatIsChosenIsStrong) {
    Theme::apply(*qApp, ThemeKind::Light);
    RaceModel model(nullptr);
    model.begin({.preset = "static", .initScale = 0x1p16});
    RacePlot plot(&model, nullptr);
    plot.resize(800, 400);
    EXPECT_EQ(plot.stepText(100), QString());
    EXPECT_FALSE(plot.grab().isNull()) << "nothing measured, nothing drawn";
    model.setThresholds(madeUp());
    const auto colors = [&] {
        const QImage image = plot.grab().toImage();
        std::map<QRgb, int> count;
        for (int x = 41; x < 600; ++x)
            for (int y = 40; y < 350; ++y) ++count[image.pixel(x, y)];
        return count;
    };
    const Theme& theme = Theme::current();
    auto seen = colors();
    EXPECT_GT(seen[theme.dangerFill.rgb()], 10000);
    EXPECT_EQ(seen[theme.accent.rgb()], 0) << "nothing is chosen";
    plot.setChosen({0});
    seen = colors();
    EXPECT_GT(seen[theme.accent.rgb()], 400) << "the line";
    EXPECT_EQ(plot.stepText(100), QStringLiteral("The highest usable loss scale at step 100 is 2¹⁴.\nthis run's scaler: 2¹⁶, skipped"));
    EXPECT_EQ(plot.stepText(499), QStringLiteral("The highest usable loss scale at step 499 is 2²⁰.\nthis run's scaler: 2¹⁶"));
    EXPECT_TRUE(plot.stepText(300).startsWith(QStringLiteral("No loss scale is usable at step 300.")));
    EXPECT_EQ(plot.stepText(99), QString());
    EXPECT_EQ(plot.stepText(500), QString());
}

TEST(RacePageTest, ScalersAreWrittenAsTheExperimentReadsThem) {
    EXPECT_EQ(scalerJson({.preset = "pytorch"}), Json::parse(R"({"preset":"pytorch"})"));
    EXPECT_EQ(scalerJson({.preset = "megatron", .initScale = 8, .growthInterval = 5, .hysteresis = 3}),
              Json::parse(R"({"preset":"megatron","init_scale":8.0,"growth_interval":5,"hysteresis":3})"));
}

TEST(RacePageTest, BeforeAnythingIsMeasuredItSaysWhatForAndFits) {
    SessionModel session;
    EngineClient engine{&session, {QStringLiteral("/nowhere")}};
    RacePage page(&session, &engine, nullptr);
    loadThreeRuns(session);
    for (RunId run = 0; run < 3; ++run) session.handle(steps(run, 0, 100));
    page.setNarrow(true);
    page.resize(900, 700);
    page.show(1);
    auto* measure = page.findChild<QPushButton*>(QStringLiteral("measureThresholds"));
    EXPECT_EQ(measure->accessibleName(), QStringLiteral("Measure steps 0 to 99 of fp16"));
    EXPECT_TRUE(measure->isEnabled());
    EXPECT_LE(page.minimumSizeHint().width(), 900);
    EXPECT_FALSE(page.findChild<CopyTable*>()->isVisibleTo(&page));
    for (const QWidget* widget : page.findChildren<QWidget*>()) {
        const bool isControl = widget->focusPolicy() != Qt::NoFocus && !qobject_cast<const QAbstractScrollArea*>(widget->parentWidget());
        EXPECT_FALSE(isControl && widget->accessibleName().isEmpty()) << widget->metaObject()->className();
    }
    QSignalSpy said(&page, &RacePage::said);
    measure->click();
    EXPECT_EQ(said.count(), 1) << "there is no engine";
}

/// A run that skips now and then, and one that is wider.
QString racingExperiment(int stepCount) {
    return QStringLiteral(R"({"title": "Race", "data": {"name": "digits", "batch_size": 16}, "model": {"kind": "mlp", "hidden": [8]},
        "optimizer": {"kind": "sgd", "lr": 0.5}, "steps": %1, "validation_interval": 100000, "runs": [{"name": "wide", "precision": "fp32"},
        {"name": "scaled", "precision": "fp16", "scaler": {"preset": "pytorch", "init_scale": 16777216, "growth_interval": 3}}]})")
        .arg(stepCount);
}

struct RaceLab : LiveSession {
    CapturedModel captured{&session, nullptr};
    Measurements measurements{&session, nullptr};
    DiagnosePage page{&session, &engine, &captured, &measurements, nullptr};
    RacePage& race() { return *page.race(); }
    QPushButton* button(const QString& name) { return page.findChild<QPushButton*>(name); }
    bool begin(int stepCount, bool trains) {
        engine.start(QStringLiteral("race"), racingExperiment(stepCount));
        if (!QTest::qWaitFor([this] { return session.state().state == LabState::Paused && session.runs().size() == 2; }, kPatienceMs))
            return false;
        if (!trains) engine.send(SingleStep{});
        if (trains) engine.send(SetPace{0}), engine.send(Train{});
        if (!QTest::qWaitFor([this] { return scaled().hasSteps(); }, kPatienceMs)) return false;
        if (trains && !reaches(stepCount)) return false;
        page.choose(scaled().id, -1);
        return true;
    }
    const RunState& scaled() { return *session.runs()[1]; }
    bool isMeasured(std::size_t count) {
        return QTest::qWaitFor([&] { return race().model()->thresholds().size() >= count; }, kPatienceMs);
    }
};

TEST(RaceLive, TheRunsOwnRowIsWhatTheRunDid) {
    RaceLab live;
    ASSERT_TRUE(live.begin(60, true));
    live.button(QStringLiteral("measureThresholds"))->click();
    ASSERT_TRUE(live.isMeasured(60));
    EXPECT_EQ(live.race().model()->row(RaceModel::kOwnRow).result.skipped, live.scaled().skippedSteps);
    EXPECT_GT(live.scaled().skippedSteps.size(), 4u);
    EXPECT_EQ(live.race().plot()->chosen(), (std::vector<int>{RaceModel::kOwnRow}));

    // the table chooses what is strong, and what is edited and used
    auto* table = live.page.findChild<CopyTable*>(QStringLiteral("raceTable"));
    table->sortByColumn(RaceModel::NameColumn, Qt::DescendingOrder);
    const int fixed = rowOf(*live.race().model(), QStringLiteral("static"));
    table->selectRow(rowOf(*table->model(), QStringLiteral("static")));
    EXPECT_EQ(live.race().plot()->chosen(), (std::vector<int>{fixed}));
    NumberField* init = nullptr;
    for (NumberField* field : live.page.findChildren<NumberField*>())
        if (field->accessibleName().contains(QStringLiteral("Initial scale of the chosen"))) init = field;
    ASSERT_NE(init, nullptr);
    emit init->requested(0x1p40);
    EXPECT_EQ(live.race().model()->row(fixed).result.skippedSteps(), 60) << "replayed at once";
    emit init->requested(8.0);
    EXPECT_EQ(live.race().model()->row(fixed).result.skippedSteps(), 0);
    QPushButton* use = live.button(QStringLiteral("useScaler"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return use->isEnabled(); }, kPatienceMs));
    use->click();
    ASSERT_TRUE(live.settles());
    const ScalerSettings now = live.scaled().info.settings.training.scaler;
    EXPECT_EQ(now, (ScalerSettings{.preset = "static", .initScale = 8.0}));
    EXPECT_EQ(live.race().model()->row(RaceModel::kOwnRow).before, now) << "as the run has it now";
    EXPECT_FALSE(use->isEnabled()) << "it is in use";
}

TEST(RaceLive, StopLeavesWhatWasMeasured) {
    RaceLab live;
    ASSERT_TRUE(live.begin(2'000'000, false));
    for (NumberField* field : live.page.findChildren<NumberField*>())
        if (field->accessibleName() == QStringLiteral("Last step to be measured")) emit field->requested(1'999'999);
    live.button(QStringLiteral("measureThresholds"))->click();
    ASSERT_TRUE(live.isMeasured(1));
    EXPECT_FALSE(live.button(QStringLiteral("measureThresholds"))->isVisibleTo(&live.page));
    for (QPushButton* button : live.race().findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Stop")) button->click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.button(QStringLiteral("measureThresholds"))->isVisibleTo(&live.race()); }, kPatienceMs));
    const std::size_t kept = live.race().model()->thresholds().size();
    EXPECT_GT(kept, 0u);
    EXPECT_LT(kept, 1'000'000u);
    live.page.choose(live.session.runs()[0]->id, -1);
    EXPECT_TRUE(live.race().model()->thresholds().empty()) << "of the other run nothing is known";
    live.page.choose(live.scaled().id, -1);
    EXPECT_EQ(live.race().model()->thresholds().size(), kept);
}

}  // namespace
}  // namespace mantissa::gui
