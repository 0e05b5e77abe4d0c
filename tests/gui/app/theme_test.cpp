// SPDX-License-Identifier: Apache-2.0
// Contrast as WCAG 2.1 defines it (relative luminance, section 1.4.3): text 4.5:1 on the surfaces it is used on, lines and glyphs 3:1.
#include "gui/app/theme.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gui/app/style_sheet.h"

namespace mantissa::gui {
namespace {

double luminance(const QColor& color) {
    const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

class ThemeContrast : public testing::TestWithParam<const char*> {
protected:
    const std::string name = GetParam();
    const bool isHigh = name.find("High") == 0;
    const Theme& theme = Theme::of(name.find("Dark") == std::string::npos ? ThemeKind::Light : ThemeKind::Dark, isHigh ? Contrast::High : Contrast::Normal);
};

TEST_P(ThemeContrast, BlackOnWhiteIsTwentyOne) {
    EXPECT_NEAR(contrast(Qt::black, Qt::white), 21, 1e-9);
}

TEST_P(ThemeContrast, TextIsReadable) {
    const std::pair<QColor, std::vector<QColor>> uses[] = {
        {theme.ink, {theme.window, theme.surface, theme.raised, theme.sunken}},
        {theme.ink2, {theme.window, theme.surface, theme.raised, theme.sunken}},
        {theme.ink3, {theme.window, theme.surface, theme.raised, theme.sunken}},
        {theme.onAccent, {theme.accent}},
        {theme.accentText, {theme.accentWeak, theme.raised, theme.surface, theme.window}},
        {theme.frozenInk, {theme.frozenFill}},
        {theme.danger, {theme.dangerFill, theme.raised, theme.surface, theme.window}},
        {theme.ink, {theme.dangerFill}},
        {theme.ink2, {theme.dangerFill}},
        {theme.ink, {theme.accentWeak, theme.frozenFill}},
        {theme.frozenInk, {theme.window, theme.surface, theme.raised}}};
    const double least = isHigh ? 7 : 4.5;
    for (const auto& [ink, grounds] : uses)
        for (const QColor& ground : grounds)
            EXPECT_GE(contrast(ink, ground), least) << ink.name().toStdString() << " on " << ground.name().toStdString();
}

TEST_P(ThemeContrast, LinesAndGlyphsStandOut) {
    for (const RunIdentity& run : theme.runs)
        for (const QColor& ground : {theme.window, theme.surface, theme.raised, theme.sunken, theme.accentWeak})
            EXPECT_GE(contrast(run.color, ground), 3) << run.color.name().toStdString() << " on " << ground.name().toStdString();
    EXPECT_GE(contrast(theme.frozenEdge, theme.surface), 3);
    for (const QColor& ground : {theme.window, theme.surface, theme.raised, theme.sunken})
        EXPECT_GE(contrast(theme.accent, ground), 3) << "the focus ring on " << ground.name().toStdString();
    for (const QColor& ground : {theme.window, theme.surface, theme.raised})
        EXPECT_GE(contrast(theme.danger, ground), 3) << "a sign in red on " << ground.name().toStdString();
}

TEST_P(ThemeContrast, EdgesStandOutAsWell) {
    if (!isHigh) return;
    for (const QColor& edge : {theme.line, theme.controlBorder, theme.axis, theme.grid, theme.neutralBar, theme.frozenEdge})
        for (const QColor& ground : {theme.window, theme.surface, theme.raised})
            EXPECT_GE(contrast(edge, ground), 3) << edge.name().toStdString() << " on " << ground.name().toStdString();
}

TEST_P(ThemeContrast, EveryTokenOfTheStyleSheetIsFilledIn) {
    const QString sheet = styleSheet(theme);
    EXPECT_FALSE(sheet.contains(u'%')) << sheet.mid(sheet.indexOf(u'%'), 40).toStdString();
    EXPECT_TRUE(sheet.contains(theme.accent.name()));
}

TEST_P(ThemeContrast, NoTwoRunsLookAlike) {
    for (int i = 0; i < kWhatIfIdentity; ++i)
        for (int j = 0; j < i; ++j) {
            EXPECT_NE(theme.run(i).color, theme.run(j).color);
            EXPECT_NE(theme.run(i).dash, theme.run(j).dash);
            EXPECT_NE(theme.run(i).marker, theme.run(j).marker);
        }
}

TEST_P(ThemeContrast, AWhatIfWearsTheColourOfItsRun) {
    for (int i = 0; i < kWhatIfIdentity; ++i) {
        const RunIdentity &run = theme.run(i), &whatIf = theme.run(i + kWhatIfIdentity);
        EXPECT_EQ(whatIf.color, run.color);
        EXPECT_NE(whatIf.dash, run.dash);
        EXPECT_TRUE(whatIf.isWhatIf && !run.isWhatIf);
    }
}

INSTANTIATE_TEST_SUITE_P(Each, ThemeContrast, testing::Values("Light", "Dark", "HighLight", "HighDark"),
                         [](const auto& theme) { return std::string(theme.param); });

}  // namespace
}  // namespace mantissa::gui
