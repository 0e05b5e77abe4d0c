// SPDX-License-Identifier: Apache-2.0
// Real clicks on a card, answered by a real engine.
#include "gui/controls/run_card.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QScrollArea>
#include <QTemporaryDir>

#include "engine/experiment/values.h"
#include "engine/precision/policy.h"
#include "engine/precision/scaler.h"
#include "gui/controls/run_list.h"
#include "gui/controls/runs_dock.h"
#include "tests/gui/support/live_session.h"
#include "tests/gui/support/restless.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

template <class T>
T* named(QWidget& parent, const QString& part) {
    for (T* child : parent.findChildren<T*>())
        if (child->accessibleName().contains(part)) return child;
    return nullptr;
}

bool showsText(QWidget& parent, const QString& part) {
    for (const QLabel* label : parent.findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(part)) return true;
    return false;
}

struct LiveCard : LiveSession {
    std::unique_ptr<RunCard> card;
    bool show(std::size_t run) {
        if (!begin()) return false;
        card = std::make_unique<RunCard>(&session, &engine, session.runs()[run]->id, nullptr);
        QObject::connect(&session, &SessionModel::runChanged, card.get(), &RunCard::refresh);
        QObject::connect(&session, &SessionModel::recordsAppended, card.get(), &RunCard::refreshLive);
        card->resize(328, 240);
        card->show();
        engine.send(SingleStep{});
        return reaches(1);
    }
    RunState& run() { return *session.run(card->run()); }
};

TEST(RunCard, ClickingFp16GetsAnAnswerAndAMarker) {
    LiveCard live;
    ASSERT_TRUE(live.show(0));
    auto* segment = named<PrecisionSegment>(*live.card, QStringLiteral("FP16"));
    ASSERT_NE(segment, nullptr);
    QTest::mouseClick(segment, Qt::LeftButton);
    ASSERT_EQ(live.run().pending.size(), 1u);
    EXPECT_TRUE(showsText(*live.card, QStringLiteral("FP16 pending · from the next step")));
    ASSERT_TRUE(live.settles());
    ASSERT_EQ(live.session.markers().size(), 2u);  // the precision, and the scaler that follows it
    EXPECT_EQ(live.session.markers()[0].to, QStringLiteral("FP16"));
    EXPECT_EQ(live.session.markers()[1].to, QStringLiteral("pytorch"));
    EXPECT_TRUE(
        QTest::qWaitFor([&] { return showsText(*live.card, QStringLiteral("FP16, loss scaler pytorch effective at step 1")); }, 1000));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.run().info.policy == "fp16"; }, kPatienceMs));
    EXPECT_TRUE(segment->accessibleName().contains(QStringLiteral("current")));
    EXPECT_TRUE(showsText(*live.card, QStringLiteral("emulated")));
}

TEST(RunCard, AnotherFormatKeepsOverridesAndDropsWhatWasTheOldOnes) {
    LiveCard live;
    ASSERT_TRUE(live.show(0));
    PrecisionSettings requested{.policy = "tf32", .overrides = {{"layers.1", Dtype::F32}}};
    requested.products.tf32Rounding = Rounding::TowardZero;
    live.engine.change(live.card->run(), QStringLiteral("/precision"), writePrecision(requested), QStringLiteral("TF32"));
    ASSERT_TRUE(live.settles());
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.run().info.policy == "tf32"; }, kPatienceMs));  // the marker comes before it
    QTest::mouseClick(named<PrecisionSegment>(*live.card, QStringLiteral("BF16")), Qt::LeftButton);
    ASSERT_TRUE(live.settles());
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.run().info.policy == "bf16"; }, kPatienceMs));
    EXPECT_EQ(live.run().info.settings.training.precision, (PrecisionSettings{.policy = "bf16", .overrides = {{"layers.1", Dtype::F32}}}));
}

