// SPDX-License-Identifier: Apache-2.0
// The whole window with a real engine behind it.
#include "gui/app/main_window.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <QAbstractSpinBox>
#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <cmath>
#include <map>

#include "gui/app/view_controller.h"
#include "gui/bits/bits_window.h"
#include "gui/exports/export_dialog.h"
#include "gui/picker/picker_page.h"
#include "gui/recordings/recordings_page.h"
#include "gui/timeline/fork_dialog.h"
#include "tests/gui/support/live_window.h"

namespace mantissa::gui {
namespace {

/// Of the parts of `window` that one sees; how many there are.
int expectNames(const QWidget* window) {
    int checked = 0;
    for (const QWidget* widget : window->findChildren<QWidget*>()) {
        if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus)) continue;
        if (qobject_cast<const QAbstractSpinBox*>(widget->parentWidget())) continue;  // its field speaks by the box's name
        ++checked;
        EXPECT_FALSE(widget->accessibleName().isEmpty())
            << widget->metaObject()->className() << " " << widget->objectName().toStdString() << " in "
            << (widget->parentWidget() ? widget->parentWidget()->metaObject()->className() : "nothing");
    }
    return checked;
}

TEST(MainWindow, EveryFocusablePartHasAName) {
    for (const QSize size : {QSize(1920, 1080), QSize(1280, 720)}) {
        LiveWindow live;
        ASSERT_TRUE(live.open(size));
        EXPECT_GT(expectNames(live.window.get()), 15);
    }
    LiveWindow live;
    ASSERT_TRUE(live.open());
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(1));
    live.window->findChild<PlotBoard*>()->cursors().setStep(0);
    const Actions& actions = live.window->actionList();
    for (QAction* action : {actions.exporting, actions.fork, actions.recordings}) action->trigger();
    auto* exporting = live.window->findChild<ExportDialog*>();
    for (const auto page : {ExportDialog::Picture, ExportDialog::Data, ExportDialog::Program}) {
        exporting->showPage(page);
        EXPECT_GT(expectNames(exporting), 1) << page;
    }
    EXPECT_GT(expectNames(live.window->findChild<ForkDialog*>()), 5);
    EXPECT_GT(expectNames(live.window->findChild<RecordingsPage*>()), 0);
}

/// An image in rich text opens the file that it names: a pipe holds the window for ever.
TEST(MainWindow, MarkupInAStrangersFileIsShownAsText) {
    const std::string image = "<img src='no.png'>";
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("marked.json"));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QStringLiteral(R"({"title": "%1", "description": "%1.", "look_for": "%1.", "model": {"hidden": [8]}, "steps": 30,
                                  "runs": [{"name": "%1", "precision": "fp16"}, {"name": "b"}]})")
                   .arg(QString::fromStdString(image))
                   .toUtf8());
    file.close();
    LiveWindow live;
    ASSERT_TRUE(live.beginsWith(path, image));
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(1));
    const Actions& actions = live.window->actionList();
    for (QAction* action : {actions.exporting, actions.fork, actions.recordings}) action->trigger();
    int shown = 0, rich = 0;
    const auto examine = [&] {
        for (const QLabel* label : live.window->findChildren<QLabel*>()) {
            const QString name = QString::fromStdString(image);
            shown += label->text().contains(name) ? 1 : 0;
            rich += label->textFormat() == Qt::RichText ? 1 : 0;
            EXPECT_NE(label->textFormat(), Qt::AutoText) << label->text().toStdString();
            EXPECT_FALSE(label->textFormat() == Qt::RichText && label->text().contains(name)) << label->objectName().toStdString();
        }
    };
    for (QAction* page : actions.layouts->actions()) {
        page->trigger();
        QTest::qWait(50);
        examine();
    }
    EXPECT_GT(shown, 0);
    EXPECT_GT(rich, 0);
}

