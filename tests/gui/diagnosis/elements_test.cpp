// SPDX-License-Identifier: Apache-2.0
// Lists of elements in the Diagnose layout, and looks that are asked for: what is asked, and what is shown of the answers.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "gui/app/theme.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/instruments.h"
#include "gui/diagnosis/step_questions.h"
#include "tests/engine/diagnosis/histogram_values.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

TensorStats listedTensor(const std::string& layer, TensorRole role, const std::vector<float>& values, bool isScaled) {
    TensorStats stats{
        .tensor = layer + ".weight.grad", .layer = layer, .operation = "linear_grad_weight", .phase = "backward", .role = role};
    stats.isScaled = isScaled;
    stats.magnitudes = test::histogramOfValues(values);
    for (const float value : values) ++(std::isnan(value) ? stats.classes.nan : value == 0 ? stats.classes.zero : stats.classes.positive);
    return stats;
}

/// Two layers' weight gradients, 1.5 and 1.25 of them in one bar.
TensorsMeasured listedAt(RunId run, std::int64_t step, bool wasAskedFor = false) {
    TensorsMeasured event{.run = run, .stats = {.step = step, .lossScale = 65536, .tensors = {}}, .wasAskedFor = wasAskedFor};
    event.stats.tensors = {listedTensor("layers.1", TensorRole::WeightGradient, {1.5F, 1.25F, 4, 0}, true),
                           listedTensor("layers.0", TensorRole::WeightGradient, {1.5F, NAN}, true)};
    return event;
}

ElementsRead someElements(RunId run, std::int64_t step) {
    return {.commandId = 7,
            .run = run,
            .step = step,
            .found = {.lossScale = 65536,
                      .total = 3,
                      .elements = {{"layers.1.weight.grad", {106, 10}, Dtype::F16, true, INFINITY, 0x7C00, 68688},
                                   {"layers.0.weight.grad", {0, 1}, Dtype::F32, true, 0.1F, 0x3DCCCCCD, NAN}}}};
}

QStringList rowOf(const QAbstractItemModel& model, int row) {
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column) cells << model.index(row, column).data().toString();
    return cells;
}

QString labelsOf(const QWidget& part) {
    QStringList texts;
    for (const QLabel* label : part.findChildren<QLabel*>())
        if (label->isVisibleTo(&part)) texts << label->text();
    return texts.join(u'|');
}

struct ElementsTest : testing::Test {
    SessionModel session;
    Measurements measurements{&session, nullptr};
    ElementsTest() {
        loadThreeRuns(session);
        for (RunId run = 0; run < 3; ++run) session.handle(steps(run, 0, 400));
    }
};

TEST_F(ElementsTest, ALookThatWasAskedForIsKeptBesideTheStrip) {
    for (const std::int64_t step : {288, 320, 352}) session.handle(listedAt(1, step));
    session.handle(listedAt(1, 305, true));
    const RunMeasurements* known = measurements.of(1);
    ASSERT_NE(known, nullptr);
    EXPECT_EQ(known->columns.size(), 3u) << "no column: the strip has the steps that were looked at along the way";
    EXPECT_EQ(known->samples.size(), 3u);
    EXPECT_EQ(known->nearest(305)->step, 305);
    EXPECT_EQ(known->nearest(300)->step, 305);
    EXPECT_EQ(known->nearest(290)->step, 288);
    EXPECT_EQ(known->nearest(-1)->step, 352);
    session.handle(listedAt(1, 384));
    EXPECT_EQ(known->columns.back().step, 384) << "what comes along the way goes on";
    for (std::int64_t step = 100; step < 120; ++step) session.handle(listedAt(1, step, true));
    EXPECT_EQ(known->asked.size(), Measurements::kMostAsked);
    session.handle(RunRewound{1, 110});
    EXPECT_TRUE(known->asked.empty() || known->asked.back().step < 110);
    session.handle(listedAt(0, 5, true));
    ASSERT_NE(measurements.of(0), nullptr);
    EXPECT_EQ(measurements.of(0)->nearest(-1)->step, 5);
    session.handle(RunRewound{0, 0});
    EXPECT_EQ(measurements.of(0), nullptr);
}

