// SPDX-License-Identifier: Apache-2.0
// The Diagnose layout: what it shows of what the lab knows, and what its buttons ask for.
#include <gtest/gtest.h>

#include <QSignalSpy>

#include "gui/app/layout_memory.h"
#include "gui/controls/health_line.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/diagnose_dock.h"
#include "gui/diagnosis/diagnose_page.h"
#include "gui/diagnosis/examination_text.h"
#include "gui/recordings/session_memory.h"
#include "tests/gui/diagnosis/sample_examination.h"
#include "tests/gui/support/lab_by_hand.h"
#include "tests/gui/support/live_window.h"

namespace mantissa::gui {
namespace {

QStringList shownTexts(const QWidget& part) {
    QStringList texts;
    for (const QLabel* label : part.findChildren<QLabel*>())
        if (label->isVisibleTo(&part)) texts << label->text();
    return texts;
}

QPushButton* buttonOf(const QWidget& part, const QString& text) {
    for (QPushButton* button : part.findChildren<QPushButton*>())
        if (button->text() == text && button->isVisibleTo(&part)) return button;
    return nullptr;
}

void expectNamesInside(const QWidget& part) {
    for (const QWidget* widget : part.findChildren<QWidget*>()) {
        const bool isControl = widget->window() == part.window() && widget->focusPolicy() != Qt::NoFocus &&
                               !qobject_cast<const QAbstractScrollArea*>(widget->parentWidget());
        EXPECT_FALSE(isControl && widget->accessibleName().isEmpty()) << widget->metaObject()->className();
    }
}

struct VerdictTest : testing::Test {
    Lab lab;
    VerdictCard card{&lab, nullptr};
    VerdictTest() {
        loadThreeRuns(lab);
        lab.handle(steps(1, 0, 100));
        card.resize(600, 600);
    }
    void show(const Examination& found, bool canAct = true) { card.show(*lab.run(1), found, canAct); }
};

TEST_F(VerdictTest, OneButtonARemedyTheFirstThatHelpsStandsOut) {
    show(skippedStep(50));
    QPushButton* main = buttonOf(card, QStringLiteral("Set scale 2¹⁹"));
    ASSERT_NE(main, nullptr);
    EXPECT_EQ(main->property("look").toString(), QStringLiteral("primary"));
    for (const QString& other : {QStringLiteral("layers.7 in FP32"), QStringLiteral("Switch to BF16"), QStringLiteral("Leave it")}) {
        ASSERT_NE(buttonOf(card, other), nullptr) << other.toStdString();
        EXPECT_NE(buttonOf(card, other)->property("look").toString(), QStringLiteral("primary"));
    }
    EXPECT_FALSE(buttonOf(card, QStringLiteral("Switch to BF16"))->isEnabled()) << "what it does has not been seen yet";
    QSignalSpy applied(&card, &VerdictCard::applyWished), tried(&card, &VerdictCard::tryWished), left(&card, &VerdictCard::leaveWished);
    main->click();
    ASSERT_EQ(applied.count(), 1);
    EXPECT_EQ(applied[0][0].toInt(), 1);
    buttonOf(card, QStringLiteral("Try them"))->click();
    EXPECT_EQ(tried.count(), 1);
    buttonOf(card, QStringLiteral("Leave it"))->click();
    EXPECT_EQ(left.count(), 1);
    EXPECT_EQ(applied.count(), 1);
    const QStringList texts = shownTexts(card);
    for (const QString& text : {QStringLiteral("The loss scale was too high."), QStringLiteral("3 skips in the next 20 steps."),
                                QStringLiteral("Clipping would not help.")})
        EXPECT_TRUE(texts.contains(text)) << text.toStdString();
    expectNamesInside(card);
}

TEST_F(VerdictTest, WhileItTriesItSaysHowFarAndCanBeStopped) {
    show(skippedStep(50));
    const QString before = QStringLiteral("tried on the next 20 batches, nothing committed");
    ASSERT_TRUE(shownTexts(card).contains(before)) << shownTexts(card).join(u'|').toStdString();
    card.setTrying(true);
    EXPECT_EQ(buttonOf(card, QStringLiteral("Try them")), nullptr);
    const QString progress = progressText({QuestionWork::TryingRemedy, "Switch to BF16", 43, 100});
    EXPECT_EQ(progress, QStringLiteral("Trying: BF16, 43 of 100 steps"));
    card.setTrying(true, progress);
    EXPECT_TRUE(shownTexts(card).contains(progress));
    EXPECT_FALSE(shownTexts(card).contains(before));
    QSignalSpy stopped(&card, &VerdictCard::stopWished), tried(&card, &VerdictCard::tryWished);
    QPushButton* stop = buttonOf(card, QStringLiteral("Stop"));
    ASSERT_NE(stop, nullptr);
    EXPECT_TRUE(stop->isEnabled());
    EXPECT_EQ(stop->accessibleName(), QStringLiteral("Stop trying; what was tried stays"));
    stop->click();
    EXPECT_EQ(stopped.count(), 1);
    EXPECT_EQ(tried.count(), 0);
    card.setTrying(false);
    EXPECT_TRUE(shownTexts(card).contains(before));
    EXPECT_NE(buttonOf(card, QStringLiteral("Try them")), nullptr);
}

TEST(ProgressText, SaysWhatIsDoneAndHowFar) {
    EXPECT_EQ(progressText({}), QStringLiteral("Waiting for an earlier question"));
    EXPECT_EQ(progressText({QuestionWork::CatchingUp, "", 1200, 4000}),
              QStringLiteral("Going back to the step: %1 of %2 steps").arg(groupedText(1200), groupedText(4000)));
    EXPECT_EQ(progressText({QuestionWork::TryingRemedy, "Leave it", 0, 0}), QStringLiteral("Trying: Leave it"));
    EXPECT_EQ(progressText({QuestionWork::Measuring, "", 3, 48}), QStringLiteral("Measuring: 3 of 48 steps"));
}

TEST_F(VerdictTest, WithoutAnEngineNothingCanBePressed) {
    show(skippedStep(50), false);
    for (const QPushButton* button : card.findChildren<QPushButton*>())
        EXPECT_FALSE(button->isVisibleTo(&card) && button->isEnabled()) << button->text().toStdString();
}

TEST_F(VerdictTest, OfASoundStepItSaysSo) {
    show(soundStep(50));
    EXPECT_TRUE(shownTexts(card).contains(QStringLiteral("Nothing is wrong with this step.")));
    EXPECT_FALSE(shownTexts(card).contains(QStringLiteral("What would help")));
    show({});
    EXPECT_FALSE(shownTexts(card).contains(QStringLiteral("What would help"))) << "nothing in it breaks nothing";
}

TEST_F(VerdictTest, OfAStepThatLostSomethingItSaysWhat) {
    Examination found = soundStep(50);
    found.gauges = {{GaugeKind::SwallowedUpdates, Severity::Bad, 0.9, "90 % of the updates of a are lost"}};
    show(found);
    EXPECT_TRUE(shownTexts(card).contains(QStringLiteral("Finite, but updates are lost.")));
    EXPECT_TRUE(shownTexts(card).contains(QStringLiteral("90 % of the updates of a are lost.")));
    EXPECT_FALSE(shownTexts(card).contains(QStringLiteral("Nothing is wrong with this step.")));
    found.gauges[0].severity = Severity::Note;
    show(found);
    EXPECT_TRUE(shownTexts(card).contains(QStringLiteral("Nothing is wrong with this step.")));
    found.verdict.kind = StepVerdict::SilentFailure;
    found.verdict.headline = "Finite, but gradients are lost.";
    found.silent = {{SilentKind::GradientsFlushed, "", "", 0.9}};
    show(found);
    EXPECT_TRUE(shownTexts(card).contains(QStringLiteral("Finite, but gradients are lost.")));
}

/// The commands go nowhere: there is no engine.
struct PageTest : testing::Test {
    Lab lab;
    EngineClient engine{&lab, {QStringLiteral("/nowhere")}};
    CapturedModel captured{&lab, nullptr};
    Measurements measurements{&lab, nullptr};
    DiagnosePage page{&lab, &engine, &captured, &measurements, nullptr};
    void load() {
        loadThreeRuns(lab);
        for (RunId run = 0; run < 3; ++run) lab.handle(steps(run, 0, 100));
    }
};

TEST_F(PageTest, WithoutAnythingItIsCalm) {
    EXPECT_TRUE(shownTexts(page).contains(QStringLiteral("No run to look at")));
    page.next();
    page.previous();
    page.examineLast();
    page.rewindAndFork();
    page.goTo(3);
    page.ask(7, 3);
    EXPECT_EQ(page.shown(), (CapturedStep{-1, -1}));
    load();
    EXPECT_EQ(page.shown(), (CapturedStep{0, -1}));
    lab.handle(steps(0, 100, 1));
    page.choose(0, -1);
    EXPECT_TRUE(shownTexts(page).contains(QStringLiteral("No overflow in fp32"))) << shownTexts(page).join(u'|').toStdString();
    ASSERT_NE(buttonOf(page, QStringLiteral("Examine the last step")), nullptr);
    lab.handle(GaugesRead{0, 101, {{GaugeKind::StandingWeights, Severity::Bad, 1, "the step left all weights of a as they were"}}});
    page.choose(0, -1);
    EXPECT_TRUE(shownTexts(page).contains(QStringLiteral("fp32: Finite, but weights do not move.")))
        << shownTexts(page).join(u'|').toStdString();
    EXPECT_FALSE(shownTexts(page).contains(QStringLiteral("No overflow in fp32")));
    EXPECT_EQ(healthOf(*lab.run(0)).verdict, Verdict::SilentFailure) << "the card's line says the same";
    lab.handle(RunRewound{0, 50});
    EXPECT_EQ(healthOf(*lab.run(0)).verdict, Verdict::Finite);
    StepsRecorded validated = steps(0, 50, 1, kFlagValidated);
    validated.records[0].validationLoss = std::nan("");
    lab.handle(validated);
    page.choose(0, -1);
    EXPECT_TRUE(shownTexts(page).contains(QStringLiteral("fp32: Finite, but validation is not.")));
    lab.handle(steps(0, 51, 9));
    lab.handle(RunRewound{0, 55});
    EXPECT_EQ(healthOf(*lab.run(0)).title, "Finite, but validation is not") << "going back keeps what was before";
}

TEST_F(PageTest, WhatIsReadStaysWhenAnotherStepArrives) {
    load();
    lab.select(1);
    lab.handle(StepExamined{1, skippedStep(50)});
    EXPECT_EQ(page.shown(), (CapturedStep{1, 50})) << "there was nothing to read";
    lab.handle(StepExamined{1, skippedStep(60)});
    lab.handle(StepExamined{2, skippedStep(70)});
    EXPECT_EQ(page.shown(), (CapturedStep{1, 50}));
    page.next();
    EXPECT_EQ(page.shown(), (CapturedStep{1, 60}));
    page.next();
    EXPECT_EQ(page.shown(), (CapturedStep{2, 70}));
    EXPECT_EQ(lab.selected(), 2) << "one run is chosen, here and elsewhere";
    EXPECT_FALSE(buttonOf(page, QStringLiteral("Next"))->isEnabled());
    page.previous();
    EXPECT_EQ(page.shown(), (CapturedStep{1, 60}));
    lab.select(0);
    EXPECT_EQ(page.shown(), (CapturedStep{0, -1}));
    lab.select(1);
    EXPECT_EQ(page.shown(), (CapturedStep{1, 60})) << "the latest of the run";
}

TEST_F(PageTest, ARunThatGoesTakesItsStepsAlong) {
    load();
    lab.handle(StepExamined{1, skippedStep(50)});
    page.choose(1, 50);
    lab.handle(RunRemoved{1});
    EXPECT_EQ(page.examination(), nullptr);
    EXPECT_EQ(captured.rowCount(), 0);
    EXPECT_EQ(page.shown().run, lab.selected());
    lab.handle(threeRuns());
    EXPECT_EQ(page.shown(), (CapturedStep{0, -1}));
}

TEST_F(PageTest, ARewindTakesTheShownStepAway) {
    load();
    lab.handle(StepExamined{1, skippedStep(20)});
    lab.handle(StepExamined{1, skippedStep(50)});
    page.choose(1, 50);
    lab.handle(RunRewound{1, 40});
    EXPECT_EQ(page.shown(), (CapturedStep{1, 20}));
    lab.handle(RunRewound{1, 10});
    EXPECT_EQ(page.shown(), (CapturedStep{1, -1}));
    EXPECT_EQ(page.examination(), nullptr);
}

TEST_F(PageTest, AJumpGoesToTheRunThatWentWrongThere) {
    load();
    lab.handle(steps(2, 100, 1, kFlagSkipped));
    lab.handle(StepExamined{1, skippedStep(50)});
    page.choose(0, -1);
    page.goTo(50);
    EXPECT_EQ(page.shown(), (CapturedStep{1, 50}));
    page.goTo(100);
    EXPECT_EQ(page.shown(), (CapturedStep{2, 100}));
    EXPECT_NE(buttonOf(page, QStringLiteral("Examine step 100")), nullptr) << "it was not looked at yet";
    page.goTo(33);
    EXPECT_EQ(page.shown(), (CapturedStep{2, 100})) << "nothing went wrong there";
}

TEST_F(PageTest, WithoutARemedyTheForkIsTheUsersToSay) {
    load();
    Examination found = skippedStep(50);
    found.remedies.clear();
    lab.handle(StepExamined{1, found});
    page.choose(1, 50);
    QSignalSpy asked(&page, &DiagnosePage::forkDialogWished);
    page.rewindAndFork();
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][1].toLongLong(), 50);
}