TEST(MainWindow, AProbesFileIsOpenedByName) {
    const auto says = [](const LiveWindow& live, const QString& part) {
        const QList<QLabel*> labels = live.window->findChild<StatusLine*>()->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) { return label->text().contains(part); });
    };
    LiveWindow live;
    live.make(QStringLiteral(MANTISSA_ROOT "/tests/golden/watched.mprobe"));
    live.window->show();
    live.window->begin();
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.runs().size() == 1 && live.session.runs()[0]->isWatched(); }, kPatienceMs));
    EXPECT_TRUE(QTest::qWaitFor([&] { return live.session.runs()[0]->stepCount() > 1; }, kPatienceMs));
    EXPECT_TRUE(QTest::qWaitFor([&] { return says(live, QStringLiteral("Engine ready")); }, kPatienceMs));
    EXPECT_FALSE(says(live, QStringLiteral("Finished"))) << "nothing was trained here";
    EXPECT_EQ(live.shownBanner(), nullptr);

    LiveWindow without;
    without.make(QStringLiteral("/no/such.mprobe"));
    without.window->show();
    without.window->begin();
    EXPECT_TRUE(QTest::qWaitFor([&] { return without.shownBanner() != nullptr; }, kPatienceMs)) << "it is said";
}

TEST(MainWindow, NoTwoActionsShareAKey) {
    LiveWindow live;
    live.make();
    std::map<QString, QString> taken;
    for (const QAction* action : live.window->actions())
        for (const QKeySequence& key : action->shortcuts()) {
            const auto [other, isNew] = taken.emplace(key.toString(), action->text());
            EXPECT_TRUE(isNew) << key.toString().toStdString() << ": " << action->text().toStdString() << ", "
                               << other->second.toStdString();
        }
    EXPECT_GT(taken.size(), 20u);
}

TEST(MainWindow, TheNumberInspectorStandsBesideTheWindow) {
    LiveWindow live;
    live.make();
    live.window->actionList().inspector->trigger();
    auto* bits = live.window->findChild<BitsWindow*>();
    ASSERT_NE(bits, nullptr);
    EXPECT_TRUE(bits->isVisible());
    EXPECT_FALSE(bits->isModal());
    EXPECT_GT(expectNames(bits), 40);
    bits->showBench();
    EXPECT_GT(expectNames(bits), 7);
    live.window->actionList().inspector->trigger();
    EXPECT_EQ(live.window->findChildren<BitsWindow*>().size(), 1);
}

TEST(MainWindow, ANewExperimentIsPickedAndLoaded) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    live.window->actionList().create->trigger();
    live.window->actionList().create->trigger();
    ASSERT_EQ(live.window->findChildren<PickerPage*>().size(), 1) << "the one that is open comes to the front";
    auto* page = live.window->findChild<PickerPage*>();
    auto* create = page->findChild<QPushButton*>(QStringLiteral("create"));
    ASSERT_NE(create, nullptr);
    QSignalSpy loaded(&live.session, &SessionModel::experimentLoaded);
    QTest::mouseClick(create, Qt::LeftButton);
    ASSERT_TRUE(loaded.wait(kPatienceMs));
    EXPECT_EQ(live.session.experiment().title, "mlp on digits");
    EXPECT_EQ(live.session.experiment().name, "mlp-on-digits") << "what a saved file will be called";
    EXPECT_EQ(live.shownBanner(), nullptr);
}

TEST(MainWindow, TabReachesTheControlsOfEveryRun) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    std::set<QString> reached;
    for (int i = 0; i < 80; ++i) {
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : live.window.get(), Qt::Key_Tab);
        if (const QWidget* widget = QApplication::focusWidget()) reached.insert(widget->accessibleName());
    }
    for (const char* name : {"Loss scaler of wide", "Learning rate of wide", "Gradient norm clip of narrow", "Loss scale of narrow",
                             "Single step", "Pace of training"})
        EXPECT_TRUE(reached.contains(QString::fromLatin1(name))) << name;
}

