// SPDX-License-Identifier: Apache-2.0
// The lesson in the window: by keys alone, in words, at any size, and when its file is broken.
#include "gui/lessons/lesson_panel.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "gui/app/help_pages.h"
#include "gui/app/key_map.h"
#include "gui/lessons/lesson_parts.h"
#include "gui/plots/event_bar.h"
#include "gui/plots/event_model.h"
#include "gui/recordings/session_memory.h"
#include "tests/gui/lessons/sample_lesson.h"
#include "tests/gui/support/live_window.h"

namespace mantissa::gui {
namespace {

struct LessonWindow : LiveWindow {
    QTemporaryDir folder;

    QString write(const QString& name, const std::string& text) {
        const QString path = folder.filePath(name);
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::WriteOnly) && file.write(text.c_str()) > 0);
        return path;
    }
    bool plays(QSize size = {1920, 1080}, const std::string& text = kSampleLesson) {
        if (!open(size)) return false;
        window->openLesson(write(QStringLiteral("two-formats.md"), text));
        return settles();
    }
    LessonPlayer& player() { return *window->findChild<LessonPlayer*>(); }
    LessonPanel& panel() { return *window->findChild<LessonPanel*>(); }
    bool settles() {
        return QTest::qWaitFor([this] { return player().isPlaying() && !player().isBusy(); }, kPatienceMs);
    }
    void key(int key, Qt::KeyboardModifiers modifiers = {}) {
        QWidget* focus = QApplication::focusWidget();
        QTest::keyClick(focus ? focus : window.get(), static_cast<Qt::Key>(key), modifiers);
    }
    bool next() {
        key(Qt::Key_Right, Qt::AltModifier);
        return settles();
    }
    bool says(const QString& words) {
        QTest::qWait(0);
        for (const QLabel* label : panel().findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(words)) return true;
        for (const QTextBrowser* text : panel().findChildren<QTextBrowser*>())
            if (text->isVisible() && text->toPlainText().contains(words)) return true;
        return false;
    }
};

TEST(LessonPanel, NamesTheKeysInForce) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    EXPECT_TRUE(live.says(QStringLiteral("Alt →")) && live.says(QStringLiteral("Alt ←")));
    ASSERT_EQ(live.window->keyMap()->assign(live.window->actionList().lessonNext, QKeySequence(Qt::CTRL | Qt::Key_J)), QString());
    EXPECT_TRUE(live.says(QStringLiteral("Ctrl+J")) && !live.says(QStringLiteral("Alt →")));
    live.panel().setPresenting(true);
    EXPECT_TRUE(live.says(QStringLiteral("→"))) << "clickers send plain keys";
    live.panel().setPresenting(false);
}

TEST(LessonPanel, MemoryIsSeenWhereALessonAsksForIt) {
    std::string text = kSampleLesson;
    text.replace(text.find("panels loss, loss scale"), std::string("panels loss, loss scale").size(), "panels loss, memory");
    for (const QSize size : {QSize(1920, 1080), QSize(1280, 720)}) {
        LessonWindow live;
        live.make();
        live.window->resize(size);
        live.window->show();
        ASSERT_TRUE(live.begin());
        live.window->openLesson(live.write(QStringLiteral("memory.md"), text));
        ASSERT_TRUE(live.settles());
        const auto* bars = live.window->findChild<QWidget*>(QStringLiteral("memoryList"));
        EXPECT_TRUE(QTest::qWaitFor([bars] { return bars->isVisible(); }, kPatienceMs)) << size.width();
    }
}

TEST(LessonPanel, ALessonIsPlayedToItsEndByKeysAlone) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    EXPECT_TRUE(live.says(QStringLiteral("Lesson from a file")));
    EXPECT_TRUE(live.says(QStringLiteral("Both are trained to step 20")));
    EXPECT_TRUE(live.panel().isAncestorOf(QApplication::focusWidget()) || QApplication::focusWidget() == &live.panel());
    live.key(Qt::Key_B);  // elsewhere it is the number inspector's
    EXPECT_EQ(live.player().choice(), 1);
    live.key(Qt::Key_1);  // elsewhere it selects the first run
    EXPECT_EQ(live.player().choice(), 0);
    ASSERT_TRUE(live.next());
    EXPECT_TRUE(live.says(QStringLiteral("Right: A, as you said.")));
    EXPECT_FALSE(live.says(QStringLiteral("Both are trained to step 20"))) << "the reveal has the room";
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(live.next());
    EXPECT_TRUE(live.player().isAtEnd());
    live.key(Qt::Key_Left, Qt::AltModifier);
    ASSERT_TRUE(live.settles());
    EXPECT_FALSE(live.player().isAtEnd());
    live.panel().setFocus();
    live.key(Qt::Key_Escape);
    EXPECT_FALSE(live.player().isPlaying());
    EXPECT_FALSE(live.panel().isVisible());
    EXPECT_EQ(live.lab.experiment().title, "Two formats") << "the experiment stays open";
}