// Whether the engine's answer is still to come, or is there while the settings that go with it are not.
TEST(RunCard, AnotherFormatKeepsOverridesThatAreOnTheirWay) {
    for (const bool isAnswered : {false, true}) {
        LiveCard live;
        ASSERT_TRUE(live.show(0));
        const PrecisionSettings requested{.policy = "tf32", .overrides = {{"layers.1", Dtype::F32}}};
        const auto id =
            live.engine.change(live.card->run(), QStringLiteral("/precision"), writePrecision(requested), QStringLiteral("TF32"));
        if (isAnswered) {
            live.session.handle(Event(SettingApplied{id, live.card->run(), 1, "/precision", "precision", "FP32", "TF32"}));
            EXPECT_TRUE(live.run().pending.empty());
            EXPECT_EQ(live.run().info.policy, "fp32") << "not told yet";
        }
        QTest::mouseClick(named<PrecisionSegment>(*live.card, QStringLiteral("BF16")), Qt::LeftButton);
        ASSERT_TRUE(QTest::qWaitFor([&] { return live.run().info.policy == "bf16"; }, kPatienceMs));
        EXPECT_EQ(live.run().info.settings.training.precision,
                  (PrecisionSettings{.policy = "bf16", .overrides = {{"layers.1", Dtype::F32}}}));
        EXPECT_TRUE(live.run().answered.empty());
    }
}

TEST(RunCard, DoublingTheScale) {
    LiveCard live;
    ASSERT_TRUE(live.show(1));
    const double before = live.run().nextScale;
    QTest::mouseClick(named<QPushButton>(*live.card, QStringLiteral("Double")), Qt::LeftButton);
    ASSERT_TRUE(live.settles());
    ASSERT_EQ(live.session.markers().size(), 1u);
    EXPECT_EQ(live.session.markers()[0].pointer, QStringLiteral("/scaler/scale"));
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(2));
    EXPECT_EQ(live.run().last.lossScale, 2 * before);
}

TEST(RunCard, TheIntervalBehindTheFold) {
    LiveCard live;
    ASSERT_TRUE(live.show(1));
    QTest::mouseClick(named<QPushButton>(*live.card, QStringLiteral("Growth, backoff")), Qt::LeftButton);
    auto* field = named<NumberField>(*live.card, QStringLiteral("Growth interval"));
    ASSERT_TRUE(field && field->isVisible());
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("50"));
    QTest::keyClick(field, Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.run().info.settings.training.scaler.growthInterval == 50; }, kPatienceMs));
}

TEST(RunCard, EveryPresetIsOfferedWithTheKeysThatItHas) {
    LiveCard live;
    ASSERT_TRUE(live.show(1));
    auto* presets = named<QComboBox>(*live.card, QStringLiteral("Loss scaler"));
    ASSERT_EQ(presets->count(), static_cast<int>(scalerPresets().size()));
    for (int i = 0; i < presets->count(); ++i) EXPECT_FALSE(presets->itemData(i, Qt::ToolTipRole).toString().isEmpty());
    QTest::mouseClick(named<QPushButton>(*live.card, QStringLiteral("Growth, backoff")), Qt::LeftButton);
    auto* hysteresis = named<NumberField>(*live.card, QStringLiteral("Hysteresis"));
    auto* interval = named<NumberField>(*live.card, QStringLiteral("Growth interval"));
    auto* smallest = named<NumberField>(*live.card, QStringLiteral("Smallest"));
    EXPECT_FALSE(hysteresis->isVisible()) << "pytorch has none";
    EXPECT_EQ(smallest->text(), QString());
    const auto choose = [&](const QString& preset) {
        presets->setCurrentText(preset);
        emit presets->textActivated(preset);
        return QTest::qWaitFor([&] { return live.run().info.scalerPreset == preset.toStdString(); }, kPatienceMs);
    };
    ASSERT_TRUE(choose(QStringLiteral("megatron")));
    EXPECT_EQ(live.run().nextScale, 4294967296.0) << "without waiting for a step";
    EXPECT_TRUE(hysteresis->isVisible());
    EXPECT_EQ(hysteresis->text(), QStringLiteral("2"));
    EXPECT_EQ(smallest->text(), QStringLiteral("1"));
    hysteresis->selectAll();
    QTest::keyClicks(hysteresis, QStringLiteral("4"));
    QTest::keyClick(hysteresis, Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.run().info.settings.training.scaler.hysteresis == 4; }, kPatienceMs));
    ASSERT_TRUE(choose(QStringLiteral("logmax")));
    EXPECT_FALSE(interval->isVisible());
    EXPECT_TRUE(smallest->isVisible());
}

