// SPDX-License-Identifier: Apache-2.0
#include "gui/exports/data_table.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QTableView>
#include <QTest>
#include <cmath>

#include "gui/exports/plot_box.h"
#include "gui/plots/panel.h"
#include "gui/plots/plot_board.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string cell(const QAbstractItemModel& model, int row, int column) {
    return model.index(row, column).data().toString().toStdString();
}

TEST(DataTableModel, KeepsToTheRulesOfModelsWhileRowsAndColumnsChange) {
    SessionModel session;
    loadThreeRuns(session);
    DataTableModel model(&session);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.show({keyOf(Metric::Loss)}, 0, 0, 0);
    EXPECT_EQ(model.rowCount(), 0);
    for (RunId run : {0, 1, 2}) session.handle(steps(run, 0, 20));
    model.show({keyOf(Metric::Loss)}, 0, 20, 0);
    EXPECT_EQ(model.rowCount(), 20);
    EXPECT_EQ(model.columnCount(), 4);
    for (RunId run : {0, 1, 2}) session.handle(steps(run, 20, 5));
    model.show({keyOf(Metric::Loss)}, 0, 25, 0);
    EXPECT_EQ(model.rowCount(), 25);
    session.setHidden(1, true);
    model.show({keyOf(Metric::Loss), keyOf(Metric::GradNorm)}, 10, 20, 0);
    EXPECT_EQ(model.rowCount(), 10);
    EXPECT_EQ(model.columnCount(), 5);
    EXPECT_EQ(cell(model, 0, 0), "10");
    EXPECT_EQ(model.rowOf(12), 2);
    EXPECT_EQ(model.rowOf(20), -1);
    session.handle(threeRuns());
    model.show({keyOf(Metric::Loss)}, 0, 0, 0);
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(DataTableModel, SaysWhatIsNotFiniteAndWhatWasSkipped) {
    SessionModel session;
    loadThreeRuns(session);
    StepsRecorded event = steps(1, 0, 4);
    event.records[1].loss = kInfinity;
    event.records[2].loss = -kInfinity;
    event.records[3].loss = std::nan("");
    event.records[3].flags = kFlagSkipped;
    event.records[3].skippedTotal = 1;
    session.handle(event);
    DataTableModel model(&session);
    model.show({keyOf(Metric::Loss), keyOf(Metric::SkippedTotal)}, 0, 4, 0);
    ASSERT_EQ(model.columnCount(), 3);
    EXPECT_EQ(cell(model, 0, 1), "2");
    EXPECT_EQ(cell(model, 1, 1), "+Inf");
    EXPECT_EQ(cell(model, 2, 1), "−Inf");
    EXPECT_EQ(cell(model, 3, 1), "NaN");
    EXPECT_EQ(cell(model, 2, 2), "0");
    EXPECT_EQ(cell(model, 3, 2), "1, skipped");
    EXPECT_EQ(model.index(3, 1).data(Qt::AccessibleTextRole).toString(), QStringLiteral("fp16 loss at step 3: NaN"));
}

TEST(DataTableModel, ReadsTenMillionStepsAsTheyAreAskedFor) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(0, 0, 1));
    // as many as a long run has, without the time that telling them takes
    auto& loss = const_cast<Series&>(session.runs()[0]->loss);
    constexpr std::int64_t kSteps = 10'000'000;
    while (loss.end() < kSteps) loss.append(static_cast<double>(loss.end()));
    DataTableModel model(&session);
    model.show({keyOf(Metric::Loss)}, 0, kSteps, kSteps);
    EXPECT_EQ(model.rowCount(), DataTableModel::kMostRows);
    EXPECT_EQ(model.stepAt(model.rowCount() - 1), kSteps - 1);
    model.show({keyOf(Metric::Loss)}, 0, kSteps, 5'000'000);
    EXPECT_EQ(model.stepAt(model.rowOf(5'000'000)), 5'000'000);
    EXPECT_EQ(cell(model, model.rowOf(5'000'123), 1), "5\u202f000\u202f123") << "a narrow space per thousand";
}