TEST_F(ElementsTest, TheNoteSaysWhichStepIsSeen) {
    session.handle(listedAt(1, 288));
    Instruments instruments(&session, &measurements, nullptr);
    instruments.resize(1600, 400);
    instruments.show(1, 305);
    instruments.setAsking(true, false);
    EXPECT_TRUE(labelsOf(instruments).contains(QStringLiteral("nearest sample: step 288")));
    QSignalSpy requested(&instruments, &Instruments::measureRequested);
    QPushButton* ask = nullptr;
    for (QPushButton* button : instruments.findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Measure step 305")) ask = button;
    ASSERT_NE(ask, nullptr);
    ask->click();
    ASSERT_EQ(requested.count(), 1);
    EXPECT_EQ(requested[0][1].toLongLong(), 305);
    instruments.setAsking(true, true);
    EXPECT_FALSE(ask->isEnabled());
    EXPECT_TRUE(labelsOf(instruments).contains(QStringLiteral("measuring step 305")));
    session.handle(listedAt(1, 305, true));
    instruments.refreshNow();
    EXPECT_TRUE(labelsOf(instruments).contains(QStringLiteral("|step 305|")));
    EXPECT_FALSE(labelsOf(instruments).contains(QStringLiteral("nearest sample")));
    EXPECT_FALSE(ask->isVisibleTo(&instruments));
    instruments.show(0, 3);
    session.handle(listedAt(0, 3, true));
    EXPECT_TRUE(instruments.hasStats()) << "one requested sample is enough";
    EXPECT_FALSE(instruments.grab().isNull());
}

TEST_F(ElementsTest, AClickOnABarAsksForItsElementsAndADragForAScale) {
    Microscope microscope(nullptr);
    microscope.resize(600, 240);
    microscope.show({{{0, 500}, {1, 20}, {2, 1}}, Dtype::F16, true, 16, 16});
    QSignalSpy chosen(&microscope, &Microscope::binChosen), tried(&microscope, &Microscope::scaleTried);
    const auto middleOf = [&](int exponent) { return QPoint(static_cast<int>(std::lround(microscope.place(exponent + 0.5))), 210); };
    for (const int exponent : {0, 1, 2}) {
        QTest::mouseClick(&microscope, Qt::LeftButton, Qt::NoModifier, middleOf(exponent));
        ASSERT_EQ(chosen.count(), 1) << exponent;
        EXPECT_EQ(chosen.takeLast()[0].toInt(), exponent);
    }
    EXPECT_EQ(tried.count(), 0);
    QTest::mousePress(&microscope, Qt::LeftButton, Qt::NoModifier, middleOf(1));
    QTest::mouseMove(&microscope, middleOf(6));
    QMouseEvent move(QEvent::MouseMove, QPointF(middleOf(6)), QPointF(middleOf(6)), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&microscope, &move);
    QTest::mouseRelease(&microscope, Qt::LeftButton, Qt::NoModifier, middleOf(6));
    EXPECT_EQ(chosen.count(), 0) << "a drag is no click";
    EXPECT_GE(tried.count(), 1);
    QTest::keyClick(&microscope, Qt::Key_Up);
    QTest::keyClick(&microscope, Qt::Key_Up);
    QTest::keyClick(&microscope, Qt::Key_Return);
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].toInt(), 1) << "from the fullest bar one up";
}

TEST_F(ElementsTest, AreAskedForByTheTensorsThatTheBarCounts) {
    session.handle(listedAt(1, 288));
    Instruments instruments(&session, &measurements, nullptr);
    instruments.resize(1600, 400);
    instruments.show(1, -1);
    QSignalSpy requested(&instruments, &Instruments::elementsRequested);
    const auto last = [&] { return requested.takeLast()[0].value<ReadElements>(); };
    EXPECT_FALSE(instruments.elements()->isVisibleTo(&instruments));
    instruments.listBar(0);
    EXPECT_TRUE(instruments.elements()->isVisibleTo(&instruments));
    const StepStats& stats = *measurements.of(1)->nearest(288);
    ReadElements asked = last();
    EXPECT_EQ(asked.run, 1);
    EXPECT_EQ(asked.step, 288);
    EXPECT_EQ(asked.request.tensors, (std::vector<TensorName>{nameOf(stats.tensors[0]), nameOf(stats.tensors[1])}));
    EXPECT_EQ(asked.request.kind, ElementKind::Magnitude);
    EXPECT_EQ(asked.request.from, 1);
    EXPECT_EQ(asked.request.below, 2);
    instruments.listCount(0, 5);
    EXPECT_EQ(last().request.kind, ElementKind::Zero);
    instruments.listCount(0, 4);
    EXPECT_EQ(last().request.from, facts(Dtype::F16).overflowFrom);
    instruments.listCount(0, 6);
    EXPECT_EQ(last().request.kind, ElementKind::NonFinite);
    instruments.listCount(1, 4);
    EXPECT_EQ(requested.count(), 0) << "a scale that is only tried has no elements";
    instruments.chooseLayer(QStringLiteral("layers.0"));
    instruments.listBar(0);
    EXPECT_EQ(last().request.tensors, std::vector<TensorName>{nameOf(stats.tensors[1])});
    instruments.show(0, -1);
    EXPECT_FALSE(instruments.elements()->isVisibleTo(&instruments)) << "another run";
}

