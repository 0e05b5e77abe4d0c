// SPDX-License-Identifier: Apache-2.0
// Notes on the timeline and in the list of events, kinds of events, and the field that notes are written in.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QVBoxLayout>

#include "gui/plots/event_bar.h"
#include "gui/plots/event_lines.h"
#include "gui/plots/event_model.h"
#include "gui/plots/note_field.h"
#include "tests/gui/plots/board_fixture.h"

namespace mantissa::gui {
namespace {

void writeNote(SessionModel& session, std::int32_t id, RunId run, std::int64_t step, const char* text) {
    session.handle(Event(NoteWritten{0, {id, run, step, text}}));
}

TEST_F(PlotBoardTest, ANoteIsAFlagOfItsOwn) {
    appendSteps(m_session, 0, 0, 300);
    applySetting(m_session, 0, 100, "/optimizer/lr", "lr", "0.001", "0.01");
    writeNote(m_session, 0, -1, 200, "look here: the loss flattens");
    writeNote(m_session, 1, 1, 50, "only fp16");
    writeNote(m_session, 2, -1, 5000, "of steps to come");
    m_board.refreshNow();
    const auto& places = m_board.events().flags().places();
    ASSERT_EQ(places.size(), 3u);
    const auto tip = [&](std::size_t i) {
        return m_board.events().flags().textAt(
            {places[i].left + 4, panel(kLoss).rect()->top() - GlyphRow::kHeight - FlagStrip::kHeight + 8.0});
    };
    EXPECT_EQ(tip(0), QStringLiteral("step 50  fp16: only fp16"));
    EXPECT_EQ(tip(2), QStringLiteral("step 200  note: look here: the loss flattens"));
    m_session.setHidden(1, true);
    m_board.refreshNow();
    EXPECT_EQ(m_board.events().flags().places().size(), 2u) << "a hidden run's notes are hidden with it";
    m_session.handle(Event(NoteRemoved{0}));
    m_board.refreshNow();
    EXPECT_EQ(m_board.events().flags().places().size(), 1u);
}

TEST(EventModel, ListsNotesAndGrowthsAndOneKindAloneWhereAsked) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp16", "pytorch")});
    appendSteps(session, 0, 0, 100, [](StepRecord& r) {
        r.lossScale = r.step <= 10 ? 1024 : r.step <= 20 ? 2048 : r.step <= 30 ? 4096 : 2048;
        if (r.step == 10 || r.step == 20) r.flags |= kFlagScaleGrew;
        if (r.step == 30) r.flags |= kFlagSkipped | kFlagFoundInf;
    });
    writeNote(session, 4, -1, 60, "look here");
    EventModel model(&session);
    QAbstractItemModelTester tester(&model);
    ASSERT_EQ(model.rowCount(), 3);
    const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
    EXPECT_EQ(text(0, EventModel::KindColumn), QStringLiteral("note"));
    EXPECT_EQ(text(0, EventModel::WordsColumn), QStringLiteral("look here"));
    EXPECT_EQ(text(0, EventModel::BackColumn), QStringLiteral("Edit note"));
    EXPECT_EQ(model.events()[0].note, 4);
    EXPECT_EQ(text(1, EventModel::KindColumn), QStringLiteral("skip"));
    EXPECT_EQ(text(2, EventModel::WordsColumn),
              QStringLiteral("fp16: loss scale grew 2 times, from 2\u00B9\u2070 to 2\u00B9\u00B2, the last at step 20"));