TEST(MainWindow, AKilledEngineLeavesABannerAndRestarts) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(1));
    EXPECT_EQ(live.shownBanner(), nullptr);
    ASSERT_EQ(kill(static_cast<pid_t>(live.engine.processId()), SIGKILL), 0);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.shownBanner() != nullptr; }, kPatienceMs));
    EXPECT_EQ(live.shownBanner()->accessibleName(), QStringLiteral("The engine stopped at step 1: ended by signal 9."));
    EXPECT_FALSE(live.child<QPushButton>(QStringLiteral("Double"))->isEnabled());
    EXPECT_EQ(live.session.stepCount(), 1) << "what was recorded stays on screen";

    QSignalSpy loaded(&live.session, &SessionModel::experimentLoaded);
    QTest::mouseClick(live.child<QPushButton>(QStringLiteral("Restart")), Qt::LeftButton);
    ASSERT_TRUE(loaded.wait(kPatienceMs));
    EXPECT_EQ(live.shownBanner(), nullptr);
    EXPECT_EQ(live.session.runs().size(), 2u);
    ASSERT_TRUE(live.showsCards());
    EXPECT_TRUE(live.child<QPushButton>(QStringLiteral("Double"))->isEnabled());
}

TEST(MainWindow, KeepLookingClosesTheBannerAndNothingElse) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    ASSERT_EQ(kill(static_cast<pid_t>(live.engine.processId()), SIGKILL), 0);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.shownBanner() != nullptr; }, kPatienceMs));
    QTest::mouseClick(live.child<QPushButton>(QStringLiteral("Keep looking")), Qt::LeftButton);
    EXPECT_EQ(live.shownBanner(), nullptr);
    EXPECT_FALSE(live.engine.isRunning());
    EXPECT_TRUE(live.window->isVisible());
}

TEST(MainWindow, ABadExperimentIsToldAndTheOldOneStays) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    live.window->openExperiment(QStringLiteral("no-such-experiment"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.shownBanner() != nullptr; }, kPatienceMs));
    EXPECT_EQ(live.session.experiment().title, "Two formats");
    EXPECT_EQ(live.session.runs().size(), 2u);
}

/// A folder of its own that is the working directory meanwhile.
struct InFolder {
    QTemporaryDir folder;
    QString before = QDir::currentPath();
    InFolder() { QDir::setCurrent(folder.path()); }
    ~InFolder() { QDir::setCurrent(before); }
    void write(const QString& name, const QByteArray& text) {
        QFile file(folder.filePath(name));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }
};

const std::string kDefaultTitle = "Four formats, one task";

TEST(MainWindow, AStartFileThatCannotBeHadIsToldAndTheDefaultOpens) {
    InFolder here;
    here.write(QStringLiteral("large.json"), QByteArray(2 << 20, ' '));
    here.write(QStringLiteral("broken.json"), QByteArrayLiteral("{\"runs\": 3}"));
    const std::pair<const char*, const char*> kCases[] = {{"missing.json", "missing.json: there is no such file"},
                                                          {"large.json", "large.json: is larger than 1 MiB"},
                                                          {".", "is not a file"},
                                                          {"broken.json", "/runs"}};
    for (const auto& [path, words] : kCases) {
        LiveWindow live;
        ASSERT_TRUE(live.beginsWith(QString::fromLatin1(path), kDefaultTitle)) << path;
        EXPECT_TRUE(live.engine.isRunning());
        ASSERT_NE(live.shownBanner(), nullptr) << path;
        QString told;
        for (const QLabel* label : live.shownBanner()->findChildren<QLabel*>()) told += label->text() + u'\n';
        EXPECT_TRUE(told.contains(QString::fromLatin1(words))) << told.toStdString();
        EXPECT_TRUE(told.contains(QStringLiteral("Opened four-formats instead"))) << told.toStdString();
    }
}

