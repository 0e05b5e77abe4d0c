// SPDX-License-Identifier: Apache-2.0
#include "gui/picker/ledger_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

namespace mantissa::gui {
namespace {

ExperimentPreviewed twoRuns() {
    ExperimentPreviewed preview;
    preview.parameters = 1000;
    preview.runs = {{"fp32", "fp32", "", {4000, 0, 4000, 8000, 20'000, 500}, 64},
                    {"auto", "bf16", "the device computes it", {2000, 4000, 4000, 8000, 10'000, 300}, 0}};
    return preview;
}

QString text(const LedgerModel& model, int row, int column) {
    return model.index(row, column).data().toString();
}

TEST(LedgerModel, HasAColumnForEachRunInOneUnit) {
    LedgerModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    EXPECT_EQ(model.columnCount(), 1);
    model.show(twoRuns(), QStringLiteral("8 GiB"));
    ASSERT_EQ(model.columnCount(), 3);
    EXPECT_EQ(model.headerData(1, Qt::Horizontal, Qt::DisplayRole), QStringLiteral("FP32"));
    EXPECT_EQ(model.headerData(2, Qt::Horizontal, Qt::DisplayRole), QStringLiteral("auto: BF16"));
    EXPECT_EQ(model.headerData(2, Qt::Horizontal, Qt::ToolTipRole), QStringLiteral("the device computes it"));
    EXPECT_EQ(text(model, LedgerModel::BarRow, 0), QStringLiteral("kB"));
    EXPECT_EQ(text(model, LedgerModel::FirstPurpose, 2), QStringLiteral("2.0"));
    EXPECT_EQ(text(model, LedgerModel::FirstPurpose + 1, 1), QStringLiteral("\u2013")) << "no masters";
    EXPECT_EQ(text(model, LedgerModel::TotalRow, 1), QStringLiteral("36.5"));
    EXPECT_EQ(text(model, LedgerModel::PerParameterRow, 1), QStringLiteral("16.0"));
    EXPECT_EQ(text(model, LedgerModel::PerParameterRow, 2), QStringLiteral("18.0"));
    EXPECT_EQ(text(model, LedgerModel::BatchRow, 0), QStringLiteral("batch for 8 GiB"));
    EXPECT_EQ(text(model, LedgerModel::BatchRow, 1), QStringLiteral("64"));
    EXPECT_EQ(text(model, LedgerModel::BatchRow, 2), QStringLiteral("none"));
}

TEST(LedgerModel, TheTotalIsWithoutTheScratchOfTheEmulation) {
    LedgerModel model;
    ExperimentPreviewed preview = twoRuns();
    preview.runs[1].memory.workspace += 12'000, preview.runs[1].memory.scratch = 12'000;
    model.show(preview, {});
    EXPECT_EQ(text(model, LedgerModel::TotalRow, 1), QStringLiteral("36.5"));
    EXPECT_EQ(text(model, LedgerModel::TotalRow, 2), QStringLiteral("28.3"));
    EXPECT_EQ(text(model, LedgerModel::ScratchRow, 0), QStringLiteral("scratch"));
    EXPECT_EQ(text(model, LedgerModel::ScratchRow, 1), QStringLiteral("\u2013"));
    EXPECT_EQ(text(model, LedgerModel::ScratchRow, 2), QStringLiteral("12.0"));
    EXPECT_EQ(model.largestTotal(), 36'500);
}

TEST(LedgerModel, SaysThatABatchIsStillBeingLookedFor) {
    LedgerModel model;
    ExperimentPreviewed preview = twoRuns();
    preview.runs[0].largestBatch = -1;
    model.show(preview, QStringLiteral("8 GiB"));
    EXPECT_EQ(text(model, LedgerModel::BatchRow, 1), QStringLiteral("\u2026"));
    EXPECT_EQ(model.index(LedgerModel::BatchRow, 1).data(Qt::ToolTipRole), QVariant()) << "no number yet";
    model.show(preview, {});
    EXPECT_EQ(text(model, LedgerModel::BatchRow, 1), QStringLiteral("\u2013")) << "no card was named";
    EXPECT_EQ(text(model, LedgerModel::BatchRow, 0), QStringLiteral("batch for a GPU"));
    preview.runs[0].largestBatch = 3'721'424;
    model.show(preview, QStringLiteral("8 GiB"));
    EXPECT_EQ(text(model, LedgerModel::BatchRow, 1), QStringLiteral("3.7 M")) << "what nobody counts is short, ...";
    EXPECT_EQ(model.index(LedgerModel::BatchRow, 1).data(Qt::ToolTipRole), groupedText(3'721'424)) << "... and exact where one asks";
}

TEST(LedgerModel, WearsAPalerInkWhileItIsStale) {
    LedgerModel model;
    model.show(twoRuns(), {});
    const QVariant fresh = model.index(LedgerModel::TotalRow, 1).data(Qt::ForegroundRole);
    model.setStale(true);
    EXPECT_NE(model.index(LedgerModel::TotalRow, 1).data(Qt::ForegroundRole), fresh);
    model.show(twoRuns(), {});
    EXPECT_EQ(model.index(LedgerModel::TotalRow, 1).data(Qt::ForegroundRole), fresh);
}

}  // namespace
}  // namespace mantissa::gui
