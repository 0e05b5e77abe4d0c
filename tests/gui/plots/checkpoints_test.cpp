// SPDX-License-Identifier: Apache-2.0
// Checkpoints on the timeline and in the list of events: those kept by hand as lines with flags, those of the recording as ticks.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QSignalSpy>
#include <QTableView>

#include "gui/plots/event_bar.h"
#include "gui/plots/event_lines.h"
#include "gui/plots/event_model.h"
#include "tests/gui/plots/board_fixture.h"

namespace mantissa::gui {
namespace {

TEST_F(PlotBoardTest, ACheckpointIsALineAndAStoredStateATick) {
    appendSteps(m_session, 0, 0, 300);
    appendSteps(m_session, 1, 0, 300);
    m_board.refreshNow();
    const QImage before = picture();
    const auto differsAt = [&](const QImage& after, std::int64_t step, int y) {
        const int at = static_cast<int>(std::lround(panel(kLoss).xAxis()->coordToPixel(static_cast<double>(step))));
        return before.copy(at - 1, y, 3, 1) != after.copy(at - 1, y, 3, 1);
    };
    const int top = panel(kLoss).rect()->top();
    m_session.handle(Event(CheckpointKept{0, 1, 100}));
    m_board.refreshNow();
    EXPECT_EQ(m_board.events().flags().places().size(), 0u) << "it has no flag";
    const QImage ticked = picture();
    EXPECT_TRUE(differsAt(ticked, 100, top - 3));
    int changed = 0;
    for (int y = top; y < panel(kLoss).rect()->bottom(); ++y) changed += differsAt(ticked, 100, y) ? 1 : 0;
    EXPECT_EQ(changed, 0) << "and no line";

    m_session.handle(Event(CheckpointKept{7, 1, 200}));
    m_board.refreshNow();
    const auto& places = m_board.events().flags().places();
    ASSERT_EQ(places.size(), 1u);
    EXPECT_EQ(m_board.events().flags().textAt({places[0].left + 4, top - GlyphRow::kHeight - FlagStrip::kHeight + 8.0}),
              QStringLiteral("step 200  fp16: checkpoint"));
    const QImage lined = picture();
    for (const PanelIndex index : {kLoss, kScale, kNorm}) {
        const QRect rect = panel(index).rect()->rect();
        int dashed = 0;
        for (int y = rect.top(); y < rect.bottom(); ++y) dashed += differsAt(lined, 200, y) ? 1 : 0;
        EXPECT_GT(dashed, rect.height() / 4) << index;
    }
    m_session.setHidden(1, true);
    m_board.refreshNow();
    EXPECT_EQ(m_board.events().flags().places().size(), 0u) << "a hidden run's checkpoints are hidden with it";
}

TEST(EventModel, ListsCheckpointsWithAForkAndStoredStatesOnlyWhereAsked) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp16", "pytorch")});
    appendSteps(session, 0, 0, 100);
    session.handle(Event(CheckpointKept{0, 0, 30}));
    EventModel model(&session);
    QAbstractItemModelTester tester(&model);
    EXPECT_EQ(model.rowCount(), 0);
    EXPECT_EQ(model.countOfAll(), 0u);
    EXPECT_EQ(model.newest(), nullptr);
    EXPECT_EQ(model.countOf(LabEvent::Kind::Stored), 1u);
    session.handle(Event(CheckpointKept{7, 0, 20}));
    model.refresh();
    ASSERT_EQ(model.rowCount(), 1);
    const auto text = [&](int column) { return model.index(0, column).data().toString(); };
    EXPECT_EQ(text(EventModel::KindColumn), QStringLiteral("checkpoint"));
    EXPECT_EQ(text(EventModel::WordsColumn), QStringLiteral("fp16: checkpoint, a fork from here trains nothing again"));
    EXPECT_EQ(text(EventModel::BackColumn), QStringLiteral("Fork from here…"));
    ASSERT_NE(model.newest(), nullptr);
    EXPECT_EQ(model.newest()->step, 20) << "the stored state is later, and quiet";
    EXPECT_EQ(model.nextStep(-1), 20);
    EXPECT_EQ(model.nextStep(20), std::nullopt);
    model.setKind(LabEvent::Kind::Stored);
    ASSERT_EQ(model.rowCount(), 1);
    EXPECT_EQ(text(EventModel::WordsColumn), QStringLiteral("fp16: state stored in the recording"));
    EXPECT_EQ(text(EventModel::BackColumn), QStringLiteral("Fork from here…"));
    EXPECT_EQ(model.nextStep(-1), 30);
}

TEST(EventBar, AskedForACheckpointsForkSaysWhereAndOffersTheQuietKind) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp16", "pytorch")});
    appendSteps(session, 0, 0, 100);
    session.handle(Event(CheckpointKept{7, 0, 20}));
    session.handle(Event(CheckpointKept{0, 0, 30}));
    EventBar bar(&session);
    bar.resize(900, 300);
    bar.show();
    bar.setExpanded(true);
    auto* kinds = bar.findChild<QComboBox*>();
    EXPECT_EQ(kinds->itemText(0), QStringLiteral("all kinds, 1"));
    const int stored = kinds->findData(static_cast<int>(LabEvent::Kind::Stored));
    EXPECT_EQ(kinds->itemText(stored), QStringLiteral("stored state, 1"));
    QSignalSpy forks(&bar, &EventBar::forkRequested), jumps(&bar, &EventBar::jumpRequested);
    auto* table = bar.findChild<QTableView*>();
    emit table->clicked(bar.model()->index(0, EventModel::BackColumn));
    ASSERT_EQ(forks.count(), 1);
    EXPECT_EQ(forks[0][1].toLongLong(), 20);
    EXPECT_EQ(jumps.count(), 0);
    emit table->clicked(bar.model()->index(0, EventModel::WordsColumn));
    EXPECT_EQ(jumps.count(), 1);
}

}  // namespace
}  // namespace mantissa::gui
