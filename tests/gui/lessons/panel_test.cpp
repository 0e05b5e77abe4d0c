// SPDX-License-Identifier: Apache-2.0
// The lesson in the window: by keys alone, in words, at any size, and when its file is broken.
#include "gui/lessons/lesson_panel.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <QDir>
#include <QLabel>
#include <QMenuBar>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "gui/app/help_pages.h"
#include "gui/app/key_map.h"
#include "gui/bits/number_card.h"
#include "gui/lessons/lesson_parts.h"
#include "gui/plots/plot_board.h"
#include "gui/recordings/session_memory.h"
#include "tests/gui/lessons/lesson_window.h"

namespace mantissa::gui {
namespace {

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

TEST(LessonPanel, ANumberIsShownInPlaceOfThePlots) {
    LessonWindow lesson;
    ASSERT_TRUE(lesson.open({1280, 720}));
    lesson.window->openLesson(QStringLiteral("format-anatomy"));
    ASSERT_TRUE(lesson.settles());
    const auto* board = lesson.window->findChild<PlotBoard*>();
    const auto* card = lesson.window->findChild<NumberCard*>();
    ASSERT_TRUE(card && card->isVisible());
    EXPECT_EQ(card->becomes(Dtype::F16), QStringLiteral("1")) << "the number does not answer the question";
    lesson.player().choose(0);
    ASSERT_TRUE(lesson.next());
    EXPECT_EQ(card->becomes(Dtype::F16), QStringLiteral("+Inf"));
    EXPECT_NE(card->becomes(Dtype::BF16), QStringLiteral("+Inf"));
    BitStrip* strip = card->strip(Dtype::F16);
    QTest::mouseClick(strip, Qt::LeftButton, {}, strip->cellOf(15).center());
    EXPECT_EQ(card->becomes(Dtype::F16), QStringLiteral("\u2212Inf")) << "the sign was flipped";
    for (QAction* layout : {lesson.window->actionList().layoutPresent, lesson.window->actionList().leavePresent}) {
        layout->trigger();
        EXPECT_TRUE(QTest::qWaitFor([&] { return card->isVisible() && card->geometry() == board->geometry(); }, kPatienceMs));
        EXPECT_TRUE(QTest::qWaitFor([&] { return card->minimumSizeHint().width() <= card->width(); }, kPatienceMs))
            << card->minimumSizeHint().width() << " of " << card->width();
    }
    while (requestedPanels(lesson.player()) != std::vector<std::string>{"loss"} || shownNumber(lesson.player())) {
        lesson.player().choose(0);
        ASSERT_TRUE(lesson.next());
    }
    EXPECT_FALSE(card->isVisible()) << "the plots are back";
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
    EXPECT_TRUE(isAtEnd(live.player()));
    live.key(Qt::Key_Left, Qt::AltModifier);
    ASSERT_TRUE(live.settles());
    EXPECT_FALSE(isAtEnd(live.player()));
    live.panel().setFocus();
    live.key(Qt::Key_Escape);
    EXPECT_FALSE(live.player().isPlaying());
    EXPECT_FALSE(live.panel().isVisible());
    EXPECT_EQ(live.session.experiment().title, "Two formats") << "the experiment stays open";
}

TEST(LessonPanel, EscapeLeavesOnlyFromThePanel) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    live.window->findChild<PlotBoard*>()->setFocus();
    live.key(Qt::Key_Escape);
    EXPECT_TRUE(live.player().isPlaying());
    ASSERT_TRUE(live.player().isQuestionOpen());
    live.panel().setFocus();
    live.key(Qt::Key_Escape);
    EXPECT_TRUE(live.player().isPlaying()) << "an open question is not lost by a key";
}

TEST(LessonPanel, ABundledLessonEndsWithTheNextOne) {
    LessonWindow live;
    ASSERT_TRUE(live.open());
    live.window->openLesson(QStringLiteral("format-anatomy"));
    ASSERT_TRUE(live.settles());
    while (!isAtEnd(live.player())) ASSERT_TRUE(live.next());
    EXPECT_NE(live.child<QPushButton>(QStringLiteral("Next lesson")), nullptr);
    live.key(Qt::Key_Right, Qt::AltModifier);
    ASSERT_TRUE(live.settles());
    EXPECT_EQ(live.player().lesson()->name, "why-scale-the-loss");
}

TEST(LessonPanel, BeforeAClassOneKeyTooManyOpensNoOtherLesson) {
    LessonWindow live;
    ASSERT_TRUE(live.open({1280, 720}));
    live.window->openLesson(QStringLiteral("format-anatomy"));
    ASSERT_TRUE(live.settles());
    live.window->actionList().layoutPresent->trigger();
    live.player().choose(0);
    live.key(Qt::Key_Right);
    ASSERT_TRUE(live.settles() && live.player().place().isRevealed);
    const auto bar = [&]() -> QScrollBar* {
        for (const QScrollArea* area : live.panel().findChildren<QScrollArea*>())
            if (area->isVisible()) return area->verticalScrollBar();
        return nullptr;
    };
    ASSERT_NE(bar(), nullptr);
    EXPECT_TRUE(QTest::qWaitFor([&] { return bar()->maximum() == 0; }, kPatienceMs)) << "the explained answers fit, in smaller type";
    bool wasScrolled = false;
    const QString end = QStringLiteral("This is the end of the lesson. One more press: “Next lesson”.");
    for (int presses = 0; presses < 99 && !live.says(end); ++presses) {
        const auto place = live.player().place();
        const bool hasMore = bar()->value() < bar()->maximum() && !live.player().isQuestionOpen();
        const int scrolledTo = bar()->value();
        live.key(Qt::Key_Right);
        ASSERT_TRUE(live.settles());
        if (!hasMore) continue;
        wasScrolled = true;
        EXPECT_GT(bar()->value(), scrolledTo);
        EXPECT_EQ(live.player().place().step, place.step) << "the rest of a long page comes before the next one";
        EXPECT_EQ(live.player().place().isRevealed, place.isRevealed);
    }
    EXPECT_TRUE(wasScrolled);
    EXPECT_EQ(live.player().lesson()->name, "format-anatomy");
    live.key(Qt::Key_Right);
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
    const double loss = live.session.runs()[0]->loss.exact(0);
    EXPECT_TRUE(live.says(QString::number(loss, 'g', 3))) << loss;
    // Somebody trains on: the panel says so, and how to come back.
    live.engine.send(SingleStep{});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.says(QStringLiteral("Reset restores this step")); }, kPatienceMs));
}