    model.setKind(LabEvent::Kind::Growth);
    ASSERT_EQ(model.rowCount(), 1);
    EXPECT_EQ(model.countOfAll(), 3u);
    EXPECT_EQ(model.newest()->kind, LabEvent::Kind::Note);
    EXPECT_EQ(model.nextStep(-1), 10) << "jumps go through what is listed";
    // Another growth after the skip is another line; one more makes that line say more, and keeps its row.
    const auto grow = [](StepRecord& r) {
        r.lossScale = 2048;
        r.flags |= kFlagScaleGrew;
    };
    appendSteps(session, 0, 100, 101, grow);
    model.refresh();
    EXPECT_EQ(model.rowCount(), 2);
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    appendSteps(session, 0, 101, 102, grow);
    model.refresh();
    EXPECT_EQ(model.rowCount(), 2);
    EXPECT_EQ(resets.count(), 0);
    EXPECT_TRUE(text(0, EventModel::WordsColumn).contains(QStringLiteral("grew 2 times")));
    model.setKind(std::nullopt);
    EXPECT_EQ(model.rowCount(), 4);
}

TEST(EventModel, AChangedSettingEndsALineOfGrowths) {
    SessionModel session;
    RunInfo run = makeRun(0, "fp16", "pytorch");
    run.settings.training.scaler.preset = "pytorch";
    loadRuns(session, {run});
    const auto train = [&](std::int64_t first, std::int64_t last) {
        appendSteps(session, 0, first, last, [](StepRecord& r) {
            r.lossScale = r.step <= 10 ? 1024 : r.step <= 20 ? 2048 : r.step <= 30 ? 65536 : 131072;
            if (r.step == 10 || r.step == 20 || r.step == 30) r.flags |= kFlagScaleGrew;
        });
    };
    EventModel model(&session);
    train(0, 21);
    model.refresh();
    applySetting(session, 0, 21, "/scaler/scale", "loss scale", "2^12", "2^16");
    train(21, 40);
    model.setKind(LabEvent::Kind::Growth);
    const auto words = [&](int row) { return model.index(row, EventModel::WordsColumn).data().toString(); };
    ASSERT_EQ(model.rowCount(), 2);
    EXPECT_EQ(words(0), QStringLiteral("fp16: loss scale grew from 2\u00B9\u2076 to 2\u00B9\u2077"));
    EXPECT_EQ(words(1), QStringLiteral("fp16: loss scale grew 2 times, from 2\u00B9\u2070 to 2\u00B9\u00B2, the last at step 20"));
    // The same where the steps arrive before the change, as from a recording.
    applySetting(session, 0, 15, "/optimizer/lr", "lr", "0.001", "0.002");
    model.refresh();
    EXPECT_EQ(model.rowCount(), 3);
    EXPECT_EQ(EventModel(&session).countOf(LabEvent::Kind::Growth), 3u);
}

TEST(EventModel, TheFirstValidationThatIsNotFiniteIsAnEventOfEachRun) {
    SessionModel session;
    RunInfo imported = makeRun(1, "theirs");
    imported.kind = RunKind::Recorded;
    loadRuns(session, {makeRun(0, "fp16"), imported});
    EventModel model(&session);
    const auto train = [&](std::int64_t first, std::int64_t last, double validation) {
        appendSteps(session, 0, first, last, [validation](StepRecord& r) {
            if (r.step % 10 != 9) return;
            r.flags |= kFlagValidated;
            r.validationLoss = validation;
        });
        model.refresh();
    };
    train(0, 20, 0.5);
    EXPECT_EQ(model.rowCount(), 0);
    train(20, 30, std::nan(""));
    train(30, 40, std::nan(""));
    session.handle(Event(SeriesImported{
        .run = 1, .metric = Metric::ValidationLoss, .steps = {5, 12}, .values = {1.0, std::numeric_limits<double>::infinity()}}));
    model.refresh();
    ASSERT_EQ(model.rowCount(), 2);
    const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
    EXPECT_EQ(text(0, EventModel::WordsColumn), QStringLiteral("fp16: validation not finite: NaN"));
    EXPECT_EQ(text(0, EventModel::KindColumn), QStringLiteral("not finite"));
    EXPECT_EQ(text(0, EventModel::BackColumn), QStringLiteral("Rewind to step 29"));
    EXPECT_EQ(text(1, EventModel::WordsColumn), QStringLiteral("theirs: validation not finite: +Inf"));
    EXPECT_EQ(model.events()[1].step, 12);
    EXPECT_EQ(model.firstNonFinite(), 12);
    session.setQuestionOpen(true);
    model.refresh();
    EXPECT_EQ(model.rowCount(), 0) << "it would say how a run does";
}

TEST(EventBar, OffersKindsAndLetsKeysJumpEditAndRemove) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp16", "pytorch")});
    appendSteps(session, 0, 0, 100, [](StepRecord& r) {
        if (r.step == 30) r.flags |= kFlagSkipped;
    });
    writeNote(session, 4, -1, 60, "look here");
    EventBar bar(&session);
    bar.resize(900, 300);
    bar.show();
    bar.setExpanded(true);
    auto* kinds = bar.findChild<QComboBox*>();
    auto* table = bar.findChild<QTableView*>();
    ASSERT_TRUE(kinds && kinds->isVisible());
    EXPECT_EQ(kinds->itemText(0), QStringLiteral("all kinds, 2"));
    QSignalSpy jumps(&bar, &EventBar::jumpRequested), edits(&bar, &EventBar::noteEditRequested),
        removals(&bar, &EventBar::noteRemovalRequested);
    table->setCurrentIndex(bar.model()->index(0, EventModel::WordsColumn));
    QTest::keyClick(table, Qt::Key_Return);
    ASSERT_EQ(jumps.count(), 1);
    EXPECT_EQ(jumps[0][0].toLongLong(), 60);
    QTest::keyClick(table, Qt::Key_Delete);
    ASSERT_EQ(removals.count(), 1);
    EXPECT_EQ(removals[0][0].toInt(), 4);
    emit table->clicked(bar.model()->index(0, EventModel::BackColumn));
    EXPECT_EQ(edits.count(), 1);
    table->setCurrentIndex(bar.model()->index(1, EventModel::WordsColumn));
    QTest::keyClick(table, Qt::Key_Delete);
    EXPECT_EQ(removals.count(), 1) << "a skip is no note";