TEST(LessonPanel, EscapeLeavesOnlyFromThePanel) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    live.window->findChild<PlotBoard*>()->setFocus();
    live.key(Qt::Key_Escape);
    EXPECT_TRUE(live.player().isPlaying());
}

TEST(LessonPanel, LettersAnswerWhereverTheFocusIsButInATextField) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    auto* board = live.window->findChild<PlotBoard*>();
    const auto cursorA = [board] { return board->cursorPair().at(CursorName::A); };
    board->setFocus();
    live.key(Qt::Key_B);
    EXPECT_EQ(live.player().choice(), 1);
    live.key(Qt::Key_A);
    EXPECT_EQ(live.player().choice(), 0);
    EXPECT_LT(cursorA(), 0) << "which is the letter's meaning elsewhere";
    QLineEdit* field = nullptr;
    for (QLineEdit* each : live.window->findChildren<QLineEdit*>())
        if (each->isVisible() && each->isEnabled() && !each->isReadOnly()) field = each;
    ASSERT_NE(field, nullptr);
    field->setFocus();
    live.key(Qt::Key_B);
    EXPECT_EQ(live.player().choice(), 0) << "it is typed";
    board->setFocus();
    live.window->actionList().layoutDiagnose->trigger();
    live.key(Qt::Key_B);
    EXPECT_EQ(live.player().choice(), 1) << "in every layout";
    live.window->actionList().layoutExplore->trigger();
    ASSERT_TRUE(live.next());
    board->setFocus();
    live.key(Qt::Key_A);
    EXPECT_GE(cursorA(), 0) << "no question is open: the letter has its own meaning";
}

TEST(LessonPanel, VotesAreCountedByKeysAndClicks) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    live.panel().setPresenting(true);
    live.window->findChild<PlotBoard*>()->setFocus();
    live.key(Qt::Key_Up, Qt::AltModifier);
    ASSERT_TRUE(live.player().isCounting());
    for (int i = 0; i < 3; ++i) live.key(Qt::Key_A);
    for (int i = 0; i < 2; ++i) live.key(Qt::Key_B);
    live.key(Qt::Key_B, Qt::ShiftModifier);
    QTest::qWait(0);  // cards in the size of a desk are gone
    const auto cards = live.panel().findChildren<AnswerCard*>();
    ASSERT_EQ(cards.size(), 2);
    QTest::mouseClick(cards[1], Qt::LeftButton);
    EXPECT_EQ(live.player().votes(), (std::vector<int>{3, 2}));
    EXPECT_EQ(live.player().choice(), std::nullopt) << "a vote chooses nothing";
    EXPECT_FALSE(cards[1]->isChecked());
    EXPECT_TRUE(cards[0]->accessibleName().contains(QStringLiteral("3 votes, 60 %"))) << cards[0]->accessibleName().toStdString();
    ASSERT_TRUE(live.next());
    EXPECT_TRUE(live.says(QStringLiteral("It was A: 3 of 5 votes.")));
    live.key(Qt::Key_A);
    EXPECT_EQ(live.player().votes(), (std::vector<int>{3, 2})) << "the answer is told";
    live.panel().setPresenting(false);
}

/// Words on cards and in the list of events that say how a run fares.
bool tellsHowItFares(const LessonWindow& live) {
    const auto* events = live.window->findChild<EventBar*>()->model();
    const bool isListed = std::any_of(events->events().begin(), events->events().end(),
                                      [](const LabEvent& event) { return event.kind == LabEvent::Kind::Skips; });
    bool isOnCard = false;
    for (const QLabel* label : live.window->findChildren<QLabel*>())
        isOnCard |= label->isVisible() && label->text().contains(QStringLiteral("skipped"));
    return isListed || isOnCard;
}