TEST_F(PageTest, EveryControlHasAName) {
    load();
    lab.handle(StepExamined{1, skippedStep(50)});
    DiagnoseDock dock(&lab, &engine, &captured, &measurements, nullptr);
    page.choose(1, 50);
    expectNamesInside(page);
    expectNamesInside(dock);
}

TEST_F(PageTest, NothingScrollsSidewaysInASmallWindow) {
    load();
    lab.handle(StepExamined{1, skippedStep(50)});
    page.choose(1, 50);
    page.resize(1280 - DiagnoseDock::kWidth - 1, 600);
    page.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&page));
    EXPECT_LE(page.minimumSizeHint().width(), page.width());
    for (const QLabel* label : page.findChildren<QLabel*>()) {
        if (!label->isVisible()) continue;
        EXPECT_LE(label->mapTo(&page, QPoint(label->width(), 0)).x(), page.width()) << label->text().toStdString();
        const bool mayBeCut = label->wordWrap() || label->property("kind") == "secondary";
        EXPECT_TRUE(mayBeCut || label->width() >= label->sizeHint().width()) << label->text().toStdString();
    }
}

// ---- with the engine ----

/// fp16 at a scale that no step fits, beside fp32.
QString hotExperiment(int hidden = 8) {
    return QStringLiteral(R"({"title": "Hot", "data": {"name": "digits", "batch_size": 16}, "model": {"kind": "mlp", "hidden": [%1]},
        "steps": 400, "runs": [{"name": "wide", "precision": "fp32"},
        {"name": "hot", "precision": "fp16", "scaler": {"preset": "static", "init_scale": 1073741824}}]})")
        .arg(hidden);
}

