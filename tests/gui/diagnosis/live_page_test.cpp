// SPDX-License-Identifier: Apache-2.0
// The Diagnose page with the real engine behind it: what its buttons do.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTableView>
#include <map>

#include "gui/app/layout_memory.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/health_line.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/diagnose_dock.h"
#include "gui/diagnosis/diagnose_page.h"
#include "gui/diagnosis/examination_text.h"
#include "gui/recordings/session_memory.h"
#include "tests/gui/diagnosis/page_parts.h"
#include "tests/gui/support/live_window.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

/// fp16 at a scale that no step fits, beside fp32.
QString hotExperiment(int hidden = 8) {
    return QStringLiteral(R"({"title": "Hot", "data": {"name": "digits", "batch_size": 16}, "model": {"kind": "mlp", "hidden": [%1]},
        "steps": 400, "runs": [{"name": "wide", "precision": "fp32"},
        {"name": "hot", "precision": "fp16", "scaler": {"preset": "static", "init_scale": 1073741824}}]})")
        .arg(hidden);
}

struct HotLab : LiveSession {
    CapturedModel captured{&session, nullptr};
    Measurements measurements{&session, nullptr};
    DiagnosePage page{&session, &engine, &captured, &measurements, nullptr};
    bool begin(int hidden = 8, Instrumentation looks = Instrumentation::Sampled) {
        engine.start(QStringLiteral("hot"), hotExperiment(hidden));
        if (!QTest::qWaitFor([this] { return session.state().state == LabState::Paused && session.runs().size() == 2; }, kPatienceMs))
            return false;
        engine.send(SetInstrumentation{looks});
        engine.send(SingleStep{});
        return QTest::qWaitFor([this] { return captured.rowCount() == 1; }, kPatienceMs);
    }
    const RunState& hot() { return **(session.runs().begin() + 1); }
};

template <class T>
T* childNamed(const QWidget& part, const QString& name) {
    for (T* widget : part.findChildren<T*>())
        if (widget->accessibleName() == name) return widget;
    return nullptr;
}

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
    buttonOf(live.page, engineText(main.label))->click();
    ASSERT_TRUE(live.settles());
    ASSERT_FALSE(live.session.markers().empty());
    EXPECT_EQ(live.session.markers().back().pointer, QStringLiteral("/scaler/scale"));
    EXPECT_EQ(live.session.markers().back().run, live.hot().id);
    EXPECT_EQ(live.hot().nextScale, Json::parse(main.value).get<double>());
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(2));
    EXPECT_EQ(live.hot().skippedSteps, (std::vector<std::int64_t>{0})) << "it was said to help";

    live.page.rewindAndFork();
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.runs().size() == 3; }, kPatienceMs));
    const RunState& fork = *live.session.runs().back();
    EXPECT_EQ(fork.info.parent, live.hot().id);
    EXPECT_EQ(fork.info.firstStep, 0);
    EXPECT_TRUE(QTest::qWaitFor([&] { return fork.nextScale == live.hot().nextScale; }, kPatienceMs)) << fork.nextScale;
}

TEST(DiagnoseLive, ARemedyAtTheEndIsANewRunFromBeforeTheStep) {
    HotLab live;
    ASSERT_TRUE(live.begin());
    live.engine.change(live.hot().id, QStringLiteral("/steps"), 3, QStringLiteral("3"));
    live.engine.change(live.session.runs().front()->id, QStringLiteral("/steps"), 3, QStringLiteral("3"));
    live.page.ask(live.hot().id, 0);
    const auto isTried = [&] { return live.page.examination() && mainRemedy(*live.page.examination()) != nullptr; };
    if (!isTried()) buttonOf(live.page, QStringLiteral("Try them"))->click();
    const auto isDone = [&] { return isTried() && buttonOf(live.page, QStringLiteral("Stop")) == nullptr; };
    ASSERT_TRUE(QTest::qWaitFor(isDone, kPatienceMs)) << "an answer that still comes may name another remedy";
    live.engine.send(Train{});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().state == LabState::Finished; }, kPatienceMs));
    QSignalSpy wanted(&live.page, &DiagnosePage::trainRequested);
    const Remedy main = *mainRemedy(*live.page.examination());
    buttonOf(live.page, engineText(main.label))->click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.runs().size() == 3; }, kPatienceMs));
    EXPECT_EQ(live.session.runs().back()->info.firstStep, 0);
    EXPECT_EQ(live.session.runs().back()->info.parent, live.hot().id);
    EXPECT_EQ(wanted.count(), 1) << "it is trained at once";
    live.page.choose(live.hot().id, 0);
    QSignalSpy said(&live.page, &DiagnosePage::said);
    QPushButton* again = buttonOf(live.page, engineText(main.label));
    ASSERT_NE(again, nullptr) << engineText(main.label).toStdString();
    ASSERT_TRUE(again->isEnabled());
    again->click();
    ASSERT_EQ(said.count(), 1);
    EXPECT_TRUE(said[0][0].toString().endsWith(QStringLiteral("already."))) << "one such run is enough";
    EXPECT_EQ(wanted.count(), 1);
    for (const Marker& marker : live.session.markers())
        EXPECT_FALSE(marker.run == live.hot().id && marker.pointer == QString::fromStdString(main.pointer)) << "its run has ended";
}

