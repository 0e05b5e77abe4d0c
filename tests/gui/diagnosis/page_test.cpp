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
#include "tests/gui/diagnosis/page_parts.h"
#include "tests/gui/diagnosis/sample_examination.h"
#include "tests/gui/support/live_window.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

struct VerdictTest : testing::Test {
    SessionModel session;
    VerdictCard card{&session, nullptr};
    VerdictTest() {
        loadThreeRuns(session);
        session.handle(steps(1, 0, 100));
        card.resize(600, 600);
    }
    void show(const Examination& found, bool canAct = true) { card.show(*session.run(1), found, {canAct, false}); }
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
    QSignalSpy applied(&card, &VerdictCard::applyRequested), tried(&card, &VerdictCard::tryRequested),
        left(&card, &VerdictCard::leaveRequested);
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

TEST_F(VerdictTest, ARemedyThatComesBelowThePointerTakesNoClick) {
    card.QWidget::show();
    Examination found = skippedStep(50);
    show(found);
    std::swap(found.remedies[0], found.remedies[1]);  // as when another one was found to help
    show(found);
    QSignalSpy applied(&card, &VerdictCard::applyRequested);
    const auto press = [&] {
        QCoreApplication::processEvents();  // what is new is shown
        QTest::mouseClick(buttonOf(card, QStringLiteral("Set scale 2¹⁹")), Qt::LeftButton);
    };
    press();
    EXPECT_EQ(applied.count(), 0) << "the hand had aimed at what was there";
    QTest::qWait(VerdictCard::kHoldMs + 50);
    press();
    EXPECT_EQ(applied.count(), 1);
    show(found);
    press();
    EXPECT_EQ(applied.count(), 2) << "nothing has moved";
}

TEST_F(VerdictTest, WhileItTriesItSaysHowFarAndCanBeStopped) {
    show(skippedStep(50));
    const QString before = QStringLiteral("tried on the next 20 batches, the run is unchanged");
    ASSERT_TRUE(shownTexts(card).contains(before)) << shownTexts(card).join(u'|').toStdString();
    card.setTrying(true);
    EXPECT_EQ(buttonOf(card, QStringLiteral("Try them")), nullptr);
    const QString progress = progressText({QuestionWork::TryingRemedy, "Switch to BF16"_text, 43, 100});
    EXPECT_EQ(progress, QStringLiteral("Trying: Switch to BF16, 43 of 100 steps"));
    card.setTrying(true, progress);
    EXPECT_TRUE(shownTexts(card).contains(progress));
    EXPECT_FALSE(shownTexts(card).contains(before));
    QSignalSpy stopped(&card, &VerdictCard::stopRequested), tried(&card, &VerdictCard::tryRequested);
    QPushButton* stop = buttonOf(card, QStringLiteral("Stop"));
    ASSERT_NE(stop, nullptr);
    EXPECT_TRUE(stop->isEnabled());
    EXPECT_EQ(stop->accessibleName(), QStringLiteral("Stop trying; results so far are kept"));
    stop->click();
    EXPECT_EQ(stopped.count(), 1);
    EXPECT_EQ(tried.count(), 0);
    card.setTrying(false);
    EXPECT_TRUE(shownTexts(card).contains(before));
    EXPECT_NE(buttonOf(card, QStringLiteral("Try them")), nullptr);
}

TEST_F(VerdictTest, RemediesThatDidNotHelpAreBelowTheOthers) {
    const QString vain = QStringLiteral("tried, did not help");
    Examination found = skippedStep(50);
    std::swap(found.remedies[0], found.remedies[1]);  // as the engine sorts them
    show(found);
    EXPECT_EQ(shownTexts(card).count(vain), 1);
    found.remedies[0].helps = false;
    show(found);
    EXPECT_FALSE(shownTexts(card).contains(vain));
    EXPECT_TRUE(shownTexts(card).contains(QStringLiteral("tried on the next 20 batches: finite, but the loss is not restored yet")));
}

TEST(ProgressText, SaysWhatIsDoneAndHowFar) {
    EXPECT_EQ(progressText({}), QStringLiteral("Waiting for an earlier question"));
    EXPECT_EQ(progressText({QuestionWork::Rerunning, {}, 1200, 4000}),
              QStringLiteral("Going back to the step: %1 of %2 steps").arg(groupedText(1200), groupedText(4000)));
    EXPECT_EQ(progressText({QuestionWork::TryingRemedy, "Leave it"_text, 0, 0}), QStringLiteral("Trying: Leave it"));
    EXPECT_EQ(progressText({QuestionWork::Measuring, {}, 3, 48}), QStringLiteral("Measuring: 3 of 48 steps"));
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
    found.gauges = {{GaugeKind::LostUpdates, Severity::Bad, 0.9, "90 % of the updates of a are lost."_text}};
    show(found);
    EXPECT_TRUE(shownTexts(card).contains(QStringLiteral("Finite, but updates are lost.")));
    EXPECT_TRUE(shownTexts(card).contains(QStringLiteral("90 % of the updates of a are lost.")));
    EXPECT_FALSE(shownTexts(card).contains(QStringLiteral("Nothing is wrong with this step.")));
    found.gauges[0].severity = Severity::Note;
    show(found);
    EXPECT_TRUE(shownTexts(card).contains(QStringLiteral("Nothing is wrong with this step.")));
    found.verdict.kind = StepVerdict::SilentFailure;
    found.verdict.headline = "Finite, but gradients are lost."_text;
    found.silent = {{SilentKind::GradientsFlushed, "", "", 0.9}};
    show(found);
    EXPECT_TRUE(shownTexts(card).contains(QStringLiteral("Finite, but gradients are lost.")));
}

/// The commands go nowhere: there is no engine.
struct PageTest : testing::Test {
    SessionModel session;
    EngineClient engine{&session, {QStringLiteral("/nowhere")}};
    CapturedModel captured{&session, nullptr};
    Measurements measurements{&session, nullptr};
    DiagnosePage page{&session, &engine, &captured, &measurements, nullptr};
    void load() {
        loadThreeRuns(session);
        for (RunId run = 0; run < 3; ++run) session.handle(steps(run, 0, 100));
    }
};

TEST_F(PageTest, WithoutAnythingItIsCalm) {
    EXPECT_TRUE(shownTexts(page).contains(QStringLiteral("No run to examine")));
    page.next();
    page.previous();
    page.examineLast();
    page.rewindAndFork();
    page.goTo(3);
    page.ask(7, 3);
    EXPECT_EQ(page.shown(), (CapturedStep{-1, -1}));
    load();
    EXPECT_EQ(page.shown(), (CapturedStep{0, -1}));
    session.handle(steps(0, 100, 1));
    page.choose(0, -1);
    EXPECT_TRUE(shownTexts(page).contains(QStringLiteral("No step of fp32 was skipped or non-finite")))
        << shownTexts(page).join(u'|').toStdString();
    ASSERT_NE(buttonOf(page, QStringLiteral("Examine the last step")), nullptr);
    session.handle(
        GaugesRead{0, 101, {{GaugeKind::UnchangedWeights, Severity::Bad, 1, "The step left all weights of a as they were."_text}}});
    page.choose(0, -1);
    EXPECT_TRUE(shownTexts(page).contains(QStringLiteral("fp32: Finite, but weights do not move.")))
        << shownTexts(page).join(u'|').toStdString();
    EXPECT_FALSE(shownTexts(page).contains(QStringLiteral("No step of fp32 was skipped or non-finite")));
    EXPECT_EQ(healthOf(*session.run(0)).verdict, Verdict::SilentFailure) << "the card's line says the same";
    session.handle(RunRewound{0, 50});
    EXPECT_EQ(healthOf(*session.run(0)).verdict, Verdict::Finite);
    StepsRecorded validated = steps(0, 50, 1, kFlagValidated);
    validated.records[0].validationLoss = std::nan("");
    session.handle(validated);
    page.choose(0, -1);
    EXPECT_TRUE(shownTexts(page).contains(QStringLiteral("fp32: Finite, but validation is not.")));
    session.handle(steps(0, 51, 9));
    session.handle(RunRewound{0, 55});
    EXPECT_EQ(healthOf(*session.run(0)).title.english(), "Finite, but validation is not") << "going back keeps what was before";
}

TEST_F(PageTest, ARunThatFailsIsOneClickFromACalmOne) {
    load();
    session.handle(GaugesRead{1, 95, {{GaugeKind::LostUpdates, Severity::Bad, 0.9, "90 % are lost."_text}}});
    page.choose(0, -1);
    QPushButton* failing = nullptr;
    for (QPushButton* each : page.findChildren<QPushButton*>())
        if (each->isVisibleTo(&page) && each->text().contains(session.run(1)->name() + u':')) failing = each;
    ASSERT_NE(failing, nullptr);
    failing->click();
    EXPECT_EQ(page.shown(), (CapturedStep{1, 95}));
}

TEST_F(PageTest, WhatIsReadStaysWhenAnotherStepArrives) {
    load();
    session.select(1);
    session.handle(StepExamined{1, skippedStep(50)});
    EXPECT_EQ(page.shown(), (CapturedStep{1, 50})) << "there was nothing to read";
    session.handle(StepExamined{1, skippedStep(60)});
    session.handle(StepExamined{2, skippedStep(70)});
    EXPECT_EQ(page.shown(), (CapturedStep{1, 50}));
    page.next();
    EXPECT_EQ(page.shown(), (CapturedStep{1, 60}));
    page.next();
    EXPECT_EQ(page.shown(), (CapturedStep{1, 60})) << "the next one is of another run";
    EXPECT_FALSE(buttonOf(page, QStringLiteral("Next"))->isEnabled());
    page.choose(1, 55);
    page.previous();
    EXPECT_EQ(page.shown(), (CapturedStep{1, 50})) << "from a step that is not captured as well";
    EXPECT_FALSE(buttonOf(page, QStringLiteral("Previous"))->isEnabled());
    page.choose(2, 70);
    EXPECT_EQ(session.selected(), 2) << "one run is chosen, here and elsewhere";
    EXPECT_FALSE(buttonOf(page, QStringLiteral("Previous"))->isEnabled());
    session.select(0);
    EXPECT_EQ(page.shown(), (CapturedStep{0, -1}));
    session.select(1);
    EXPECT_EQ(page.shown(), (CapturedStep{1, 60})) << "the latest of the run";
}

TEST_F(PageTest, AFailureReplacesANormalSkipThatNobodyChose) {
    const auto normal = [](std::int64_t step) {
        Examination found = skippedStep(step);
        found.verdict.isNormalProbing = true;
        return found;
    };
    load();
    session.select(1);
    session.handle(StepExamined{1, normal(20)});
    session.handle(StepExamined{1, normal(30)});
    EXPECT_EQ(page.shown(), (CapturedStep{1, 20}));
    session.handle(StepExamined{2, skippedStep(40)});
    EXPECT_EQ(page.shown(), (CapturedStep{1, 20})) << "of another run";
    session.handle(StepExamined{1, skippedStep(50)});
    EXPECT_EQ(page.shown(), (CapturedStep{1, 50}));
    session.handle(StepExamined{1, skippedStep(51)});
    EXPECT_EQ(page.shown(), (CapturedStep{1, 50})) << "the first one";
    page.choose(1, 20);
    session.handle(StepExamined{1, skippedStep(60)});
    EXPECT_EQ(page.shown(), (CapturedStep{1, 20})) << "somebody reads it";
}

TEST_F(PageTest, ARunThatGoesTakesItsStepsAlong) {
    load();
    session.handle(StepExamined{1, skippedStep(50)});
    page.choose(1, 50);
    session.handle(RunRemoved{1});
    EXPECT_EQ(page.examination(), nullptr);
    EXPECT_EQ(captured.rowCount(), 0);
    EXPECT_EQ(page.shown().run, session.selected());
    session.handle(threeRuns());
    EXPECT_EQ(page.shown(), (CapturedStep{0, -1}));
}

TEST_F(PageTest, ARewindTakesTheShownStepAway) {
    load();
    session.handle(StepExamined{1, skippedStep(20)});
    session.handle(StepExamined{1, skippedStep(50)});
    page.choose(1, 50);
    session.handle(RunRewound{1, 40});
    EXPECT_EQ(page.shown(), (CapturedStep{1, 20}));
    session.handle(RunRewound{1, 10});
    EXPECT_EQ(page.shown(), (CapturedStep{1, -1}));
    EXPECT_EQ(page.examination(), nullptr);
}

TEST_F(PageTest, AJumpGoesToTheRunThatWentWrongThere) {
    load();
    session.handle(steps(2, 100, 1, kFlagSkipped));
    session.handle(StepExamined{1, skippedStep(50)});
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
    session.handle(StepExamined{1, found});
    page.choose(1, 50);
    QSignalSpy asked(&page, &DiagnosePage::forkDialogRequested);
    page.rewindAndFork();
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][1].toLongLong(), 50);
}

TEST_F(PageTest, EveryControlHasAName) {
    load();
    session.handle(StepExamined{1, skippedStep(50)});
    DiagnoseDock dock(&session, &engine, &captured, &measurements, nullptr);
    page.choose(1, 50);
    expectNamesInside(page);
    expectNamesInside(dock);
}

TEST_F(PageTest, NothingScrollsSidewaysInASmallWindow) {
    load();
    session.handle(StepExamined{1, skippedStep(50)});
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

}  // namespace
}  // namespace mantissa::gui