struct HotLab : LiveLab {
    CapturedModel captured{&lab, nullptr};
    Measurements measurements{&lab, nullptr};
    DiagnosePage page{&lab, &engine, &captured, &measurements, nullptr};
    bool begin(int hidden = 8, Instrumentation looks = Instrumentation::Sampled) {
        engine.start(QStringLiteral("hot"), hotExperiment(hidden));
        if (!QTest::qWaitFor([this] { return lab.state().state == LabState::Paused && lab.runs().size() == 2; }, kPatienceMs)) return false;
        engine.send(SetInstrumentation{looks});
        engine.send(SingleStep{});
        return QTest::qWaitFor([this] { return captured.rowCount() == 1; }, kPatienceMs);
    }
    const RunState& hot() { return **(lab.runs().begin() + 1); }
};

TEST(DiagnoseLive, ARemedyIsAppliedFromTheNextStepOn) {
    HotLab live;
    ASSERT_TRUE(live.begin());
    live.page.choose(live.hot().id, 0);
    const Examination* found = live.page.examination();
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->verdict.kind, StepVerdict::ScaleTooHigh);
    live.page.ask(live.hot().id, 0);
    EXPECT_EQ(live.page.shown().step, 0);
    const auto isTried = [&] { return mainRemedy(*live.page.examination()) != nullptr; };
    if (!isTried()) {  // a busy machine had no time for it
        buttonOf(live.page, QStringLiteral("Try them"))->click();
        ASSERT_TRUE(QTest::qWaitFor(isTried, kPatienceMs));
    }
    const Remedy main = *mainRemedy(*live.page.examination());
    ASSERT_EQ(main.pointer, "/scaler/scale");
    buttonOf(live.page, QString::fromStdString(main.label))->click();
    ASSERT_TRUE(live.settles());
    ASSERT_FALSE(live.lab.markers().empty());
    EXPECT_EQ(live.lab.markers().back().pointer, QStringLiteral("/scaler/scale"));
    EXPECT_EQ(live.lab.markers().back().run, live.hot().id);
    EXPECT_EQ(live.hot().nextScale, Json::parse(main.value).get<double>());
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(2));
    EXPECT_EQ(live.hot().skippedSteps, (std::vector<std::int64_t>{0})) << "it was said to help";

    live.page.rewindAndFork();
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.lab.runs().size() == 3; }, kPatienceMs));
    const RunState& fork = *live.lab.runs().back();
    EXPECT_EQ(fork.info.parent, live.hot().id);
    EXPECT_EQ(fork.info.firstStep, 0);
    EXPECT_TRUE(QTest::qWaitFor([&] { return fork.nextScale == live.hot().nextScale; }, kPatienceMs)) << fork.nextScale;
}

