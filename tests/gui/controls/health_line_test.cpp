// SPDX-License-Identifier: Apache-2.0
// The line that says how a run stands, and the step that its "Why?" asks of.
#include "gui/controls/health_line.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QSignalSpy>
#include <QTest>

#include "gui/app/theme.h"
#include "gui/controls/run_list.h"
#include "gui/controls/runs_dock.h"
#include "gui/controls/verdict_panel.h"
#include "tests/gui/support/live_session.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

TEST(HealthLine, WhatIsBrokenIsNamedOnceAndInRed) {
    SessionModel session;
    loadThreeRuns(session);
    auto* const news = new QWidget;
    news->hide();
    HealthLine line(news, nullptr);
    line.resize(400, 42);
    const auto told = [&](RunId run) {
        line.show(session, *session.run(run));
        return line.findChildren<QLabel*>().last()->text();
    };
    EXPECT_EQ(told(0), QStringLiteral("No step yet."));
    session.handle(RunStopped{0, 0, "a < b"});
    EXPECT_EQ(healthOf(*session.run(0)).verdict, Verdict::Stopped);
    EXPECT_TRUE(told(0).endsWith(QStringLiteral("'>Stopped</span>: a &lt; b."))) << told(0).toStdString();
    EXPECT_TRUE(told(0).contains(Theme::current().danger.name()));
    StepsRecorded dead = steps(1, 0, 1);
    dead.nextScale = 0;
    session.handle(dead);
    EXPECT_TRUE(told(1).contains(QStringLiteral(">Dead.</span> The scale"))) << told(1).toStdString();
}

TEST(HealthLine, ARunThatCatchesUpSaysHowFarItIs) {
    SessionModel session;
    loadThreeRuns(session);
    auto* const news = new QWidget;
    news->hide();
    HealthLine line(news, nullptr);
    line.resize(400, 42);
    const auto told = [&](RunId run) {
        line.show(session, *session.run(run));
        return line.findChildren<QLabel*>().last()->text();
    };
    session.handle(StateChanged{LabState::Training, 0, true, Instrumentation::Off});
    session.handle(steps(0, 0, 500));
    session.handle(steps(2, 0, 450));
    session.handle(steps(1, 0, 120));
    EXPECT_EQ(told(1), QStringLiteral("Catching up: step 120 of 500."));
    EXPECT_FALSE(told(2).contains(QStringLiteral("Catching up"))) << "devices take several steps of a run at a time";
    RunListModel model(&session, nullptr);
    EXPECT_EQ(model.index(1).data(RunListModel::HealthRole).toString(), QStringLiteral("Catching up: step 120 of 500."));
    session.handle(StateChanged{LabState::Training, 0, false, Instrumentation::Off});
    EXPECT_FALSE(told(1).contains(QStringLiteral("Catching up"))) << "each goes its own pace";
}

TEST(HealthLine, ASilentFailureCanBeAskedWhy) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(1, 0, 120));
    EXPECT_FALSE(stepToAskOf(*session.run(1)).has_value());
    session.handle(GaugesRead{1, 95, {{GaugeKind::LostUpdates, Severity::Bad, 0.9, "90 % are lost."_text}}});
    EXPECT_EQ(stepToAskOf(*session.run(1)), 95) << "where it was seen";
}

TEST(HealthLine, WhatFailsSilentlyIsAskedAboutWhereItShows) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(1, 0, 1, kFlagSkipped | kFlagFoundInf));
    session.handle(NonFiniteFound{1, {0, "layers.2", "linear", "forward", "layers.2.output", "+Inf"}});
    session.handle(steps(1, 1, 119));
    session.handle(GaugesRead{1, 95, {{GaugeKind::BrokenStatistics, Severity::Bad, 1, "Running statistics are not finite."_text}}});
    EXPECT_EQ(session.run(1)->firstNonFiniteStep(), 0);
    EXPECT_EQ(stepToAskOf(*session.run(1)), 95) << "step 0 says nothing of running statistics";
}

TEST(HealthLine, ARowOfSkipsIsAskedAboutWhereItBegan) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(0, 0, 50));
    const auto skipped = [](std::int64_t step) {
        Examination examination{.step = step, .policy = "fp16"};
        examination.verdict.kind = StepVerdict::ScaleTooHigh;
        examination.wasSkipped = true;
        return StepExamined{0, examination};
    };
    const std::uint32_t skip = kFlagSkipped | kFlagFoundInf;
    session.handle(steps(0, 50, 1, skip));
    session.handle(skipped(50));
    session.handle(steps(0, 51, 49));
    EXPECT_EQ(stepToAskOf(*session.run(0)), 50);
    session.handle(steps(0, 100, 12, skip));
    EXPECT_EQ(stepToAskOf(*session.run(0)), 50) << "none of the later ones is examined";
    for (const std::int64_t step : {100, 101, 103, 111}) session.handle(skipped(step));
    EXPECT_EQ(stepToAskOf(*session.run(0)), 100);
}

