// SPDX-License-Identifier: Apache-2.0
// The bench of dot products on screen: each row is what the engine's function says, and the plot follows the chosen one.
#include "gui/bits/dot_page.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <cmath>

#include "gui/bits/bits_text.h"

namespace mantissa::gui {
namespace {

void choose(DotPage& page, const QString& name, int data) {
    for (QComboBox* box : page.findChildren<QComboBox*>()) {
        if (box->accessibleName() != name) continue;
        box->setCurrentIndex(box->findData(data));
        ASSERT_GE(box->currentIndex(), 0);
        emit box->activated(box->currentIndex());
    }
}

TEST(DotPage, EachRowIsItsWay) {
    DotPage page(nullptr);
    const QAbstractItemModelTester tester(page.model());
    choose(page, "Length of the dot product", 256);
    page.run();
    const DotRequest request = page.request();
    const DotInput input = dotInput(request.values, request.input, 256, request.seed);
    ASSERT_EQ(page.model()->rowCount(), 8);
    for (const DotRow& row : page.model()->rows()) {
        ASSERT_EQ(row.errors.back().length, 256);
        EXPECT_EQ(row.errors.back().result, dotOf(input, 256, row.way)) << wayText(row.way).toStdString();
    }
    EXPECT_EQ(page.model()->index(0, DotModel::ResultColumn).data().toString(), "256") << "small terms are lost one by one";
    EXPECT_GT(page.model()->rows()[0].errors.back().ulps, page.model()->rows()[4].errors.back().ulps) << "Kahan";
}

TEST(DotPage, InputsThatATensorCoreDoesNotMultiplySaySo) {
    DotPage page(nullptr);
    choose(page, "Length of the dot product", 64);
    choose(page, "Format of the factors", static_cast<int>(Dtype::F32));
    page.run();
    const QModelIndex core = page.model()->index(5, DotModel::ResultColumn);
    EXPECT_EQ(core.data().toString(), "cannot");
    EXPECT_FALSE(core.data(Qt::ToolTipRole).toString().isEmpty());
    page.chooseWay(5);
    EXPECT_FALSE(page.plot()->grab().isNull());
    choose(page, "Format of the sums", static_cast<int>(Dtype::F32));
    page.run();
    EXPECT_EQ(page.model()->rowCount(), 6) << "FP32 is there once, and nothing rounds it stochastically";
}

TEST(DotPage, ErrorsHaveTheirPlaces) {
    DotPage page(nullptr);
    page.resize(1200, 560);
    page.show();
    DotPlot* plot = page.plot();
    const double low = plot->place({.length = 8, .relative = 1e-5}).y(), high = plot->place({.length = 8, .relative = 1e-3}).y();
    EXPECT_GT(low, high);
    EXPECT_GT(plot->place({.length = 8, .relative = 0}).y(), low) << "exact is below everything";
    EXPECT_LT(plot->place({.length = 8, .relative = NAN}).y(), high) << "what is not finite is above";
    EXPECT_LT(plot->place({.length = 8, .relative = 1e-3}).x(), plot->place({.length = 9, .relative = 1e-3}).x());
    EXPECT_FALSE(plot->accessibleDescription().isEmpty());
}

}  // namespace
}  // namespace mantissa::gui