TEST(DiagnoseLive, AnyStepCanBeLookedAt) {
    HotLab live;
    ASSERT_TRUE(live.begin());
    const RunId wide = live.lab.runs().front()->id;
    live.page.choose(wide, -1);
    EXPECT_EQ(live.page.examination(), nullptr);
    QPushButton* examine = live.page.findChild<QPushButton*>(QStringLiteral("examine"));
    examine->click();
    EXPECT_FALSE(examine->isEnabled()) << "one look at a time";
    EXPECT_TRUE(live.page.findChild<QPushButton*>(QStringLiteral("stopExamining"))->isVisibleTo(&live.page));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.page.examination() != nullptr; }, kPatienceMs));
    EXPECT_EQ(live.page.shown(), (CapturedStep{wide, 0}));
    EXPECT_TRUE(shownTexts(live.page).contains(QStringLiteral("Every tensor is finite")));
}

TEST(DiagnoseLive, AnExaminationIsStoppedWhileTrainingGoesOn) {
    HotLab live;
    ASSERT_TRUE(live.begin(512));
    const RunId hot = live.hot().id;
    live.page.choose(hot, 0);
    live.engine.send(Train{});
    ASSERT_TRUE(live.reaches(2));
    QSignalSpy progressed(&live.lab, &Lab::questionProgressed);
    const auto* before = live.page.examination();
    ASSERT_NE(before, nullptr);
    emit live.page.findChild<VerdictCard*>()->tryWished();
    ASSERT_TRUE(QTest::qWaitFor([&] { return progressed.count() > 0; }, kPatienceMs));
    const std::int64_t steps = live.hot().stepCount();
    QPushButton* stop = buttonOf(live.page, QStringLiteral("Stop"));
    ASSERT_NE(stop, nullptr);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.hot().stepCount() > steps; }, kPatienceMs)) << "training is live";
    QSignalSpy answered(&live.engine, &EngineClient::answered);
    stop->click();
    EXPECT_TRUE(QTest::qWaitFor([&] { return buttonOf(live.page, QStringLiteral("Stop")) == nullptr; }, kPatienceMs));
    EXPECT_GE(answered.count(), 1);
    ASSERT_NE(live.page.examination(), nullptr) << "what is known is shown";
    EXPECT_EQ(live.page.examination()->verdict.kind, StepVerdict::ScaleTooHigh);
}