TEST(LessonPanel, NoViewSaysHowARunFaresWhileAQuestionIsOpen) {
    std::string text = kSampleLesson;
    // Far too high: the first steps are skipped.
    text.replace(text.find("\"preset\": \"pytorch\""), std::string("\"preset\": \"pytorch\"").size(),
                 "\"preset\": \"pytorch\", \"init_scale\": 1e12");
    text.replace(text.find("hide \"narrow\""), std::string("hide \"narrow\"").size(), "hide \"wide\"");
    text.replace(text.find("show \"narrow\""), std::string("show \"narrow\"").size(), "show \"wide\"");
    LessonWindow live;
    ASSERT_TRUE(live.plays({1920, 1080}, text));
    ASSERT_GT(live.lab.runs()[1]->skipCount(), 0);
    QTest::qWait(200);
    EXPECT_FALSE(tellsHowItFares(live));
    EXPECT_TRUE(live.lab.isAsking());
    EXPECT_NE(live.child<QWidget>(QStringLiteral("run 1, hidden")), nullptr);
    ASSERT_TRUE(live.next());
    QTest::qWait(200);
    EXPECT_TRUE(tellsHowItFares(live));
}

TEST(LessonPanel, AnotherExperimentIsNotKeptQuietFor) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    ASSERT_TRUE(live.lab.isAsking());
    live.engine.load(QStringLiteral("four-formats"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.lab.runs().size() == 4; }, kPatienceMs));
    EXPECT_FALSE(live.lab.isAsking());
    live.player().reset();
    ASSERT_TRUE(live.settles());
    EXPECT_TRUE(live.lab.isAsking());
}

TEST(LessonPanel, CountingEndsWithThePresentationAndTakesAChoiceBack) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    live.panel().setPresenting(true);
    live.window->findChild<PlotBoard*>()->setFocus();
    live.key(Qt::Key_B);
    ASSERT_EQ(live.player().choice(), 1);
    live.window->actionList().lessonVotes->trigger();
    EXPECT_EQ(live.player().choice(), std::nullopt);
    QTest::qWait(0);
    for (const AnswerCard* card : live.panel().findChildren<AnswerCard*>()) EXPECT_FALSE(card->isChecked());
    QKeyEvent held(QEvent::KeyPress, Qt::Key_1, Qt::NoModifier, QStringLiteral("1"), true);
    QApplication::sendEvent(&live.panel(), &held);
    EXPECT_TRUE(live.player().votes().empty()) << "a key that is held is one press";
    live.panel().setPresenting(false);
    EXPECT_FALSE(live.player().isCounting());
    live.key(Qt::Key_A);
    EXPECT_EQ(live.player().choice(), 0);
}

TEST(LessonPanel, ARunThatIsToldDrawsItself) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    auto* board = live.window->findChild<PlotBoard*>();
    const RunId narrow = live.lab.runs()[1]->id;
    board->setDrawingTime(1e9);
    ASSERT_TRUE(live.next());
    board->refreshNow();
    EXPECT_EQ(board->trace(narrow).shownSteps, 40);
    EXPECT_LT(board->trace(narrow).lineSteps(), 40);
    board->setDrawingTime(1);
    EXPECT_TRUE(QTest::qWaitFor([&] { return board->trace(narrow).lineSteps() == 40; }, kPatienceMs));
}

TEST(LessonPanel, ABundledLessonEndsWithTheNextOne) {
    LessonWindow live;
    ASSERT_TRUE(live.open());
    live.window->openLesson(QStringLiteral("format-anatomy"));
    ASSERT_TRUE(live.settles());
    while (!live.player().isAtEnd()) ASSERT_TRUE(live.next());
    EXPECT_NE(live.child<QPushButton>(QStringLiteral("Next lesson")), nullptr);
    live.key(Qt::Key_Right, Qt::AltModifier);
    ASSERT_TRUE(live.settles());
    EXPECT_EQ(live.player().lesson()->name, "why-scale-the-loss");
}

TEST(LessonPanel, AWrongAnswerIsToldInWords) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    live.key(Qt::Key_B);
    ASSERT_TRUE(live.next());
    EXPECT_TRUE(live.says(QStringLiteral("Not B: it was A.")));
    const auto cards = live.panel().findChildren<AnswerCard*>();
    int right = 0, wrong = 0;
    for (const AnswerCard* card : cards) {
        if (!card->isVisible()) continue;
        right += card->accessibleDescription().startsWith(QStringLiteral("Right")) ? 1 : 0;
        wrong += card->accessibleDescription().startsWith(QStringLiteral("Your answer, but not right")) ? 1 : 0;
    }
    EXPECT_EQ(right, 1);
    EXPECT_EQ(wrong, 1);
}

