// SPDX-License-Identifier: Apache-2.0
// "What is wrong with my training?": which runs are marked, and where each line leads.
#include <gtest/gtest.h>

#include <QPushButton>
#include <QSet>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "gui/app/guide_browser.h"
#include "gui/app/guide_window.h"
#include "gui/app/symptoms_page.h"
#include "gui/diagnosis/diagnose_page.h"
#include "tests/gui/support/live_window.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

/// Losses that fall from 2 on, as a healthy run's.
StepsRecorded falling(RunId run, std::int64_t count, double speed = 0.01) {
    StepsRecorded told = steps(run, 0, count);
    for (StepRecord& record : told.records) {
        record.loss = 0.1 + 2 * std::exp(-speed * static_cast<double>(record.step));
        record.samplesPerSecond = run == 0 ? 1000 : 2000;
        record.gradNorm = 0.5;
    }
    return told;
}

struct SymptomsTest : testing::Test {
    SessionModel session;
    void SetUp() override {
        ExperimentLoaded loaded = threeRuns();
        for (RunInfo& info : loaded.runs) info.settings.training.steps = 10000, info.memory.weights = info.policy == "fp32" ? 1000 : 500;
        session.handle(loaded);
    }
    QStringList marked() const {
        QStringList found;
        for (int i = 0; i < kSymptoms; ++i)
            for (const SymptomSign& sign : signsOf(static_cast<Symptom>(i), session))
                found << QStringLiteral("%1 of %2").arg(i).arg(sign.run);
        return found;
    }
};

TEST_F(SymptomsTest, HealthyRunsShowNone) {
    EXPECT_TRUE(marked().isEmpty()) << "nor runs that have not begun";
    for (RunId run = 0; run < 3; ++run) session.handle(falling(run, 200));
    EXPECT_TRUE(marked().isEmpty()) << marked().join(u' ').toStdString();
}

TEST_F(SymptomsTest, ARunThatEndsBelowFp32IsNotSlower) {
    StepsRecorded reference = falling(0, 200), repaired = falling(1, 200, 0);
    for (StepRecord& record : reference.records) record.loss += 3;
    for (StepRecord& record : repaired.records) record.loss = 0.02 - 5e-5 * static_cast<double>(record.step);
    session.handle(reference);
    session.handle(repaired);
    EXPECT_TRUE(marked().isEmpty()) << marked().join(u' ').toStdString();
}

TEST_F(SymptomsTest, EachIsFoundInTheRunThatHasIt) {
    session.handle(falling(0, 200));
    session.handle(falling(1, 200, 0.0001));
    EXPECT_EQ(marked(), QStringList{QStringLiteral("1 of 1")}) << "slower than FP32";
    StepsRecorded broken = falling(2, 200);
    for (std::size_t i = 150; i < 200; ++i) broken.records[i].loss = std::nan(""), broken.records[i].flags |= kFlagLossNonFinite;
    session.handle(broken);
    session.handle(NonFiniteFound{2, {150, "layers.2", "linear", "forward", "layers.2.output", "+Inf"}});
    EXPECT_EQ(marked(), (QStringList{QStringLiteral("0 of 2"), QStringLiteral("1 of 1")}));
    EXPECT_EQ(signsOf(Symptom::LossIsNaN, session).front().step, 150);

    session.handle(ExperimentReset{});
    StepsRecorded skipped = falling(1, 200);
    for (StepRecord& record : skipped.records)
        if (record.step % 5 == 0) record.flags |= kFlagSkipped | kFlagFoundInf;
    skipped.nextScale = 0.5;
    session.handle(skipped);
    EXPECT_EQ(marked(), (QStringList{QStringLiteral("2 of 1"), QStringLiteral("3 of 1")}));
    EXPECT_EQ(signsOf(Symptom::StepsAreSkipped, session).front().step, 195);

    session.handle(ExperimentReset{});
    session.handle(falling(0, 200));
    StepsRecorded slow = falling(2, 200);
    for (StepRecord& record : slow.records) record.samplesPerSecond = 900;
    slow.records[99].flags |= kFlagValidated;
    slow.records[99].validationLoss = INFINITY;
    session.handle(slow);
    EXPECT_EQ(marked(), (QStringList{QStringLiteral("4 of 2"), QStringLiteral("6 of 2")}));
    session.handle(GaugesRead{2, 200, {{GaugeKind::LostUpdates, Severity::Bad, 0.9, "90 % are lost."_text}}});
    EXPECT_EQ(signsOf(Symptom::LossDoesNotFall, session).front().words, QStringLiteral("Finite, but updates are lost."));
    RunInfo clipped = session.run(1)->info;
    clipped.settings.training.clipGradNorm = 1;
    clipped.settings.training.unscale = "after_clip";
    session.handle(RunChanged{clipped});
    StepsRecorded scaled = falling(1, 60);
    for (StepRecord& record : scaled.records) record.lossScale = 65536;
    scaled.nextScale = 65536;
    session.handle(scaled);
    EXPECT_EQ(signsOf(Symptom::GradientsAreClipped, session).size(), 1u);
    session.setWithheld(1, true);
    EXPECT_TRUE(signsOf(Symptom::GradientsAreClipped, session).empty()) << "what a lesson hides is told by nobody";
}