TEST(DiagnoseLive, ACapturedStepIsMeasuredByItselfAndItsElementsAreListed) {
    HotLab live;
    ASSERT_TRUE(live.begin());
    const RunId hot = live.hot().id;
    live.engine.send(SingleStep{});  // a step that is not looked at along the way
    ASSERT_TRUE(QTest::qWaitFor([&] { return findExamination(live.lab, {hot, 1}) != nullptr; }, kPatienceMs));
    live.page.choose(hot, 1);
    const RunMeasurements* known = live.measurements.of(hot);
    ASSERT_NE(known, nullptr);
    EXPECT_TRUE(known->asked.empty()) << "nobody looks at the page";
    live.page.resize(1600, 900);
    live.page.show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !known->asked.empty(); }, kPatienceMs));
    EXPECT_EQ(known->asked[0].step, 1);
    EXPECT_EQ(known->columns.size(), 1u);
    auto* instruments = live.page.findChild<Instruments*>();
    instruments->listNonFinite();
    auto* list = instruments->elements()->findChild<CopyTable*>();
    ASSERT_TRUE(QTest::qWaitFor([&] { return list->model()->rowCount() > 0; }, kPatienceMs));
    std::int64_t expected = 0;
    for (const TensorCensus& tensor : known->asked[0].tensors)
        if (tensor.role == TensorRole::WeightGradient) expected += tensor.classes.nonFinite();
    EXPECT_EQ(list->model()->rowCount(), std::min<std::int64_t>(expected, 200));
    EXPECT_EQ(live.hot().stepCount(), 2) << "the run stays where it is";
    live.page.hide();
}