TEST(LessonPanel, ClaimsAreMeasuredInTheWindowsOwnRuns) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    ASSERT_TRUE(live.next());
    EXPECT_TRUE(live.says(QStringLiteral("It was A."))) << "nothing was chosen";
    EXPECT_TRUE(live.says(QStringLiteral("Measured here")));
    EXPECT_TRUE(live.says(QStringLiteral("not in this run: ")));
    const double loss = live.lab.runs()[0]->loss.exact(0);
    EXPECT_TRUE(live.says(QString::number(loss, 'g', 3))) << loss;
    // Somebody trains on: the panel says so, and how to come back.
    live.engine.send(SingleStep{});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.says(QStringLiteral("Reset brings this step back")); }, kPatienceMs));
}

TEST(LessonPanel, AHiddenRunIsNamedNowhere) {
    for (const QSize size : {QSize(1920, 1080), QSize(1280, 720)}) {
        LessonWindow live;
        ASSERT_TRUE(live.plays(size));
        QTest::qWait(150);  // cards and rows follow at their own pace
        EXPECT_EQ(live.child<QWidget>(QStringLiteral("narrow")), nullptr)
            << live.child<QWidget>(QStringLiteral("narrow"))->accessibleName().toStdString();
        for (const QLabel* label : live.window->findChildren<QLabel*>())
            EXPECT_FALSE(label->isVisible() && label->text().contains(QStringLiteral("narrow"))) << label->text().toStdString();
        EXPECT_NE(live.child<HiddenRunChip>(QStringLiteral("run 2, hidden")), nullptr);
        ASSERT_TRUE(live.next());
        EXPECT_EQ(live.child<HiddenRunChip>(QStringLiteral("hidden")), nullptr);
    }
}

TEST(LessonPanel, ABrokenFileIsOneSentenceWithItsLineAndNothingElseChanges) {
    LessonWindow live;
    ASSERT_TRUE(live.open());
    const std::string before = live.lab.experiment().title;
    std::string text = kSampleLesson;
    text.replace(text.find("train to 20"), 11, "trane to 20");
    live.window->openLesson(live.write(QStringLiteral("bad.md"), text));
    ASSERT_NE(live.shownBanner(), nullptr);
    bool hasPlace = false;
    for (const QLabel* label : live.shownBanner()->findChildren<QLabel*>()) hasPlace |= label->text().contains(QStringLiteral("bad.md:18"));
    EXPECT_TRUE(hasPlace);
    EXPECT_FALSE(live.player().isPlaying());
    EXPECT_FALSE(live.panel().isVisible());
    EXPECT_EQ(live.lab.experiment().title, before);
}

TEST(LessonPanel, EveryPartHasANameAndNothingScrollsSideways) {
    for (const QSize size : {QSize(1920, 1080), QSize(1280, 720)}) {
        LessonWindow live;
        ASSERT_TRUE(live.plays(size));
        for (int place = 0; place < 4; ++place) {
            for (const QWidget* widget : live.panel().findChildren<QWidget*>()) {
                if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus)) continue;
                EXPECT_FALSE(widget->accessibleName().isEmpty()) << widget->metaObject()->className();
            }
            for (const QScrollArea* area : live.panel().findChildren<QScrollArea*>()) {
                if (!area->isVisible()) continue;
                EXPECT_LE(area->widget()->minimumSizeHint().width(), area->viewport()->width());
            }
            for (const LessonText* text : live.panel().findChildren<LessonText*>())
                if (text->isVisible()) {
                    EXPECT_LE(text->document()->idealWidth(), text->viewport()->width()) << text->toPlainText().toStdString();
                }
            EXPECT_EQ(live.window->width(), size.width());
            EXPECT_EQ(live.panel().width(), LessonPanel::kWidth);
            if (place < 3) {
                ASSERT_TRUE(live.next());
            }
        }
    }
}

TEST(LessonPanel, ForAProjectorTypeIsLargeAndClickersLeadOn) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    live.panel().setPresenting(true);
    QTest::qWait(0);
    int largest = 0;  // the step may be called as its question
    for (const QLabel* label : live.panel().findChildren<QLabel*>())
        if (label->isVisible() && label->text() == QStringLiteral("Which one is lower?"))
            largest = std::max(largest, label->fontInfo().pixelSize());
    EXPECT_GE(largest, 32);
    for (const QPushButton* button : live.panel().findChildren<QPushButton*>())
        if (button->isVisible() && button->text().startsWith(QStringLiteral("Next"))) {
            EXPECT_GE(button->height(), 60);
        }
    live.window->findChild<PlotBoard*>()->setFocus();
    live.key(Qt::Key_PageDown);
    ASSERT_TRUE(live.settles());
    EXPECT_TRUE(live.player().place().isRevealed);
    live.key(Qt::Key_Left);
    ASSERT_TRUE(live.settles());
    EXPECT_FALSE(live.player().place().isRevealed);
    live.key(Qt::Key_Right);
    ASSERT_TRUE(live.settles());
    EXPECT_TRUE(live.player().place().isRevealed);
    live.panel().setPresenting(false);
    live.key(Qt::Key_PageDown);
    EXPECT_TRUE(live.player().place().isRevealed) << "at a desk it is the plots' key again";
    EXPECT_EQ(live.player().place().step, 0u);
}