TEST(DataTableModel, RowsOfARunFromAFileAreTheStepsThatItHas) {
    SessionModel session;
    loadThreeRuns(session);
    auto& loss = const_cast<Series&>(session.runs()[2]->loss);
    for (const std::int64_t step : {0, 100, 200, 300}) loss.appendAt(step, 1);
    DataTableModel model(&session);
    model.show({keyOf(Metric::Loss)}, 50, 301, 0);
    ASSERT_EQ(model.rowCount(), 3);
    EXPECT_EQ(model.stepAt(0), 100);
    EXPECT_EQ(model.rowOf(250), 1);
}

class DataTableTest : public testing::Test {
protected:
    DataTableTest() : m_board(&m_session) {
        m_board.resize(1200, 900);
        m_board.show();
        loadThreeRuns(m_session);
        for (RunId run : {0, 1, 2}) m_session.handle(steps(run, 0, 200));
        m_board.refreshNow();
        m_page = new DataTable(&m_session, &m_board, 0, &m_board);
        m_page->show();
        m_table = m_page->findChild<QTableView*>();
    }
    std::int64_t chosenStep() const { return m_table->currentIndex().siblingAtColumn(0).data().toString().toLongLong(); }

    SessionModel m_session;
    PlotBoard m_board;
    DataTable* m_page = nullptr;
    QTableView* m_table = nullptr;
};

TEST_F(DataTableTest, FollowsCrosshairAndViewBothWays) {
    EXPECT_EQ(m_table->model()->rowCount(), 200);
    m_board.cursors().setStep(42);
    EXPECT_EQ(chosenStep(), 42);
    QTest::keyClick(m_table, Qt::Key_Down);
    EXPECT_EQ(m_board.cursors().step(), 43);
    m_board.cursors().setStep(-1);
    m_board.axes().setFollow(FollowMode::Window);
    m_board.axes().setFollow(FollowMode::All);
    for (RunId run : {0, 1, 2}) m_session.handle(steps(run, 200, 10));
    EXPECT_TRUE(QTest::qWaitFor([&] { return m_table->model()->rowCount() == 210; }, 60000));
}

TEST_F(DataTableTest, ItsBoxHasThePlotsThatAreShown) {
    const auto* box = m_page->findChild<PlotBox*>();
    EXPECT_EQ(box->count(), 6) << "all, and the five";
    EXPECT_EQ(box->panel(), 0);
    m_board.choice().choose("lr", true);
    m_board.choice().choose("grad_norm", false);
    EXPECT_GE(box->findText(QStringLiteral("Learning rate")), 0);
    EXPECT_LT(box->findText(QStringLiteral("Gradient norm")), 0);
    EXPECT_EQ(box->panel(), 0) << "the chosen one stays";
    m_board.choice().showAlone({"val_accuracy"});
    EXPECT_GE(box->findText(QStringLiteral("Validation accuracy")), 0) << "as a lesson shows it";
}

TEST_F(DataTableTest, CopiesTheChosenRowsAtFullPrecision) {
    StepsRecorded event = steps(1, 200, 1);
    event.records[0].loss = 0.1 + 0.2;
    m_session.handle(event);
    EXPECT_TRUE(QTest::qWaitFor([&] { return m_table->model()->rowCount() == 201; }, 60000));
    m_table->selectRow(200);
    QTest::keyClick(m_table, Qt::Key_C, Qt::ControlModifier);
    const QStringList lines = QGuiApplication::clipboard()->text().trimmed().split(u'\n');
    ASSERT_EQ(lines.size(), 2) << QGuiApplication::clipboard()->text().toStdString();
    EXPECT_EQ(lines[0], QStringLiteral("step\tfp16 loss"));
    EXPECT_EQ(lines[1], QStringLiteral("200\t0.30000000000000004"));
    m_table->clearSelection();
    EXPECT_EQ(m_page->selectedText().count(u'\n'), 202) << "all of them, and the heads";
}

}  // namespace
}  // namespace mantissa::gui