TEST_F(SymptomsTest, EachHasItsSectionAndAnExperiment) {
    QSet<QString> places, names;
    for (const GuidePage& page : guidePages())
        for (const GuideHeading& heading : page.headings) places.insert(page.file + u'#' + heading.anchor);
    for (const BundledExperiment& each : bundledExperiments()) names.insert(QString::fromStdString(each.name));
    QSet<QString> sections;
    for (int i = 0; i < kSymptoms; ++i) {
        const SymptomEntry entry = symptomEntry(static_cast<Symptom>(i));
        EXPECT_TRUE(places.contains(entry.section)) << entry.section.toStdString();
        EXPECT_TRUE(names.contains(entry.experiment)) << entry.experiment.toStdString();
        sections.insert(entry.section);
    }
    EXPECT_EQ(sections.size(), kSymptoms);
}

TEST_F(SymptomsTest, ThePageMarksThemAndLeadsThere) {
    session.handle(falling(0, 200));
    session.handle(falling(1, 200, 0.0001));
    SymptomsPage page(&session, nullptr);
    page.resize(600, 560);
    page.show();
    ASSERT_EQ(page.signs(Symptom::LossDoesNotFall).size(), 1u);
    EXPECT_TRUE(page.signs(Symptom::LossIsNaN).empty());
    QSignalSpy runs(&page, &SymptomsPage::runRequested), sections(&page, &SymptomsPage::sectionRequested),
        experiments(&page, &SymptomsPage::experimentRequested);
    const auto buttonNamed = [&](const QString& part) {
        QPushButton* found = nullptr;
        for (auto* button : page.findChildren<QPushButton*>())
            if (!found && button->accessibleName().contains(part)) found = button;
        return found;
    };
    QPushButton* run = buttonNamed(QStringLiteral("Examine fp16 in Diagnose"));
    ASSERT_NE(run, nullptr);
    EXPECT_NE(run->focusPolicy() & Qt::TabFocus, 0) << "the keyboard comes to it";
    run->setFocus(Qt::TabFocusReason);
    QTest::keyClick(run, Qt::Key_Space);
    ASSERT_EQ(runs.count(), 1);
    EXPECT_EQ(runs[0][0].toInt(), 1);
    EXPECT_EQ(runs[0][1].toLongLong(), 199);
    buttonNamed(QStringLiteral("Read in the guide: The loss is NaN"))->click();
    ASSERT_EQ(sections.count(), 1);
    EXPECT_EQ(sections[0][0].toString(), QStringLiteral("troubleshooting.md#loss-is-nan"));
    buttonNamed(QStringLiteral("Open the experiment"))->click();
    ASSERT_EQ(experiments.count(), 1);
    EXPECT_EQ(experiments[0][0].toString(), QStringLiteral("pure-fp16"));
    session.handle(steps(1, 200, 1));
    session.handle(ExperimentReset{});
    EXPECT_TRUE(QTest::qWaitFor([&] { return page.signs(Symptom::LossDoesNotFall).empty(); }, kPatienceMs));
    EXPECT_EQ(buttonNamed(QStringLiteral("Examine fp16")), nullptr);
}

TEST(SymptomsWindow, HelpOpensItAndALineLeadsToTheRunsDiagnosePage) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(1));
    const RunId run = live.session.runs().back()->id;
    live.session.handle(GaugesRead{run, 1, {{GaugeKind::LostUpdates, Severity::Bad, 0.9, "90 % of the updates of a are lost."_text}}});
    live.window->actionList().symptoms->trigger();
    auto* page = live.window->findChild<SymptomsPage*>();
    ASSERT_NE(page, nullptr);
    live.window->actionList().symptoms->trigger();
    EXPECT_EQ(live.window->findChildren<SymptomsPage*>().size(), 1) << "one is enough";
    ASSERT_EQ(page->signs(Symptom::LossDoesNotFall).size(), 1u);
    if (const QByteArray folder = qgetenv("MANTISSA_SYMPTOMS_PICTURES"); !folder.isEmpty())
        for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
            live.theme.choose(choice);
            QTest::qWait(100);
            page->window()->grab().save(QString::fromUtf8(folder) + (choice == ThemeChoice::Light ? "/light.png" : "/dark.png"));
        }
    emit page->runRequested(static_cast<int>(run), -1);
    auto* diagnose = live.window->findChild<DiagnosePage*>();
    ASSERT_NE(diagnose, nullptr);
    EXPECT_TRUE(diagnose->isVisible());
    EXPECT_EQ(diagnose->shown().run, run);
    emit page->sectionRequested(symptomEntry(Symptom::NotFaster).section);
    auto* guide = live.window->findChild<GuideWindow*>();
    ASSERT_NE(guide, nullptr);
    EXPECT_EQ(guide->browser()->place().fragment(), QStringLiteral("fp16-is-not-faster"));
    emit page->experimentRequested(QStringLiteral("clip-order"));
    EXPECT_TRUE(QTest::qWaitFor([&] { return live.session.experiment().name == "clip-order"; }, kPatienceMs));
}

}  // namespace
}  // namespace mantissa::gui