TEST_F(ElementsTest, ACellOfTheStripListsWhatItMeasures) {
    for (const std::int64_t step : {32, 64, 96}) session.handle(listedAt(1, step));
    Instruments instruments(&session, &measurements, nullptr);
    instruments.resize(1600, 400);
    instruments.show(1, -1);
    auto* strip = instruments.findChild<PrecisionStrip*>();
    QSignalSpy requested(&instruments, &Instruments::elementsRequested), cells(strip, &PrecisionStrip::cellChosen);
    strip->resize(500, 260);
    const QRectF cell = strip->cellAt(QStringLiteral("layers.0"), 64);
    ASSERT_FALSE(cell.isEmpty());
    QTest::mouseClick(strip, Qt::LeftButton, Qt::NoModifier, cell.center().toPoint());
    ASSERT_EQ(cells.count(), 1);
    EXPECT_EQ(cells[0][0].toString(), QStringLiteral("layers.0"));
    EXPECT_EQ(cells[0][1].toLongLong(), 64);
    const auto asked = requested.takeLast()[0].value<ReadElements>();
    EXPECT_EQ(asked.step, 64);
    ASSERT_EQ(asked.request.tensors.size(), 1u);
    EXPECT_EQ(asked.request.tensors[0].layer, "layers.0");
    EXPECT_EQ(asked.request.from, 0) << "headroom: the largest come first";
    QTest::mouseClick(strip, Qt::LeftButton, Qt::NoModifier, QPoint(4, static_cast<int>(cell.center().y())));
    EXPECT_EQ(cells.count(), 1) << "a name is a layer, and no cell";
    QTest::keyClick(strip, Qt::Key_Left);
    QTest::keyClick(strip, Qt::Key_Return);
    ASSERT_EQ(cells.count(), 2);
    EXPECT_EQ(cells[1][1].toLongLong(), 32);
    EXPECT_FALSE(instruments.grab().isNull());
}

TEST_F(ElementsTest, ThePanelShowsEachElementInEveryFormat) {
    ElementsPanel panel(nullptr);
    panel.resize(1200, 360);
    QSignalSpy requested(&panel, &ElementsPanel::requested);
    panel.ask({1, 288, {{}}, QStringLiteral("all weight gradients"), Dtype::F16, 4}, ElementChoice::Bar);
    ASSERT_EQ(requested.count(), 1);
    EXPECT_TRUE(labelsOf(panel).contains(QStringLiteral("Reading")));
    ElementsRead other = someElements(1, 300);
    panel.show(other);
    auto* list = panel.findChildren<CopyTable*>()[0]->model();
    EXPECT_EQ(list->rowCount(), 0) << "of another step: it was asked for before";
    panel.show(someElements(1, 288));
    ASSERT_EQ(list->rowCount(), 2);
    EXPECT_EQ(rowOf(*list, 0), (QStringList{"layers.1.weight.grad", "FP16", "[106, 10]", "+Inf", QStringLiteral("68\u202F688")}));
    EXPECT_EQ(rowOf(*list, 1)[ElementsModel::WideColumn], QStringLiteral("\u2013")) << "not known";
    EXPECT_EQ(list->index(0, ElementsModel::ValueColumn).data(Qt::ForegroundRole).value<QColor>(), Theme::current().danger);
    EXPECT_TRUE(labelsOf(panel).contains(QStringLiteral("2 of 3 elements, the largest first. Both columns carry the loss scale, 2¹⁶.")));
    // the number in FP32, as far as it is known
    const auto* formats = panel.findChildren<CopyTable*>()[1]->model();
    ASSERT_EQ(formats->rowCount(), static_cast<int>(kAllDtypes.size()));
    EXPECT_EQ(rowOf(*formats, 2),
              (QStringList{"FP16", QStringLiteral("0    11111 0000000000"), "+Inf", QStringLiteral("\u2013"), QStringLiteral("\u2013"),
                           QStringLiteral("\u2013"), "Inf", QStringLiteral("\u2013"), QStringLiteral("\u2013")}));
    EXPECT_EQ(formats->index(0, FormatsModel::ValueColumn).data().toString(), QStringLiteral("68\u202F688"));
    panel.chooseElement(1);
    const NumberBits fp16 = numberBits(Dtype::F16, 0.1F);
    const QStringList row = rowOf(*formats, 2);
    EXPECT_EQ(row[FormatsModel::BitsColumn], QStringLiteral("0    01011 1001100110"));
    EXPECT_EQ(row[FormatsModel::ValueColumn], QStringLiteral("0.09997559"));
    EXPECT_EQ(row[FormatsModel::ErrorColumn], numberText(fp16.error, 3));
    EXPECT_EQ(row[FormatsModel::UlpColumn], QStringLiteral("\u22120.400"));
    EXPECT_EQ(row[FormatsModel::ClassColumn], QStringLiteral("normal"));
    panel.refuse(QStringLiteral("it was ended on the way"));
    EXPECT_EQ(list->rowCount(), 0);
    EXPECT_TRUE(labelsOf(panel).contains(QStringLiteral("it was ended on the way")));
    auto* choices = panel.findChild<ComboBox*>();
    choices->setCurrentIndex(choices->findData(static_cast<int>(ElementChoice::Lost)));
    emit choices->activated(choices->currentIndex());
    EXPECT_EQ(requested.takeLast()[0].value<ReadElements>().request.kind, ElementKind::Flushed);
    panel.setNarrow(true);
    EXPECT_FALSE(panel.grab().isNull());
}