// Before the engine's answer, and between that and the settings that go with it.
TEST(RunCard, APresetIsTakenBackWhileItIsOnItsWay) {
    for (const bool isAnswered : {false, true}) {
        LiveCard live;
        ASSERT_TRUE(live.show(1));
        auto* presets = named<QComboBox>(*live.card, QStringLiteral("Loss scaler"));
        emit presets->textActivated(QStringLiteral("megatron"));
        ASSERT_EQ(live.run().pending.size(), 1u);
        if (isAnswered) {
            const std::uint64_t id = live.run().pending.front().commandId;
            live.session.handle(Event(SettingApplied{id, live.card->run(), 1, "/scaler/preset", "preset", "pytorch", "megatron"}));
            EXPECT_EQ(live.run().info.scalerPreset, "pytorch") << "not told yet";
            EXPECT_EQ(presets->currentText(), QStringLiteral("megatron"));
        }
        emit presets->textActivated(QStringLiteral("pytorch"));
        EXPECT_EQ(live.run().pending.size(), isAnswered ? 1u : 2u);
        ASSERT_TRUE(live.settles());
        EXPECT_EQ(live.run().info.scalerPreset, "pytorch");
    }
}

TEST(RunCard, ARefusalStandsBesideTheControl) {
    LiveCard live;
    ASSERT_TRUE(live.show(0));
    live.engine.change(live.card->run(), QStringLiteral("/optimizer/lr"), "fast", QStringLiteral("fast"));
    ASSERT_TRUE(live.settles());
    bool isTold = false;
    for (const QLabel* label : live.card->findChildren<QLabel*>()) isTold |= label->isVisible() && label->property("kind") == "danger";
    EXPECT_TRUE(isTold);
}

TEST(RunCard, RenamingInPlace) {
    LiveCard live;
    ASSERT_TRUE(live.show(0));
    live.card->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(live.card.get(), kPatienceMs));
    auto* name = live.card->findChild<NameEdit*>();
    QTest::mouseDClick(name, Qt::LeftButton);
    EXPECT_FALSE(name->isReadOnly());
    name->selectAll();
    QTest::keyClicks(name, QStringLiteral("plain"));
    QTest::keyClick(name, Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.run().name() == QStringLiteral("plain"); }, kPatienceMs));
    EXPECT_TRUE(name->isReadOnly());
}

TEST(RunsDock, AddsARunWithTheSelectedOnesSettings) {
    LiveSession live;
    RunsDock dock(&live.session, &live.engine, nullptr);
    dock.show();
    ASSERT_TRUE(live.begin());
    live.session.select(live.session.runs()[1]->id);
    QTest::mouseClick(named<QPushButton>(dock, QStringLiteral("Add a run")), Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.runs().size() == 3; }, kPatienceMs));
    EXPECT_EQ(live.session.runs()[2]->info.policy, "fp16");
    EXPECT_EQ(dock.findChildren<RunCard*>().size(), 3);
    EXPECT_EQ(live.session.selected(), live.session.runs()[2]->id);
}

TEST(RunsDock, AnAddedRunTakesTheFocusFromAnotherCard) {
    LiveSession live;
    RunsDock dock(&live.session, &live.engine, nullptr);
    dock.resize(RunsDock::kWidth, 900);
    dock.show();
    dock.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&dock, kPatienceMs));
    ASSERT_TRUE(live.begin());
    const RunId first = live.session.runs()[0]->id;
    auto* rate = named<NumberField>(dock, QStringLiteral("Learning rate of wide"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return rate->isVisible(); }, kPatienceMs));
    rate->setFocus();
    ASSERT_TRUE(rate->hasFocus());
    live.engine.send(DuplicateRun{first});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.runs().size() == 3; }, kPatienceMs));
    const auto cardWithFocus = [&]() -> const RunCard* {
        for (const RunCard* card : dock.findChildren<RunCard*>())
            if (card->isAncestorOf(dock.focusWidget())) return card;
        return nullptr;
    };
    EXPECT_TRUE(
        QTest::qWaitFor([&] { return cardWithFocus() != nullptr && cardWithFocus()->run() == live.session.selected(); }, kPatienceMs));
    EXPECT_NE(live.session.selected(), first);
    EXPECT_EQ(qobject_cast<QLineEdit*>(dock.focusWidget()), nullptr) << "a key must not become a number";
}