TEST(DiagnoseLive, ACapturedStepThatWasSeenInPartIsMeasuredWhole) {
    HotLab live;
    ASSERT_TRUE(live.begin(256, Instrumentation::Blocks));
    const RunId hot = live.hot().id;
    const RunMeasurements* known = live.measurements.of(hot);
    ASSERT_TRUE(known && known->nearest(0));
    ASSERT_TRUE(known->nearest(0)->isPartial());
    auto* instruments = live.page.findChild<Instruments*>();
    instruments->show(hot, 0);
    EXPECT_TRUE(shownTexts(*instruments).contains(QStringLiteral("step 0, one block in eight")))
        << shownTexts(*instruments).join(QStringLiteral(" | ")).toStdString();
    live.page.choose(hot, 0);
    live.page.resize(1600, 900);
    live.page.show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !known->asked.empty(); }, kPatienceMs));
    EXPECT_EQ(known->nearest(0)->step, 0);
    EXPECT_FALSE(known->nearest(0)->isPartial()) << "what was asked for stands before what was seen along the way";
    EXPECT_TRUE(QTest::qWaitFor([&] { return shownTexts(*instruments).contains(QStringLiteral("step 0")); }, kPatienceMs));
    EXPECT_FALSE(shownTexts(*instruments).contains(QStringLiteral("step 0, one block in eight")));
    live.page.hide();
}

