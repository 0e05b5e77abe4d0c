// SPDX-License-Identifier: Apache-2.0
#include "gui/app/frame_meter.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gui/plots/plot_board.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

TEST(FrameMeter, GrowthIsWhatCameInTheSecondHalf) {
    SessionModel session;
    loadThreeRuns(session);
    PlotBoard board(&session);
    QElapsedTimer started;
    started.start();
    FrameMeter meter(&session, started);
    for (RunId run : {0, 1, 2}) session.handle(steps(run, 0, 500));
    board.refreshNow();
    meter.noteHalfway(board);
    for (RunId run : {0, 1, 2}) session.handle(steps(run, 500, 1600));
    board.refreshNow();

    const auto figures = nlohmann::json::parse(meter.report(board).toStdString());
    EXPECT_EQ(figures["steps"], 3 * 2100);
    EXPECT_EQ(figures["growth"]["steps"], 3 * 1600);
    // Seven series of the run and three smoothed ones, with classes and pyramids, four bytes of flags, and two times.
    const double bytesAStep = figures["growth"]["data_bytes"].get<double>() / (3 * 1600);
    EXPECT_NEAR(bytesAStep, 10 * (9 + 16.0 / 15) + 4 + 2 * 8, 1);
}

}  // namespace
}  // namespace mantissa::gui