TEST(RunsDock, ARestartAndAResetTakeTheOldWordsAway) {
    SessionModel session;
    EngineClient engine(&session, {});
    RunsDock dock(&session, &engine, nullptr);
    dock.resize(RunsDock::kWidth, 900);
    dock.show();
    for (const bool slim : {false, true}) {
        dock.setSlim(slim);
        for (const Event& anew : {Event(ExperimentReset{}), Event(threeRuns())}) {
            session.handle(threeRuns());
            session.select(1);
            session.handle(steps(1, 0, 8));
            session.handle(SettingApplied{0, 1, 7, "/precision", "precision", "FP32", "FP16"});
            QCoreApplication::processEvents();
            ASSERT_TRUE(showsText(dock, QStringLiteral("FP16 effective at step 7")));
            session.handle(CommandRefused{3, 1, "/optimizer/lr", "too fast"});
            auto* lr = named<NumberField>(dock, QStringLiteral("Learning rate of fp16"));
            if (slim) lr = dock.findChildren<RunControls*>().last()->findChild<NumberField*>();
            QTest::keyClicks(lr, QStringLiteral("99"));
            QCoreApplication::processEvents();
            ASSERT_TRUE(showsText(dock, QStringLiteral("too fast")));
            session.handle(anew);
            session.select(1);
            QCoreApplication::processEvents();
            EXPECT_FALSE(showsText(dock, QStringLiteral("effective at step 7"))) << slim << anew.index();
            EXPECT_FALSE(showsText(dock, QStringLiteral("too fast"))) << slim << anew.index();
            for (const QLineEdit* line : dock.findChildren<QLineEdit*>())
                EXPECT_FALSE(line->isVisible() && line->text().contains(QStringLiteral("99"))) << slim << anew.index();
        }
    }
}

TEST(RunsDock, NoRunIsWiderThanTheDock) {
    SessionModel session;
    EngineClient engine(&session, {});
    RunsDock dock(&session, &engine, nullptr);
    dock.resize(RunsDock::kWidth, 900);
    dock.show();
    for (const std::string& policy : policyNames())
        for (const ScalerPreset& preset : scalerPresets()) {
            ExperimentLoaded loaded = threeRuns();
            loaded.runs = {runInfo(0, std::string(60, 'W'), policy, std::string(preset.name))};
            loaded.runs[0].settings.training.optimizer.lr = 1.2345678901234e-300;
            loaded.runs[0].settings.training.precision.overrides = {{"layers.10", Dtype::F32}, {"layers.11", Dtype::BF16}};
            session.handle(loaded);
            session.notePending(0, {1, QStringLiteral("/precision"), "fp8", QStringLiteral("FP8")});
            for (const bool slim : {false, true}) {
                dock.setSlim(slim);
                QCoreApplication::processEvents();
                for (QScrollArea* area : dock.findChildren<QScrollArea*>()) {
                    if (!area->isVisible()) continue;
                    EXPECT_LE(area->widget()->minimumSizeHint().width(), area->viewport()->width())
                        << policy << ' ' << preset.name << (slim ? " slim" : "");
                }
            }
        }
    dock.setSlim(false);
    QCoreApplication::processEvents();
    EXPECT_TRUE(dock.findChild<NameEdit*>()->text().endsWith(QStringLiteral("…")));
}

TEST(NameEdit, ANameThatHasRoomIsWhole) {
    for (const char* name : {"clean", "one Inf", "fp32, raw", "Wavelength", "ill", "258, fp32 norm"}) {
        NameEdit edit(nullptr);
        edit.setName(QString::fromUtf8(name));
        edit.show();
        edit.resize(edit.sizeHint());
        EXPECT_EQ(edit.text(), QString::fromUtf8(name));
    }
}

TEST(RunsDock, StepsMoveNothingNotEvenForAMoment) {
    SessionModel session;
    EngineClient engine(&session, {});
    RunsDock dock(&session, &engine, nullptr);
    dock.resize(RunsDock::kWidth, 900);
    dock.show();
    for (const bool slim : {false, true}) {
        dock.setSlim(slim);
        session.handle(threeRuns());
        session.select(1);
        std::int64_t step = 0;
        const auto train = [&] {
            for (const RunId run : {0, 1, 2}) session.handle(steps(run, step, 8));
            step += 8;
            QTest::qWait(150);
        };
        for (int i = 0; i < 3; ++i) train();
        const Restless restless(dock);
        for (int i = 0; i < 3; ++i) train();
        for (const auto& [widget, times] : restless.counts())
            ADD_FAILURE() << widget << ", " << times << " times" << (slim ? ", slim" : "");
    }
}