TEST(LessonPanel, ABrokenFileIsOneSentenceWithItsLineAndNothingElseChanges) {
    LessonWindow live;
    ASSERT_TRUE(live.open());
    const std::string before = live.session.experiment().title;
    std::string text = kSampleLesson;
    text.replace(text.find("train to 20"), 11, "trane to 20");
    live.window->openLesson(live.write(QStringLiteral("bad.md"), text));
    ASSERT_NE(live.shownBanner(), nullptr);
    bool hasPlace = false;
    for (const QLabel* label : live.shownBanner()->findChildren<QLabel*>()) hasPlace |= label->text().contains(QStringLiteral("bad.md:18"));
    EXPECT_TRUE(hasPlace);
    EXPECT_FALSE(live.player().isPlaying());
    EXPECT_FALSE(live.panel().isVisible());
    EXPECT_EQ(live.session.experiment().title, before);
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
    QFile large(folder.filePath(QStringLiteral("lesson/large.png")));  // a picture, and more
    ASSERT_TRUE(picture.save(large.fileName()) && large.open(QIODevice::ReadWrite) && large.resize(17 << 20));
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

TEST(LessonPictures, AreOfPixelsAndOfFewEnough) {
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return folder.filePath(QString::fromLatin1(name)); };
    ASSERT_EQ(::mkfifo(qPrintable(path("pipe")), 0600), 0);
    QFile drawing(path("drawing.svg"));
    ASSERT_TRUE(drawing.open(QIODevice::WriteOnly));
    drawing.write(
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='9' height='9'><image width='9' "
        "height='9' xlink:href='" +
        path("pipe").toUtf8() + "'/></svg>");
    drawing.close();
    ASSERT_TRUE(QFile::copy(path("drawing.svg"), path("drawing.png")));
    QImage large(4800, 4800, QImage::Format_Grayscale8);
    large.fill(Qt::white);
    for (const char* name : {"one.png", "two.png"}) ASSERT_TRUE(large.save(path(name)));
    LessonText text(QStringLiteral("text"), nullptr);
    text.resize(600, 200);
    text.setProse("![a](drawing.svg) ![b](drawing.png) ![c](one.png) ![d](two.png)", folder.path());
    const auto isShown = [&](const char* name) {
        return !text.document()->resource(QTextDocument::ImageResource, QUrl(QString::fromLatin1(name))).value<QImage>().isNull();
    };
    EXPECT_FALSE(isShown("drawing.svg"));
    EXPECT_FALSE(isShown("drawing.png"));
    EXPECT_NE(isShown("one.png"), isShown("two.png")) << "both have more pixels than a text may have";
}

}  // namespace
}  // namespace mantissa::gui