    kinds->setCurrentIndex(kinds->findData(static_cast<int>(LabEvent::Kind::Note)));
    EXPECT_EQ(bar.model()->rowCount(), 1);
    bar.setExpanded(false);
    EXPECT_FALSE(kinds->isVisible());
}

TEST(EventBar, ItsListIsAsLongAsTheWindowIsHighAtOnce) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp16", "pytorch")});
    for (int note = 0; note < 20; ++note) writeNote(session, note, -1, note, "here");
    QWidget window;
    QVBoxLayout column(&window);
    auto* bar = new EventBar(&session);
    column.addStretch(1);
    column.addWidget(bar);
    window.resize(900, 1080);
    window.show();
    bar->setExpanded(true);
    const auto* table = bar->findChild<QTableView*>();
    const int onHighScreen = table->height();
    window.resize(900, 640);
    EXPECT_LT(table->height(), onHighScreen);
    window.resize(900, 1080);
    EXPECT_EQ(table->height(), onHighScreen);
}

TEST(NoteField, EnterKeepsEscapeLeavesAndNoWordsRemove) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp32"), makeRun(1, "fp16")});
    QWidget board;
    board.resize(800, 400);
    NoteField field(&session, &board);
    board.show();
    auto* text = field.findChild<QLineEdit*>();
    auto* runs = field.findChild<QComboBox*>();
    QSignalSpy kept(&field, &NoteField::kept), removed(&field, &NoteField::removalRequested), closed(&field, &NoteField::closed);
    field.open({-1, -1, 640, {}}, 790);
    EXPECT_TRUE(field.isVisible());
    EXPECT_LE(field.geometry().right(), board.width()) << "within the plots, wherever its step is";
    QTest::keyClicks(text, QStringLiteral("  look   here "));
    runs->setCurrentIndex(runs->findData(1));
    QTest::keyClick(text, Qt::Key_Return);
    ASSERT_EQ(kept.count(), 1);
    const Note note = kept[0][0].value<Note>();
    EXPECT_EQ(note.text, "look here");
    EXPECT_EQ(note.run, 1);
    EXPECT_EQ(note.step, 640);
    EXPECT_FALSE(field.isVisible());

    field.open({3, 1, 640, "look here"}, 10);
    EXPECT_EQ(text->text(), QStringLiteral("look here"));
    EXPECT_EQ(runs->currentData().toInt(), 1);
    QTest::keyClicks(text, QStringLiteral("else"));
    QTest::keyClick(text, Qt::Key_Escape);
    EXPECT_EQ(kept.count(), 1);
    EXPECT_EQ(closed.count(), 2);
    field.open({3, 1, 640, "look here"}, 10);
    QTest::keyClick(text, Qt::Key_Delete);
    QTest::keyClick(text, Qt::Key_Return);
    ASSERT_EQ(removed.count(), 1);
    EXPECT_EQ(removed[0][0].toInt(), 3);
}

}  // namespace
}  // namespace mantissa::gui