TEST(MainWindow, ABareNameIsTheBundledExperimentAsInTheCommandLine) {
    InFolder here;
    here.write(QStringLiteral("four-formats"), smallExperiment().toUtf8());
    LiveWindow live;
    ASSERT_TRUE(live.beginsWith(QStringLiteral("four-formats"), kDefaultTitle));
    live.window->openExperiment(QStringLiteral("./four-formats"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.experiment().title == "Two formats"; }, kPatienceMs));
    EXPECT_EQ(live.shownBanner(), nullptr);
}

TEST(MainWindow, ASecondPressOfTrainTakesTheFirstBackBeforeTheAnswer) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    QSignalSpy answers(&live.engine, &EngineClient::answered);
    auto* train = live.child<QPushButton>(QStringLiteral("Train"));
    QTest::mouseClick(train, Qt::LeftButton);
    EXPECT_EQ(train->accessibleName(), QStringLiteral("Pause training")) << "what the next press does";
    QTest::mouseClick(train, Qt::LeftButton);
    // At least: what the window asks by itself is answered too.
    const auto isPaused = [&] { return answers.count() >= 2 && live.session.state().state == LabState::Paused; };
    ASSERT_TRUE(QTest::qWaitFor(isPaused, kPatienceMs));
    EXPECT_LT(live.session.stepCount(), 400);
    EXPECT_EQ(train->accessibleName(), QStringLiteral("Train"));
    // what others ask for is followed once it holds
    live.engine.send(SetPace{1});
    live.engine.send(Train{});
    ASSERT_TRUE(QTest::qWaitFor([&] { return train->accessibleName() == QStringLiteral("Pause training"); }, kPatienceMs));
}

TEST(MainWindow, ScaleKeysGoFromTheRequestAndStayWithinFp32) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    RunState& run = *live.session.runs()[1];
    live.session.select(run.id);
    const double before = run.nextScale;
    for (int i = 0; i < 2; ++i) QTest::keyClick(live.window.get(), Qt::Key_Up, Qt::ControlModifier);
    QTest::mouseClick(live.child<QPushButton>(QStringLiteral("Double")), Qt::LeftButton);
    ASSERT_EQ(run.pending.size(), 3u);
    ASSERT_TRUE(live.settles());
    EXPECT_EQ(run.nextScale, 8 * before);
    live.engine.change(run.id, QStringLiteral("/scaler/scale"), std::ldexp(1, 127), QStringLiteral("2^127"));
    QTest::keyClick(live.window.get(), Qt::Key_Up, Qt::ControlModifier);
    EXPECT_EQ(run.pending.size(), 1u) << "twice 2^127 is no fp32";
}

TEST(MainWindow, TrainPauseStepAndReset) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    QTest::mouseClick(live.child<QPushButton>(QStringLiteral("Single step")), Qt::LeftButton);
    ASSERT_TRUE(live.reaches(1));
    EXPECT_EQ(live.session.stepCount(), 1);
    QTest::mouseClick(live.child<QPushButton>(QStringLiteral("Train")), Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().state == LabState::Finished; }, kPatienceMs));
    ASSERT_TRUE(live.reaches(400));
    QTest::mouseClick(live.child<QPushButton>(QStringLiteral("Reset")), Qt::LeftButton);
    // the series begin anew with one event, the state follows with another
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return live.session.stepCount() == 0 && live.session.state().state == LabState::Paused; }, kPatienceMs));
}

TEST(MainWindow, SpaceFreezesTheViewWhileTrainingGoesOn) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(1));
    QTest::keyClick(live.window.get(), Qt::Key_Space);
    auto* board = live.window->findChild<PlotBoard*>();
    EXPECT_TRUE(board->steps().isFrozen());
    EXPECT_NE(live.child<QPushButton>(QStringLiteral("Frozen")), nullptr);
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(2));
    QTest::keyClick(live.window.get(), Qt::Key_Space);
    EXPECT_FALSE(board->steps().isFrozen());
}