TEST(DiagnoseLive, AnyStepCanBeLookedAt) {
    HotLab live;
    ASSERT_TRUE(live.begin());
    const RunId wide = live.session.runs().front()->id;
    live.page.choose(wide, -1);
    EXPECT_EQ(live.page.examination(), nullptr);
    QPushButton* examine = live.page.findChild<QPushButton*>(QStringLiteral("examine"));
    examine->click();
    EXPECT_FALSE(examine->isEnabled()) << "one look at a time";
    EXPECT_TRUE(live.page.findChild<QPushButton*>(QStringLiteral("stopExamining"))->isVisibleTo(&live.page));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.page.examination() != nullptr; }, kPatienceMs));
    EXPECT_EQ(live.page.shown(), (CapturedStep{wide, 0}));
    EXPECT_TRUE(shownTexts(live.page).contains(QStringLiteral("All values and gradients of this step are finite")));
}

TEST(DiagnoseLive, AnExaminationIsStoppedWhileTrainingGoesOn) {
    HotLab live;
    ASSERT_TRUE(live.begin(512));
    const RunId hot = live.hot().id;
    live.page.choose(hot, 0);
    live.engine.send(Train{});
    ASSERT_TRUE(live.reaches(2));
    QSignalSpy progressed(&live.session, &SessionModel::questionProgressed);
    const auto* before = live.page.examination();
    ASSERT_NE(before, nullptr);
    emit live.page.findChild<VerdictCard*>()->tryRequested();
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
    ASSERT_TRUE(QTest::qWaitFor([&] { return findExamination(live.session, {hot, 1}) != nullptr; }, kPatienceMs));
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
    instruments->listCount(0, 6);
    auto* list = instruments->elements()->findChild<CopyTable*>();
    ASSERT_TRUE(QTest::qWaitFor([&] { return list->model()->rowCount() > 0; }, kPatienceMs));
    std::int64_t expected = 0;
    for (const TensorStats& tensor : known->asked[0].tensors)
        if (tensor.role == TensorRole::WeightGradient) expected += tensor.classes.nonFinite();
    EXPECT_EQ(list->model()->rowCount(), std::min<std::int64_t>(expected, 200));
    EXPECT_EQ(live.hot().stepCount(), 2) << "the run stays where it is";
    live.page.hide();
}

