// SPDX-License-Identifier: Apache-2.0
#include "gui/controls/parts.h"

#include <gtest/gtest.h>

namespace mantissa::gui {
namespace {

TEST(Parts, CutNamesStayDifferent) {
    const QFontMetrics metrics{QFont()};
    const int room = metrics.horizontalAdvance(QStringLiteral("wwwww"));
    const QStringList names{QStringLiteral("fp32"), QStringLiteral("fp16 at 2^20"), QStringLiteral("fp16 at 2^24"),
                            QStringLiteral("fp16 at 2^24, loss scale 1024")};
    const QStringList cut = cutApart(names, metrics, room);
    ASSERT_EQ(cut.size(), names.size());
    EXPECT_EQ(cut[0], names[0]) << "what fits stays whole";
    EXPECT_EQ(QSet<QString>(cut.begin(), cut.end()).size(), names.size()) << cut.join(u' ').toStdString();
    for (const QString& name : cut) EXPECT_LE(metrics.horizontalAdvance(name), room);
    // No way tells these apart: their middles are all that differs.
    const QStringList alike{QStringLiteral("aaaaaaaaaaaa1bbbbbbbbbbbb"), QStringLiteral("aaaaaaaaaaaa2bbbbbbbbbbbb")};
    EXPECT_EQ(cutApart(alike, metrics, room)[0], metrics.elidedText(alike[0], Qt::ElideMiddle, room));
}

TEST(Parts, ACutNameEndsInItsLastWholeWords) {
    const QFontMetrics metrics{QFont()};
    const QStringList names{QStringLiteral("fp16 at 2^16"), QStringLiteral("fp16 at 2^20"), QStringLiteral("fp16, output in fp32")};
    const QStringList last{QStringLiteral("\u20262^16"), QStringLiteral("\u20262^20"), QStringLiteral("\u2026fp32")};
    int room = 0;
    for (const QString& word : last) room = std::max(room, metrics.horizontalAdvance(word));
    EXPECT_EQ(cutApart(names, metrics, room), last);
    const QStringList alike{QStringLiteral("fp16 scaled"), QStringLiteral("bf16 scaled")};
    const QStringList cut = cutApart(alike, metrics, metrics.horizontalAdvance(QStringLiteral("\u2026scaled")));
    EXPECT_NE(cut[0], cut[1]) << "their last words are the same";
}

TEST(Parts, AToolTipNamesTheKeyInForce) {
    QAction action(QStringLiteral("Do &it"));
    QPushButton button;
    showKeyInToolTip(&button, &action);
    EXPECT_EQ(button.toolTip(), QStringLiteral("Do it"));
    action.setShortcut(Qt::CTRL | Qt::Key_J);
    EXPECT_EQ(button.toolTip(), QStringLiteral("Do it (Ctrl+J)"));
    action.setShortcut({});
    EXPECT_EQ(button.toolTip(), QStringLiteral("Do it"));
}

}  // namespace
}  // namespace mantissa::gui