TEST_F(ElementsTest, AListFitsIntoASmallWindow) {
    session.handle(listedAt(1, 288));
    Instruments instruments(&session, &measurements, nullptr);
    instruments.resize(1600, 400);
    instruments.show(1, -1);
    static_cast<QWidget&>(instruments).show();
    instruments.listBar(0);
    instruments.elements()->show(someElements(1, 288));
    QCoreApplication::processEvents();
    instruments.setNarrow(true);
    QCoreApplication::processEvents();
    EXPECT_LE(instruments.minimumSizeHint().width(), 1000);
    for (const QWidget* part : instruments.findChildren<QWidget*>())
        EXPECT_TRUE(!part->isVisible() || part->parentWidget() != &instruments || part->minimumSizeHint().width() <= 1000)
            << part->accessibleName().toStdString() << " needs " << part->minimumSizeHint().width();
}

TEST_F(ElementsTest, TheTablesAreModels) {
    ElementsModel elements(nullptr);
    FormatsModel formats(nullptr);
    const QAbstractItemModelTester first(&elements, QAbstractItemModelTester::FailureReportingMode::Fatal),
        second(&formats, QAbstractItemModelTester::FailureReportingMode::Fatal);
    elements.show(someElements(1, 1).found.elements);
    elements.show({});
    for (const float value : {0.0F, -0.0F, 1.0F, -3e38F, std::nanf(""), -INFINITY, 1e-45F}) {
        formats.show(value, Dtype::F16);
        for (int row = 0; row < formats.rowCount(); ++row) rowOf(formats, row);
    }
    formats.show(std::nullopt, Dtype::F32);
    EXPECT_EQ(formats.rowCount(), 0);
}

TEST_F(ElementsTest, OneQuestionIsUnderWayAtATime) {
    std::vector<CommandBody> sent;
    StepQuestions questions(
        &session,
        [&](CommandBody body) {
            sent.push_back(std::move(body));
            return sent.size();
        },
        nullptr);
    QSignalSpy read(&questions, &StepQuestions::elementsRead), refused(&questions, &StepQuestions::readRefused);
    questions.measure(1, 305);
    questions.measure(1, 305);
    questions.measure(1, 306);
    questions.measure(1, 307);
    ASSERT_EQ(sent.size(), 1u) << "the others wait";
    EXPECT_TRUE(questions.isMeasuring(1, 305));
    EXPECT_TRUE(questions.isMeasuring(1, 307));
    EXPECT_FALSE(questions.isMeasuring(1, 306)) << "overtaken";
    questions.read({.run = 1, .step = 9, .request = {}});
    questions.answered(1);
    ASSERT_EQ(sent.size(), 2u);
    EXPECT_TRUE(std::holds_alternative<ReadElements>(sent[1])) << "a list that was clicked for comes first";
    ElementsRead answer = someElements(1, 9);
    session.handle(answer);
    EXPECT_EQ(read.count(), 0) << "another command's";
    answer.commandId = 2;
    session.handle(answer);
    EXPECT_EQ(read.count(), 1);
    questions.answered(2);
    ASSERT_EQ(sent.size(), 3u);
    EXPECT_EQ(std::get<MeasureStep>(sent[2]).step, 307);
    questions.answered(3);
    EXPECT_FALSE(questions.isMeasuring(1, 307));
    questions.read({.run = 1, .step = 10, .request = {}});
    session.handle(CommandRefused{4, -1, "", "it was ended on the way"});
    questions.answered(4);
    ASSERT_EQ(refused.count(), 1);
    EXPECT_EQ(refused[0][0].toString(), QStringLiteral("it was ended on the way"));
    questions.read({.run = 1, .step = 11, .request = {}});
    questions.forget();
    EXPECT_EQ(refused.count(), 2);
}

}  // namespace
}  // namespace mantissa::gui
