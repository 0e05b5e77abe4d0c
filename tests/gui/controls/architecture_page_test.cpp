// SPDX-License-Identifier: Apache-2.0
#include "gui/controls/architecture_page.h"

#include <gtest/gtest.h>

#include <QMenu>

#include "engine/experiment/values.h"
#include "gui/controls/precision_menu.h"
#include "tests/gui/support/live_session.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

QString text(const ArchitectureModel& model, int row, int column) {
    return model.index(row, column).data().toString();
}

TEST(ArchitectureModel, HasALineForEachOperationOfTheSelectedRun) {
    SessionModel session;
    ExperimentLoaded loaded = threeRuns();
    loaded.runs[1].layers = {{"layers.0", "linear", "fp16", 8320, 16384}, {"loss", "cross_entropy", "fp32", 0, 4}};
    loaded.runs[1].settings.training.precision.overrides = {{"layers.0", Dtype::F16}};
    session.handle(loaded);
    session.select(1);
    const ArchitectureModel model(&session, nullptr);
    ASSERT_EQ(model.rowCount(), 2);
    EXPECT_EQ(text(model, 0, ArchitectureModel::LayerColumn), QStringLiteral("layers.0"));
    EXPECT_TRUE(text(model, 0, ArchitectureModel::FormatColumn).startsWith(QStringLiteral("fp16 forced")));
    EXPECT_TRUE(text(model, 1, ArchitectureModel::FormatColumn).startsWith(QStringLiteral("fp32  ")));
    EXPECT_EQ(text(model, 1, ArchitectureModel::OperationColumn), QStringLiteral("cross entropy"));
    EXPECT_EQ(text(model, 1, ArchitectureModel::ParametersColumn), QStringLiteral("\u2013"));
    session.select(0);
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(FormatMenu, OffersWhatTheLayerCanTakeAndForcesIt) {
    LiveSession live;
    ASSERT_TRUE(live.begin());
    const RunState& run = *live.session.runs()[0];
    ASSERT_FALSE(run.info.layers.empty());
    const auto offered = [&](const LayerLine& layer) {
        QMenu menu;
        fillFormatMenu(&menu, &live.session, &live.engine, run.id, layer);
        QStringList formats;
        for (const QAction* action : menu.actions()) formats << action->text();
        return formats;
    };
    EXPECT_TRUE(offered(run.info.layers.front()).contains(QStringLiteral("fp8_e4m3")));
    EXPECT_FALSE(offered(run.info.layers.back()).contains(QStringLiteral("fp16"))) << "the loss is fp32";

    QMenu menu;
    fillFormatMenu(&menu, &live.session, &live.engine, run.id, run.info.layers.front());
    for (QAction* action : menu.actions()) {
        if (action->text() == QStringLiteral("bf16")) action->trigger();
    }
    ASSERT_TRUE(live.settles());
    ASSERT_TRUE(QTest::qWaitFor([&] { return run.info.layers.front().format == "bf16"; }, kPatienceMs));
    EXPECT_EQ(run.info.settings.training.precision.overrides.size(), 1u);
    EXPECT_EQ(offered(run.info.layers.front()).front(), QStringLiteral("As the policy"));

    const PrecisionSettings above{.policy = "fp32", .overrides = {{"linear", Dtype::F16}, {"layers", Dtype::BF16}}};
    live.engine.change(run.id, QStringLiteral("/precision"), writePrecision(above), QStringLiteral("FP32"));
    ASSERT_TRUE(live.settles());
    ASSERT_TRUE(QTest::qWaitFor([&] { return run.info.settings.training.precision.overrides.size() == 2; }, kPatienceMs));
    EXPECT_EQ(offered(run.info.layers.front()).front(), QStringLiteral("As layers")) << "what it falls back to";
}

}  // namespace
}  // namespace mantissa::gui