TEST(MainWindow, LettersGoToAFieldThatHasTheCursor) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    auto* field = live.child<QLineEdit>(QStringLiteral("Learning rate of wide"));
    field->setFocus();
    ASSERT_TRUE(QTest::qWaitFor([&] { return field->hasFocus(); }, kPatienceMs));
    QTest::keyClick(field, Qt::Key_Space);
    EXPECT_FALSE(live.window->findChild<PlotBoard*>()->steps().isFrozen());
}

TEST(MainWindow, FunctionKeysWorkInAFieldThatHasTheCursor) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    auto* field = live.child<QLineEdit>(QStringLiteral("Learning rate of wide"));
    field->setFocus();
    ASSERT_TRUE(QTest::qWaitFor([&] { return field->hasFocus(); }, kPatienceMs));
    QTest::keyClick(field, Qt::Key_F2);
    auto* name = live.child<NameEdit>(QStringLiteral("Name of run wide"));
    ASSERT_NE(name, nullptr);
    EXPECT_FALSE(name->isReadOnly());
}

TEST(MainWindow, TheSlimFormNeitherCutsNorScrollsSideways) {
    for (const QSize size : {QSize(1280, 720), QSize(1280, 800)}) {
        LiveWindow live;
        ASSERT_TRUE(live.open(size));
        live.session.select(live.session.runs()[1]->id);
        QTest::qWait(50);
        auto* dock = live.window->findChild<RunsDock*>();
        EXPECT_TRUE(dock->isSlim());
        EXPECT_EQ(live.window->size(), size) << "the parts ask for more room than there is";
        for (const QScrollArea* area : dock->findChildren<QScrollArea*>()) {
            if (!area->isVisible()) continue;
            EXPECT_LE(area->widget()->minimumSizeHint().width(), area->viewport()->width());
        }
        for (const QWidget* widget : live.window->findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->isWindow()) continue;
            const QRect place(widget->mapTo(live.window.get(), QPoint()), widget->size());
            EXPECT_LE(place.right(), size.width()) << widget->metaObject()->className();
        }
        // precision and scale are one click away
        EXPECT_NE(live.child<PrecisionSegment>(QStringLiteral("Precision of narrow: BF16")), nullptr);
        EXPECT_NE(live.child<QPushButton>(QStringLiteral("Double the loss scale")), nullptr);
    }
}

TEST(MainWindow, ThemesSwitchLive) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    live.window->actionList().themeDark->trigger();
    EXPECT_EQ(Theme::current().kind, ThemeKind::Dark);
    EXPECT_EQ(live.window->palette().color(QPalette::Window), Theme::dark().window);
    live.window->actionList().themeLight->trigger();
    EXPECT_EQ(Theme::current().kind, ThemeKind::Light);
}

TEST(MainWindow, ClosingEndsTheEngine) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    const auto pid = static_cast<pid_t>(live.engine.processId());
    live.window->close();
    EXPECT_EQ(kill(pid, 0), -1);
}

// As QSettings gives a list of one back, and as earlier windows noted the usual plots: by their places.
TEST(KeptPlots, AreReadAsOneTextAsAListAndAsPlaces) {
    using Keys = std::vector<std::string>;
    EXPECT_EQ(keptPlotKeys(QStringLiteral("loss")), Keys{"loss"});
    EXPECT_EQ(keptPlotKeys(QStringList{QStringLiteral("lr"), QStringLiteral("loss"), QStringLiteral("lr")}), (Keys{"lr", "loss"}));
    EXPECT_EQ(keptPlotKeys(QVariantList{0, 1, 99}), (Keys{"loss", "loss_scale"}));
    EXPECT_TRUE(keptPlotKeys(QVariant()).empty());
}

}  // namespace
}  // namespace mantissa::gui