TEST(LessonPanel, TheMenuAndTheListHaveEveryLesson) {
    LessonWindow live;
    ASSERT_TRUE(live.open());
    const Actions& actions = live.window->actionList();
    QStringList menus;
    for (const QAction* menu : live.window->menuBar()->actions()) menus << menu->text();
    EXPECT_EQ(menus.indexOf(QStringLiteral("&Lessons")), menus.indexOf(QStringLiteral("&Diagnose")) + 1);
    emit actions.lessons->aboutToShow();
    emit actions.lessons->aboutToShow();  // which adds nothing
    EXPECT_EQ(actions.lessons->actions().size(), static_cast<int>(9 + bundledLessons().size()));
    for (const BundledLesson& lesson : bundledLessons()) {
        const QString title = QString::fromStdString(lesson.title);
        const auto entries = actions.lessons->actions();
        EXPECT_TRUE(std::any_of(entries.begin(), entries.end(), [&](const QAction* action) { return action->text().contains(title); }));
    }
    actions.lessonList->trigger();
    EXPECT_TRUE(live.panel().isVisible());
    EXPECT_EQ(live.panel().findChildren<LessonEntry*>().size(), static_cast<int>(bundledLessons().size()));
    live.key(Qt::Key_Escape);
    EXPECT_FALSE(live.panel().isVisible());
    for (const QAction* action : {actions.lessonNext, actions.lessonBack}) {
        EXPECT_FALSE(action->shortcut().isEmpty()) << "so that the list of keys has it";
        EXPECT_FALSE(action->isEnabled()) << "no lesson plays";
    }
}

TEST(LessonPanel, FinishedLessonsAreRemembered) {
    QTemporaryDir folder;
    {
        SessionMemory memory(folder.path());
        EXPECT_TRUE(memory.finishedLessons().isEmpty());
        memory.noteFinishedLesson(QStringLiteral("too-hot"));
        memory.noteFinishedLesson(QStringLiteral("clip"));
        memory.noteFinishedLesson(QStringLiteral("too-hot"));
    }
    EXPECT_EQ(SessionMemory(folder.path()).finishedLessons(), (QStringList{QStringLiteral("too-hot"), QStringLiteral("clip")}));
}

TEST(LessonPictures, AreRegularFilesBesideTheLesson) {
    QTemporaryDir folder;
    QImage picture(40, 30, QImage::Format_RGB32);
    picture.fill(Qt::red);
    ASSERT_TRUE(QDir(folder.path()).mkdir(QStringLiteral("lesson")));
    ASSERT_TRUE(picture.save(folder.filePath(QStringLiteral("lesson/a.png"))));
    ASSERT_TRUE(picture.save(folder.filePath(QStringLiteral("outside.png"))));
    ASSERT_EQ(::mkfifo(qPrintable(folder.filePath(QStringLiteral("lesson/pipe.png"))), 0600), 0);
    ASSERT_TRUE(QFile::link(QStringLiteral("/dev/zero"), folder.filePath(QStringLiteral("lesson/zero.png"))));
    QFile large(folder.filePath(QStringLiteral("lesson/large.png")));
    ASSERT_TRUE(large.open(QIODevice::WriteOnly) && large.resize(17 << 20));
    LessonText text(QStringLiteral("text"), nullptr);
    text.resize(600, 200);
    const auto shows = [&](const QString& name) {
        text.setProse("![](" + name.toStdString() + ")", folder.filePath(QStringLiteral("lesson")));
        return !text.document()->resource(QTextDocument::ImageResource, QUrl(name)).value<QImage>().isNull();
    };
    EXPECT_TRUE(shows(QStringLiteral("a.png")));
    for (const QString& name :
         {QStringLiteral("../outside.png"), folder.filePath(QStringLiteral("outside.png")),
          QStringLiteral("file://") + folder.filePath(QStringLiteral("lesson/a.png")), QStringLiteral("pipe.png"),
          QStringLiteral("zero.png"), QStringLiteral("large.png"), QStringLiteral("missing.png"), QStringLiteral("/dev/zero")})
        EXPECT_FALSE(shows(name)) << name.toStdString();
}

}  // namespace
}  // namespace mantissa::gui
