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

TEST(ThemeHighContrast, TextIsSevenToOneAndBordersThreeToOne) {
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
        const Theme& theme = Theme::of(kind, Contrast::High);
        const std::pair<QColor, std::vector<QColor>> inks[] = {
            {theme.ink, {theme.window, theme.surface, theme.raised, theme.sunken, theme.dangerFill, theme.accentWeak}},
            {theme.ink2, {theme.window, theme.surface, theme.raised, theme.sunken, theme.dangerFill}},
            {theme.ink3, {theme.window, theme.surface, theme.raised, theme.sunken}},
            {theme.onAccent, {theme.accent, theme.accentText}},
            {theme.accentText, {theme.accentWeak, theme.raised, theme.window}},
            {theme.frozenInk, {theme.frozenFill}},
            {theme.danger, {theme.dangerFill, theme.raised, theme.window}}};
        for (const auto& [ink, grounds] : inks)
            for (const QColor& ground : grounds)
                EXPECT_GE(contrast(ink, ground), 7) << ink.name().toStdString() << " on " << ground.name().toStdString();
        for (const QColor& edge : {theme.line, theme.controlBorder, theme.axis, theme.grid, theme.frozenEdge, theme.neutralBar})
            EXPECT_GE(contrast(edge, theme.surface), 3) << edge.name().toStdString();
        for (const RunIdentity& run : theme.runs) EXPECT_GE(contrast(run.color, theme.surface), 3) << run.color.name().toStdString();
    }
}

class ThemeContrast : public testing::TestWithParam<ThemeKind> {
protected:
    const Theme& theme = GetParam() == ThemeKind::Light ? Theme::light() : Theme::dark();
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
        {theme.ink2, {theme.dangerFill}}};
    for (const auto& [ink, grounds] : uses)
        for (const QColor& ground : grounds)
            EXPECT_GE(contrast(ink, ground), 4.5) << ink.name().toStdString() << " on " << ground.name().toStdString();
}

TEST_P(ThemeContrast, LinesAndGlyphsStandOut) {
    for (const RunIdentity& run : theme.runs)
        for (const QColor& ground : {theme.surface, theme.raised})
            EXPECT_GE(contrast(run.color, ground), 3) << run.color.name().toStdString() << " on " << ground.name().toStdString();
    EXPECT_GE(contrast(theme.frozenEdge, theme.surface), 3);
    EXPECT_GE(contrast(theme.accent, theme.raised), 3) << "the focus ring";
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

INSTANTIATE_TEST_SUITE_P(Both, ThemeContrast, testing::Values(ThemeKind::Light, ThemeKind::Dark),
                         [](const auto& kind) { return kind.param == ThemeKind::Light ? "Light" : "Dark"; });

}  // namespace
}  // namespace mantissa::gui
