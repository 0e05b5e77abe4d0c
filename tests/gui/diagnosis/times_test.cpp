// SPDX-License-Identifier: Apache-2.0
// The page "Step time": what it shows of a measured step, beside another run and a GPU.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <limits>

#include "gui/diagnosis/diagnose_page.h"
#include "tests/gui/diagnosis/page_parts.h"
#include "tests/gui/support/live_session.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

OperationTime plantedProduct(Dtype compute, double seconds) {
    return {.operation = "linear",
            .kind = OperationKind::Product,
            .compute = compute,
            .runs = 3,
            .flops = 6e9,
            .bytes = 1e6,
            .seconds = seconds,
            .limit = TimeLimit::Compute,
            .peakTflops = 2};
}

StepTimes plantedTimes(Dtype compute, double seconds) {
    const OperationTime cast{
        .operation = "cast", .kind = OperationKind::Conversion, .runs = 4, .bytes = 5e8, .seconds = 2e-3, .limit = TimeLimit::Memory};
    return {.device = "cpu",
            .operations = {plantedProduct(compute, seconds), cast},
            .seconds = seconds + 2e-3,
            .stepSeconds = seconds + 3e-3,
            .notes = {"The products reach %1 of the rate of one large product."_text}};
}

QString rowText(const TimesModel& model, int row) {
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column) cells << model.index(row, column).data().toString();
    return cells.join(u'|');
}

TEST(TimesModelTest, ARowIsAnOperation) {
    TimesModel model(nullptr);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.show(plantedTimes(Dtype::BF16, 6e-3));
    EXPECT_EQ(rowText(model, 0), QStringLiteral("linear|BF16|3|6.000|75.0 %|1|50 %|"));
    EXPECT_EQ(rowText(model, 1), QStringLiteral("cast||4|2.000|25.0 %|||250"));
    EXPECT_DOUBLE_EQ(model.share(0), 0.75);
    StepTimes other = plantedTimes(Dtype::F32, 3e-3);
    other.operations.pop_back();
    model.setBeside(other, QStringLiteral("wide"));
    EXPECT_TRUE(rowText(model, 0).endsWith(QStringLiteral("|3.000|2×"))) << "one format in each: " << rowText(model, 0).toStdString();
    EXPECT_TRUE(rowText(model, 1).endsWith(QStringLiteral("|–|–")));
    other.operations.push_back(plantedProduct(Dtype::F16, 1e-3));
    EXPECT_FALSE(secondsBeside(model.times(), model.times().operations[0], other)) << "two formats: which one?";
    other.operations.push_back(plantedProduct(Dtype::BF16, 5e-3));
    EXPECT_EQ(secondsBeside(model.times(), model.times().operations[0], other), 5e-3);
    for (int column = 0; column < model.columnCount(); ++column)
        EXPECT_FALSE(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty()) << column;
    model.show({});
    EXPECT_EQ(model.rowCount(), 0);
}

struct TimesLab : LiveSession {
    CapturedModel captured{&session, nullptr};
    Measurements measurements{&session, nullptr};
    DiagnosePage page{&session, &engine, &captured, &measurements, nullptr};

    bool begin() {
        engine.start(QStringLiteral("times"), QStringLiteral(R"({"title": "Times", "data": {"name": "digits", "batch_size": 32},
            "model": {"kind": "mlp", "hidden": [48, 40]}, "steps": 400,
            "runs": [{"name": "wide", "precision": "fp32"}, {"name": "narrow", "precision": "bf16"}]})"));
        if (!QTest::qWaitFor([this] { return session.state().state == LabState::Paused && session.runs().size() == 2; }, kPatienceMs))
            return false;
        engine.send(SingleStep{});
        return reaches(1);
    }
};

TEST(TimesPageTest, MeasuresTheRunsAndShowsThemBesideEachOther) {
    TimesLab live;
    ASSERT_TRUE(live.begin());
    const RunId wide = live.session.runs()[0]->id, narrow = live.session.runs()[1]->id;
    live.page.choose(narrow, 0);
    auto* times = live.page.findChild<TimesPage*>();
    auto* beside = times->findChild<QComboBox*>();
    EXPECT_EQ(times->refusal(), QString());
    EXPECT_FALSE(beside->isEnabled());
    const auto isShown = [&](const QString& words) { return !shownTexts(*times).filter(words).isEmpty(); };
    times->measureAll();
    ASSERT_TRUE(QTest::qWaitFor([&] { return beside->findData(wide) > 0; }, kPatienceMs));
    EXPECT_GT(times->model()->rowCount(), 5);
    EXPECT_TRUE(isShown(QStringLiteral("narrow, step 0, on cpu")));
    EXPECT_TRUE(isShown(QStringLiteral("with fp32 arithmetic")));
    EXPECT_EQ(times->model()->columnCount(), TimesModel::Beside);
    const auto choose = [&](const QVariant& data) {
        beside->setCurrentIndex(beside->findData(data));
        emit beside->activated(beside->currentIndex());
    };
    choose(wide);
    EXPECT_EQ(times->model()->columnCount(), TimesModel::Limit);
    EXPECT_TRUE(isShown(QStringLiteral("A step of “wide” takes")));
    choose(QStringLiteral("h200"));
    EXPECT_TRUE(isShown(QStringLiteral("On H200, a step is predicted to take")));
    EXPECT_EQ(times->model()->columnCount(), TimesModel::ColumnCount);
    EXPECT_EQ(times->model()->index(0, TimesModel::Limit).data().toString(), QStringLiteral("launch")) << "a small MLP on an H200";
    EXPECT_EQ(times->model()->headerData(TimesModel::Beside, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("H200 ms"));
    expectNamesInside(*times);
    live.page.choose(wide, 0);
    EXPECT_EQ(beside->currentData(), QStringLiteral("h200")) << "the choice stays";
    EXPECT_FALSE(isShown(QStringLiteral("with fp32 arithmetic"))) << "fp32 is the CPU's own";
    choose(narrow);
    live.engine.send(RemoveRun{narrow});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.runs().size() == 1; }, kPatienceMs));
    EXPECT_LT(beside->findData(narrow), 0);
    EXPECT_FALSE(beside->currentData().isValid());
    EXPECT_EQ(times->model()->columnCount(), TimesModel::Beside);
    EXPECT_GT(times->model()->rowCount(), 5);
}

TEST(TimesPageTest, AnAnswerThatIsEmptyOrOddShowsNothingWrong) {
    SessionModel session;
    EngineClient engine{&session, {QStringLiteral("/nowhere")}};
    loadThreeRuns(session);
    session.handle(steps(2, 0, 10));
    TimesPage page(&session, &engine, nullptr);
    page.resize(900, 500);
    page.show(2, 5);
    session.handle(TimesMeasured{.commandId = 1, .run = 2, .step = 5, .times = {}, .predictions = {{}}});
    EXPECT_EQ(page.model()->rowCount(), 0);
    StepTimes odd = plantedTimes(Dtype::F32, std::numeric_limits<double>::quiet_NaN());
    odd.operations[1].seconds = 1e300;
    session.handle(TimesMeasured{.commandId = 2, .run = 2, .step = 5, .times = odd, .predictions = {odd}});
    EXPECT_EQ(page.model()->rowCount(), 2);
    EXPECT_FALSE(page.grab().isNull());
}

}  // namespace
}  // namespace mantissa::gui
