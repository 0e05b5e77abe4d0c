// SPDX-License-Identifier: Apache-2.0
// Promises of the plots that hold over several of their parts (tests/gui/README.md has the table).
#include <QSignalSpy>
#include <cmath>

#include "tests/gui/plots/board_fixture.h"

namespace mantissa::gui {
namespace {

TEST_F(PlotBoardTest, TheCrosshairHasThreeModesAndOneWayRound) {
    QSignalSpy changed(&m_board.cursors(), &PlotCursors::modeChanged);
    const CrosshairMode first = m_board.cursors().mode();
    std::set<CrosshairMode> seen;
    for (int i = 0; i < 3; ++i) {
        m_board.cursors().cycleMode();
        seen.insert(m_board.cursors().mode());
    }
    EXPECT_EQ(seen, (std::set{CrosshairMode::Off, CrosshairMode::Crosshair, CrosshairMode::Values}));
    EXPECT_EQ(m_board.cursors().mode(), first);
    EXPECT_EQ(changed.count(), 3);
}

TEST_F(PlotBoardTest, NeitherSmoothingNorHidingMovesTheRange) {
    for (const RunId run : {0, 1})
        appendSteps(m_session, run, 0, 400, [run](StepRecord& r) { r.loss = 2 + run + 0.5 * std::sin(static_cast<double>(r.step)); });
    m_board.refreshNow();
    const QCPRange steps = x(), losses = y(kLoss), norms = y(kNorm);
    const auto expectStill = [&](const char* what) {
        m_board.refreshNow();
        EXPECT_EQ(x(), steps) << what;
        EXPECT_EQ(y(kLoss), losses) << what;
        EXPECT_EQ(y(kNorm), norms) << what;
        EXPECT_EQ(m_board.axes().view().mode(), FollowMode::All) << what;
    };
    for (const double factor : {0.0, 0.999, 0.9}) {
        m_board.traces().setSmoothing(factor);
        expectStill("smoothing");
    }
    m_session.setHidden(1, true);
    expectStill("hidden");
    m_session.setHidden(1, false);
    expectStill("shown again");
}

TEST_F(PlotBoardTest, OnePanelsZoomOfStepsIsEveryPanels) {
    for (const RunId run : {0, 1}) appendSteps(m_session, run, 0, 400);
    m_board.refreshNow();
    turnWheel(kSkipped, 120);
    const QCPRange zoomed = x();
    EXPECT_LT(zoomed.size(), 399);
    for (const PanelIndex index : {kLoss, kScale, kSkipped, kNorm, kThroughput}) EXPECT_EQ(panel(index).xAxis()->range(), zoomed) << index;
}

}  // namespace
}  // namespace mantissa::gui