/// Every choice under the microscope: its counts make up its tensors, its bars make up what is finite and not 0, and each list that a count
/// leads to has as many elements.
TEST(DiagnoseLive, EveryCountIsThatOfTheListBesideIt) {
    HotLab live;
    ASSERT_TRUE(live.begin());
    const RunId hot = live.hot().id;
    live.page.choose(hot, 0);
    live.page.resize(1600, 900);
    live.page.show();
    const RunMeasurements* known = live.measurements.of(hot);
    ASSERT_TRUE(known && known->nearest(0) && known->nearest(0)->step == 0 && !known->nearest(0)->isPartial());
    const StepStats stats = *known->nearest(0);
    auto* instruments = live.page.findChild<Instruments*>();
    auto* tensors = childNamed<QComboBox>(*instruments, QStringLiteral("Tensors under the microscope"));
    auto* counts = childNamed<QTableView>(*instruments, QStringLiteral("Elements by what the format makes of them"));
    ASSERT_TRUE(tensors && counts);
    std::int64_t total = -1;
    QObject::connect(&live.session, &SessionModel::elementsRead, &live.page, [&](const ElementsRead& read) { total = read.found.total; });
    std::int64_t lists = 0, notFinite = 0;
    for (int choice = 0; choice < tensors->count(); ++choice) {
        if (tensors->itemText(choice).isEmpty()) continue;  // the line between them
        tensors->setCurrentIndex(choice);
        emit tensors->activated(choice);
        const std::string chosen = tensors->itemData(choice).toString().toStdString();
        std::int64_t elements = 0;
        std::map<std::string, int> named;
        for (const TensorStats& tensor : stats.tensors) {
            const bool isWanted = chosen == "*gradients" ? tensor.role == TensorRole::WeightGradient
                                  : chosen == "*values"  ? tensor.role == TensorRole::Value
                                  : chosen == "*updates" ? tensor.role == TensorRole::Update
                                                         : tensor.tensor == chosen && named[chosen]++ == 0;
            if (isWanted) elements += tensor.elements;
        }
        std::int64_t counted = 0;
        for (int column = 1; column < counts->model()->columnCount(); ++column) {
            QString text = counts->model()->index(0, column).data().toString();
            const std::int64_t count = text.remove(QRegularExpression(QStringLiteral("[^0-9]"))).toLongLong();
            counted += count;
            if (column == 6) notFinite += count;
            if (count == 0 || lists > 40) continue;
            ++lists;
            total = -1;
            instruments->listCount(0, column);
            ASSERT_TRUE(QTest::qWaitFor([&] { return total >= 0; }, kPatienceMs)) << chosen;
            EXPECT_EQ(total, count) << chosen << ", column " << column;
        }
        EXPECT_EQ(counted, elements) << chosen;
    }
    EXPECT_GT(lists, 10);
    EXPECT_GT(notFinite, 0) << "a step that was skipped";
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
        ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().state == LabState::Paused && live.session.runs().size() == 2; },
                                    kPatienceMs));
        EXPECT_TRUE(live.window->actionList().layoutExplore->isChecked());
        live.engine.send(SingleStep{});
        QPushButton* why = nullptr;
        ASSERT_TRUE(QTest::qWaitFor(
            [&] { return (why = live.child<QPushButton>(QStringLiteral("Why? Examine step 0 of hot"))) != nullptr; }, kPatienceMs));
        QTest::mouseClick(why, Qt::LeftButton);
        EXPECT_TRUE(live.window->actionList().layoutDiagnose->isChecked());
        auto* page = live.window->findChild<DiagnosePage*>();
        EXPECT_TRUE(page->isVisible());
        EXPECT_FALSE(live.window->findChild<PlotBoard*>()->isVisible());
        EXPECT_TRUE(QTest::qWaitFor([&] { return page->examination() != nullptr; }, kPatienceMs));
        EXPECT_EQ(page->shown(), (CapturedStep{live.session.runs().back()->id, 0}));
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

TEST(DiagnoseWindow, TheTabLeadsToTheLostStepThatThePlotsHold) {
    LiveWindow live;
    live.make();
    live.window->resize(1920, 1080);
    live.window->show();
    live.engine.start(QStringLiteral("hot"), hotExperiment());
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return live.session.state().state == LabState::Paused && live.session.runs().size() == 2; }, kPatienceMs));
    const auto hot = [&]() -> const RunState& { return *live.session.runs().back(); };
    for (std::int64_t steps = 1; steps <= 3; ++steps) {
        live.engine.send(SingleStep{});
        ASSERT_TRUE(QTest::qWaitFor([&] { return hot().stepCount() == steps; }, kPatienceMs));
    }
    ASSERT_EQ(hot().skippedSteps.size(), 3u);
    live.window->findChild<PlotBoard*>()->cursors().setStep(2);
    live.window->actionList().layoutDiagnose->trigger();
    EXPECT_EQ(live.window->findChild<DiagnosePage*>()->shown(), (CapturedStep{hot().id, 2}));
    live.window->openExperiment(QStringLiteral("clip-order"));
    EXPECT_TRUE(live.window->actionList().layoutExplore->isChecked()) << "no step of it was captured yet";
}

TEST(DiagnoseWindow, ASkipPausesWhereItWasAskedTo) {
    LiveWindow live;
    live.make();
    live.window->resize(1280, 720);
    live.window->show();
    live.engine.start(QStringLiteral("hot"), hotExperiment());
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return live.session.state().state == LabState::Paused && live.session.runs().size() == 2; }, kPatienceMs));
    live.window->actionList().layoutDiagnose->trigger();
    auto* box = live.child<ComboBox>(QStringLiteral("Pause training on"));
    ASSERT_NE(box, nullptr);
    box->setCurrentIndex(1);
    emit box->activated(1);
    live.engine.send(SetPace{10});  // so that its end is far away, however late the pause comes
    live.window->actionList().train->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !live.session.runs().back()->skippedSteps.empty(); }, kPatienceMs));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().state == LabState::Paused; }, kPatienceMs));
    EXPECT_LT(live.session.stepCount(), 400) << "long before its end";
    auto* page = live.window->findChild<DiagnosePage*>();
    EXPECT_TRUE(QTest::qWaitFor([&] { return page->examination() != nullptr; }, kPatienceMs));
    EXPECT_EQ(page->shown(), (CapturedStep{live.session.runs().back()->id, 0}));
}

}  // namespace
}  // namespace mantissa::gui