TEST(DiagnoseWindow, WhyLeadsToTheStepAndTheLayoutIsRemembered) {
    QTemporaryDir folder;
    {
        LiveWindow live;
        live.make(kDefaultExperiment, folder.path());
        live.window->resize(1920, 1080);
        live.window->show();
        live.engine.start(QStringLiteral("hot"), hotExperiment());
        ASSERT_TRUE(
            QTest::qWaitFor([&] { return live.lab.state().state == LabState::Paused && live.lab.runs().size() == 2; }, kPatienceMs));
        EXPECT_TRUE(live.window->actionList().layoutExplore->isChecked());
        live.engine.send(SingleStep{});
        QPushButton* why = nullptr;
        ASSERT_TRUE(QTest::qWaitFor(
            [&] { return (why = live.child<QPushButton>(QStringLiteral("Why? Look at step 0 of hot"))) != nullptr; }, kPatienceMs));
        QTest::mouseClick(why, Qt::LeftButton);
        EXPECT_TRUE(live.window->actionList().layoutDiagnose->isChecked());
        auto* page = live.window->findChild<DiagnosePage*>();
        EXPECT_TRUE(page->isVisible());
        EXPECT_FALSE(live.window->findChild<PlotBoard*>()->isVisible());
        EXPECT_TRUE(QTest::qWaitFor([&] { return page->examination() != nullptr; }, kPatienceMs));
        EXPECT_EQ(page->shown(), (CapturedStep{live.lab.runs().back()->id, 0}));
        live.window->resize(1280, 720);
        EXPECT_FALSE(live.window->findChild<RunsDock*>()->isVisible());
        live.window->close();
    }
    {
        LiveWindow next;
        next.make(kDefaultExperiment, folder.path());
        EXPECT_TRUE(next.window->actionList().layoutDiagnose->isChecked());
        next.window->actionList().layoutExplore->trigger();
    }
    EXPECT_EQ(LayoutMemory(SessionMemory(folder.path()).notes()).current(), LayoutMemory::idOf(WindowLayout::Explore));
}

TEST(DiagnoseWindow, ASkipPausesWhereItWasAskedTo) {
    LiveWindow live;
    live.make();
    live.window->resize(1280, 720);
    live.window->show();
    live.engine.start(QStringLiteral("hot"), hotExperiment());
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.lab.state().state == LabState::Paused && live.lab.runs().size() == 2; }, kPatienceMs));
    live.window->actionList().layoutDiagnose->trigger();
    auto* box = live.child<ComboBox>(QStringLiteral("Pause training on"));
    ASSERT_NE(box, nullptr);
    box->setCurrentIndex(1);
    emit box->activated(1);
    live.engine.send(SetPace{10});  // so that its end is far away, however late the pause comes
    live.window->actionList().train->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !live.lab.runs().back()->skippedSteps.empty(); }, kPatienceMs));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.lab.state().state == LabState::Paused; }, kPatienceMs));
    EXPECT_LT(live.lab.stepCount(), 400) << "long before its end";
    auto* page = live.window->findChild<DiagnosePage*>();
    EXPECT_TRUE(QTest::qWaitFor([&] { return page->examination() != nullptr; }, kPatienceMs));
    EXPECT_EQ(page->shown(), (CapturedStep{live.lab.runs().back()->id, 0}));
}

}  // namespace
}  // namespace mantissa::gui
