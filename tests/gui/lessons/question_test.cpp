// SPDX-License-Identifier: Apache-2.0
// An open question of a lesson: who answers it, and what may be seen until its answer.
#include <QLineEdit>

#include "gui/diagnosis/captured_model.h"
#include "gui/lessons/lesson_parts.h"
#include "gui/plots/event_bar.h"
#include "gui/plots/event_model.h"
#include "tests/gui/lessons/lesson_window.h"

namespace mantissa::gui {
namespace {

TEST(LessonQuestion, LettersAnswerWhereverTheFocusIsButInATextField) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    auto* board = live.window->findChild<PlotBoard*>();
    const auto cursorA = [board] { return board->cursors().pair().at(CursorName::A); };
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

TEST(LessonQuestion, VotesAreCountedByKeysAndClicks) {
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

TEST(LessonQuestion, EveryAnswerWithItsVotesIsOnScreen) {
    for (const QSize size : {QSize(1920, 1080), QSize(1280, 720)}) {
        LessonWindow live;
        ASSERT_TRUE(live.open(size));
        live.window->openLesson(QStringLiteral("how-the-scaler-breathes"));
        ASSERT_TRUE(live.settles());
        live.window->actionList().layoutPresent->trigger();
        const auto areOnScreen = [&] {
            QTest::qWait(0);
            for (const AnswerCard* card : live.panel().findChildren<AnswerCard*>())
                if (card->visibleRegion().boundingRect().height() < card->height()) return false;
            return true;
        };
        for (int question = 0; question < 2; ++question) {
            EXPECT_TRUE(areOnScreen()) << "of question " << question << " at " << size.width();
            live.key(Qt::Key_Up, Qt::AltModifier);
            ASSERT_TRUE(live.player().isCounting());
            EXPECT_TRUE(areOnScreen()) << "with votes, of question " << question << " at " << size.width();
            live.window->actionList().leavePresent->trigger();
            EXPECT_FALSE(live.player().isCounting());
            live.window->actionList().layoutPresent->trigger();
            EXPECT_TRUE(live.player().isCounting()) << "votes are counted on";
            live.key(Qt::Key_Up, Qt::AltModifier);
            for (int i = 0; i < 2; ++i) ASSERT_TRUE(live.next());
        }
    }
}

/// Words on cards and in the list of events that say how a run fares.
bool showsOutcome(const LessonWindow& live) {
    const auto* events = live.window->findChild<EventBar*>()->model();
    const bool isListed = std::any_of(events->events().begin(), events->events().end(),
                                      [](const LabEvent& event) { return event.kind == LabEvent::Kind::Skips; });
    bool isOnCard = false;
    for (const QLabel* label : live.window->findChildren<QLabel*>())
        isOnCard |= label->isVisible() && label->text().contains(QStringLiteral("skipped"));
    return isListed || isOnCard;
}

TEST(LessonQuestion, NoViewSaysHowARunFaresWhileAQuestionIsOpen) {
    std::string text = kSampleLesson;
    // Far too high: the first steps are skipped.
    text.replace(text.find("\"preset\": \"pytorch\""), std::string("\"preset\": \"pytorch\"").size(),
                 "\"preset\": \"pytorch\", \"init_scale\": 1e12");
    text.replace(text.find("hide \"narrow\""), std::string("hide \"narrow\"").size(), "hide \"wide\"");
    text.replace(text.find("show \"narrow\""), std::string("show \"narrow\"").size(), "show \"wide\"");
    LessonWindow live;
    ASSERT_TRUE(live.plays({1920, 1080}, text));
    ASSERT_GT(live.session.runs()[1]->skipCount(), 0);
    QTest::qWait(200);
    EXPECT_FALSE(showsOutcome(live));
    EXPECT_TRUE(live.session.isQuestionOpen());
    EXPECT_NE(live.child<QWidget>(QStringLiteral("run 1, hidden")), nullptr);
    auto* captured = live.window->findChild<CapturedList*>();
    live.window->actionList().layoutDiagnose->trigger();
    EXPECT_EQ(captured->model()->rowCount(), 0);
    QStringList shown;
    for (const QLabel* label : live.window->findChildren<QLabel*>())
        if (label->isVisible()) shown << label->text();
    EXPECT_TRUE(shown.contains(QStringLiteral("Shown after the answer")));
    EXPECT_EQ(live.window->actionList().forkCaptured->text(), QStringLiteral("Rewind to the captured step and fork")) << "which one";
    EXPECT_FALSE(shown.contains(QStringLiteral("Verdict")) || shown.contains(QStringLiteral("Silent failures")));
    live.window->actionList().layoutExplore->trigger();
    ASSERT_TRUE(live.next());
    EXPECT_TRUE(QTest::qWaitFor([&] { return captured->model()->rowCount() > 0; }, kPatienceMs));
    EXPECT_TRUE(QTest::qWaitFor([&] { return showsOutcome(live); }, kPatienceMs));
}

TEST(LessonQuestion, AnotherExperimentIsNotKeptQuietFor) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    ASSERT_TRUE(live.session.isQuestionOpen());
    live.engine.load(QStringLiteral("four-formats"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.runs().size() == 4; }, kPatienceMs));
    EXPECT_FALSE(live.session.isQuestionOpen());
    live.player().reset();
    ASSERT_TRUE(live.settles());
    EXPECT_TRUE(live.session.isQuestionOpen());
}

TEST(LessonQuestion, CountingEndsWithThePresentationAndTakesAChoiceBack) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    live.panel().setPresenting(true);
    live.window->findChild<PlotBoard*>()->setFocus();
    live.key(Qt::Key_B);
    ASSERT_EQ(live.player().choice(), 1);
    live.key(Qt::Key_Up);  // plain, as the other keys of a presentation
    EXPECT_TRUE(live.window->actionList().lessonVotes->isChecked());
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

TEST(LessonQuestion, ARunThatIsRevealedDrawsItself) {
    LessonWindow live;
    ASSERT_TRUE(live.plays());
    auto* board = live.window->findChild<PlotBoard*>();
    const RunId narrow = live.session.runs()[1]->id;
    board->traces().setDrawingTime(1e9);
    ASSERT_TRUE(live.next());
    board->refreshNow();
    EXPECT_EQ(board->traces().of(narrow).shownSteps, 40);
    EXPECT_LT(board->traces().of(narrow).lineSteps(), 40);
    board->traces().setDrawingTime(1);
    EXPECT_TRUE(QTest::qWaitFor([&] { return board->traces().of(narrow).lineSteps() == 40; }, kPatienceMs));
}

TEST(LessonQuestion, AHiddenRunIsNamedNowhere) {
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

}  // namespace
}  // namespace mantissa::gui