/// Where a control was before there was news, it is still there: nothing that is said moves what may be clicked next.
TEST(RunsDock, NewsMovesNoControl) {
    SessionModel session;
    EngineClient engine(&session, {});
    RunsDock dock(&session, &engine, nullptr);
    dock.resize(RunsDock::kWidth, 900);
    dock.show();
    for (const bool slim : {false, true}) {
        dock.setSlim(slim);
        session.handle(threeRuns());
        session.select(1);
        for (const RunId run : {0, 1, 2}) session.handle(steps(run, 0, 8));
        QTest::qWait(200);
        const auto placesOf = [&] {
            std::map<const QWidget*, QPoint> places;
            for (const QWidget* each : dock.findChildren<QWidget*>()) {
                const bool isControl = qobject_cast<const QAbstractButton*>(each) || qobject_cast<const QLineEdit*>(each) ||
                                       qobject_cast<const QComboBox*>(each) || qobject_cast<const QAbstractSpinBox*>(each);
                if (isControl && each->isVisible()) places[each] = each->mapTo(&dock, QPoint());
            }
            return places;
        };
        const auto before = placesOf();
        const int width = dock.minimumSizeHint().width();
        const auto expectStill = [&](const char* when) {
            QCoreApplication::processEvents();
            const auto now = placesOf();
            for (const auto& [widget, place] : before)
                if (widget->isVisible()) {
                    EXPECT_EQ(now.at(widget), place) << when << ": " << widget->accessibleName().toStdString();
                }
            EXPECT_EQ(dock.minimumSizeHint().width(), width) << when;
        };
        ASSERT_GT(before.size(), 8u);
        session.notePending(1, {1, QStringLiteral("/optimizer/lr"), 0.25, QStringLiteral("0.25")});
        expectStill("a wish");
        session.handle(SettingApplied{0, 1, 7, "/optimizer/lr", "lr", "0.001", "0.25"});
        expectStill("a change");
        session.handle(CommandRefused{3, 1, "/optimizer/lr", "a sentence that is by far too long for a line below the controls of a run"});
        expectStill("a refusal");
        StepsRecorded broken = steps(1, 8, 1);
        broken.records[0].loss = std::numeric_limits<double>::quiet_NaN();
        session.handle(broken);
        for (int i = 0; i < 3; ++i) session.handle(steps(1, 9 + 20 * i, 20, kFlagSkipped));
        QTest::qWait(200);
        expectStill("a storm");
    }
}

TEST(RunCard, AFollowedLogsCardSaysSoAndGoesOnWithIt) {
    LiveSession live;
    ASSERT_TRUE(live.begin());
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("theirs.csv"));
    const auto write = [&](const char* text) {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Append));
        file.write(text);
    };
    write("step,loss\n");
    live.engine.send(ImportRuns{.path = path.toStdString(), .follows = true});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.runs().size() == 3; }, kPatienceMs));
    const RunId id = live.session.runs().back()->id;
    RunCard card(&live.session, &live.engine, id, nullptr);
    QObject::connect(&live.session, &SessionModel::runChanged, &card, &RunCard::refresh);
    QObject::connect(&live.session, &SessionModel::recordsAppended, &card, &RunCard::refreshLive);
    card.resize(328, 240);
    card.show();
    card.refresh();
    EXPECT_TRUE(showsText(card, QStringLiteral("from theirs.csv · its file is followed while it grows")));
    EXPECT_TRUE(showsText(card, QStringLiteral("no step yet")));
    write("7,2.5\n");
    EXPECT_TRUE(QTest::qWaitFor([&] { return showsText(card, QStringLiteral("step 7 · loss 2.5")); }, kPatienceMs));
    QFile::remove(path);
    EXPECT_TRUE(QTest::qWaitFor([&] { return showsText(card, QStringLiteral("nothing new is read")); }, kPatienceMs));
    EXPECT_TRUE(showsText(card, QStringLiteral("step 7")));
}

TEST(RunListModel, RowsFollowTheLab) {
    SessionModel session;
    RunListModel model(&session, nullptr);
    loadThreeRuns(session);
    ASSERT_EQ(model.rowCount(), 3);
    EXPECT_EQ(model.index(1).data().toString(), QStringLiteral("fp16"));
    EXPECT_EQ(model.index(1).data(RunListModel::FormatRole).toString(), QStringLiteral("FP16"));
    session.notePending(1, {1, QStringLiteral("/precision"), "bf16", QStringLiteral("BF16")});
    EXPECT_TRUE(model.index(1).data(RunListModel::HealthRole).toString().contains(QStringLiteral("BF16 pending")));
    session.handle(RunRemoved{0});
    EXPECT_EQ(model.rowCount(), 2);
    EXPECT_EQ(model.runAt(model.index(0)), 1);
}

}  // namespace
}  // namespace mantissa::gui