TEST(HealthLine, AStepThatFailedSilentlyHeadsItsRunUntilASettingChanges) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(0, 0, 120));
    const auto found = [](std::int64_t step, std::vector<SilentFinding> silent) {
        Examination examination{.step = step, .policy = "fp32", .silent = std::move(silent)};
        examination.verdict.kind = StepVerdict::SilentFailure;
        examination.verdict.explanation = "All of its numbers are finite, but a is all 0."_text;
        return StepExamined{0, examination};
    };
    const auto verdict = [&] { return healthOf(*session.run(0)).verdict; };
    session.handle(found(49, {{SilentKind::NoProgress, "", "", 1}}));
    EXPECT_EQ(verdict(), Verdict::Finite) << "a loss that does not fall yet is not enough";
    QSignalSpy changed(&session, &SessionModel::runChanged);
    session.handle(found(49, {{SilentKind::AllZero, "a", "a", 1}, {SilentKind::NoProgress, "", "", 1}}));
    EXPECT_EQ(verdict(), Verdict::SilentFailure);
    EXPECT_EQ(changed.count(), 1) << "cards show it at once";
    EXPECT_EQ(healthOf(*session.run(0)).sentence.english().substr(0, 73),
              "Finite, but an operation loses its input. In step 49, which was examined,");
    EXPECT_EQ(stepToAskOf(*session.run(0)), 49);
    Examination skipped{.step = 100, .policy = "fp32"};
    skipped.verdict.kind = StepVerdict::ScaleTooHigh;
    skipped.wasSkipped = true;
    session.handle(StepExamined{0, skipped});
    EXPECT_EQ(verdict(), Verdict::SilentFailure) << "a skipped step says nothing of the others";
    session.handle(SettingApplied{1, 0, 49, "/clip", "clip", "off", "1"});
    EXPECT_EQ(verdict(), Verdict::SilentFailure) << "the step had that setting already";
    session.handle(SettingApplied{2, 0, 110, "/clip", "clip", "1", "off"});
    EXPECT_EQ(verdict(), Verdict::Finite);
    session.handle(SettingApplied{3, 0, 120, "/clip", "clip", "off", "2"});
    session.handle(RunRewound{.run = 0, .step = 115});
    EXPECT_EQ(verdict(), Verdict::Finite) << "the change before it still stands";
}

TEST(Health, WordsComeFromWhatTheWindowKnows) {
    SessionModel session;
    loadThreeRuns(session);
    EXPECT_EQ(healthOf(*session.run(1)).verdict, Verdict::NotStarted);
    session.handle(steps(1, 0, 3, kFlagSkipped));
    EXPECT_EQ(healthOf(*session.run(1)).verdict, Verdict::Calibrating);
    session.handle(steps(0, 0, 3));
    EXPECT_EQ(healthOf(*session.run(0)).verdict, Verdict::Finite);
    StepsRecorded broken = steps(0, 3, 1);
    broken.records[0].loss = std::numeric_limits<double>::quiet_NaN();
    session.handle(broken);
    EXPECT_EQ(healthOf(*session.run(0)).severity, Severity::Bad);
}

TEST(VerdictPanel, NoStepChangesItsHeight) {
    SessionModel session;
    loadThreeRuns(session);
    session.select(1);
    VerdictPanel panel(&session, nullptr);
    panel.resize(330, 300);
    panel.show();
    const auto* button = panel.findChild<QPushButton*>();
    session.handle(steps(1, 0, 50));
    QTest::qWait(200);
    ASSERT_TRUE(button->isHidden());
    const QSize before = panel.sizeHint();
    session.handle(steps(1, 50, 1, kFlagSkipped | kFlagFoundInf));
    ASSERT_TRUE(QTest::qWaitFor([&] { return button->isVisible(); }, kPatienceMs));
    EXPECT_EQ(panel.sizeHint().height(), before.height());
    session.handle(GaugesRead{1, 45, {{GaugeKind::LostUpdates, Severity::Bad, 0.9, "90 % of the updates are lost."_text}}});
    for (int i = 0; i < 3; ++i) session.handle(steps(1, 51 + 20 * i, 20, kFlagSkipped | kFlagFoundInf));
    QTest::qWait(200);
    EXPECT_EQ(panel.sizeHint().height(), before.height());
}

TEST(RunsDock, ShowsAtOnceWhatItWouldShowSoon) {
    SessionModel session;
    EngineClient engine(&session, {});
    RunsDock dock(&session, &engine, nullptr);
    dock.resize(RunsDock::kWidth, 900);
    dock.show();
    loadThreeRuns(session);
    session.handle(steps(1, 0, 8));
    dock.refreshNow();
    const auto says = [&](const QString& words) {
        for (const QLabel* label : dock.findChildren<QLabel*>())
            if (label->accessibleName().contains(words)) return true;
        return false;
    };
    session.handle(steps(1, 8, 60, kFlagSkipped | kFlagFoundInf));
    EXPECT_FALSE(says(QStringLiteral("skips in a row")));
    dock.refreshNow();
    EXPECT_TRUE(says(QStringLiteral("skips in a row")));
}

TEST(Parts, ATextThatIsCutEndsAtAWordAndIsWholeInTheToolTip) {
    QLabel label;
    label.setWordWrap(true);
    label.resize(120, 40);
    const QString text = QStringLiteral("The scale has been halved in each of the last forty steps, and no step fits yet.");
    showInLines(&label, text, 2);
    EXPECT_TRUE(label.text().endsWith(QChar(u'\u2026')));
    EXPECT_TRUE(text.startsWith(label.text().chopped(1) + u' ')) << label.text().toStdString();
    EXPECT_EQ(label.toolTip(), text);
    EXPECT_EQ(label.accessibleName(), text);
    EXPECT_EQ(label.height(), 2 * label.fontMetrics().lineSpacing());
    showInLines(&label, QStringLiteral("Short."), 2);
    EXPECT_EQ(label.text(), QStringLiteral("Short."));
    EXPECT_TRUE(label.toolTip().isEmpty());
    // Chinese has no spaces.
    const QString chinese = QString(60, QChar(u'\u6b65'));
    showInLines(&label, chinese, 2);
    EXPECT_GT(label.text().size(), 5);
    EXPECT_LT(label.text().size(), 60);
}

}  // namespace
}  // namespace mantissa::gui
