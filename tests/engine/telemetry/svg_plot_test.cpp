// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/svg_plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>

#include "engine/telemetry/svg_frame.h"

namespace mantissa {
namespace {

std::size_t occurrences(const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
}

SvgPlot descending(SvgScale scale, double from, double to) {
    SvgPlot plot{.title = "Loss", .unit = "log", .scale = scale, .steps = 101};
    SvgSeries series{.name = "fp32"};
    for (int i = 0; i <= 100; ++i) series.points.push_back({static_cast<double>(i), from + (to - from) * i / 100});
    plot.series.push_back(series);
    return plot;
}

TEST(SvgFrame, ValuesLandOnTheirTicks) {
    for (const SvgScale scale : {SvgScale::Linear, SvgScale::Log10, SvgScale::Log2}) {
        const SvgPlot plot = descending(scale, 1000, 0.5);
        const SvgFrame frame(plot);
        EXPECT_LT(frame.y(1000), frame.y(1));
        EXPECT_GE(frame.y(1000), frame.top());
        EXPECT_LE(frame.y(0.5), frame.bottom());
        const auto ticks = frame.yTicks();
        ASSERT_GE(ticks.size(), 3u);
        for (std::size_t i = 1; i < ticks.size(); ++i) EXPECT_GE(std::fabs(ticks[i - 1].at - ticks[i].at), 14) << "labels would touch";
    }
    const SvgPlot plot = descending(SvgScale::Log10, 1000, 0.5);
    const SvgFrame frame(plot);
    for (const SvgTick& tick : frame.yTicks()) {
        if (tick.label == "10") {
            EXPECT_NEAR(tick.at, frame.y(10), 1e-9);
        }
    }
}

TEST(SvgFrame, NarrowHugeAndEmptyRangesHaveTicks) {
    for (const auto& [from, to] : {std::pair{0.31, 0.3}, {1e30, 1e-30}, {5.0, 5.0}, {0.0, 0.0}, {1e-7, 2e-7}}) {
        for (const SvgScale scale : {SvgScale::Linear, SvgScale::Log10, SvgScale::Log2}) {
            const SvgPlot plot = descending(scale, from, to);
            const auto ticks = SvgFrame(plot).yTicks();
            EXPECT_GE(ticks.size(), 2u) << from << " to " << to << ", scale " << static_cast<int>(scale);
            EXPECT_LE(ticks.size(), 14u) << from << " to " << to;
        }
    }
    const SvgPlot empty;
    EXPECT_GE(SvgFrame(empty).yTicks().size(), 2u);
}

TEST(SvgFrame, StepsEndWithTheLastOne) {
    SvgPlot plot = descending(SvgScale::Linear, 1, 0);
    plot.steps = 2000;
    const SvgFrame frame(plot);
    EXPECT_EQ(frame.x(0), kSvgLeft);
    EXPECT_EQ(frame.x(2000), kSvgRight);
    EXPECT_EQ(frame.xTicks().front().label, "0");
    EXPECT_EQ(frame.xTicks().back().label, "2\u202f000");
    for (const std::int64_t steps : {1, 2, 7, 1000000}) {
        plot.steps = steps;
        const auto ticks = SvgFrame(plot).xTicks();
        EXPECT_LE(ticks.size(), 11u);
        for (std::size_t i = 1; i < ticks.size(); ++i) EXPECT_NE(ticks[i].label, ticks[i - 1].label);
    }
}

TEST(SvgFrame, FlagsNeverTouch) {
    SvgPlot plot = descending(SvgScale::Linear, 1, 0);
    plot.steps = 1000;
    plot.showsMarkerLabels = true;
    for (const std::int64_t step : {0, 5, 8, 10, 11, 12, 400, 400, 980, 990, 999})
        plot.markers.push_back({step, "fp16 scaled: loss scale 2^18 to 2^26", {0}});
    const SvgFrame frame(plot);
    const auto& flags = frame.flags();
    EXPECT_GE(flags.size(), 7u);
    for (std::size_t i = 0; i < flags.size(); ++i) {
        EXPECT_GE(flags[i].left, 0);
        EXPECT_LE(flags[i].left + flags[i].width, kSvgWidth);
        for (std::size_t j = 0; j < i; ++j) {
            if (flags[i].row != flags[j].row) continue;
            EXPECT_TRUE(flags[i].left >= flags[j].left + flags[j].width || flags[j].left >= flags[i].left + flags[i].width)
                << i << ", " << j;
        }
    }
    EXPECT_EQ(occurrences(renderSvg(plot), "stroke-dasharray=\"4 3\""), plot.markers.size()) << "every event keeps its line";
}

TEST(SvgFrame, ALongLegendWrapsInsideThePicture) {
    SvgPlot plot = descending(SvgScale::Linear, 1, 0);
    plot.showsLegend = true;
    const double alone = SvgFrame(plot).top();
    plot.series.front().name = std::string(400, 'x');
    for (int i = 0; i < 11; ++i) plot.series.push_back({.name = "a run with a long name", .identity = static_cast<std::size_t>(i)});
    const SvgFrame frame(plot);
    ASSERT_EQ(frame.legend().size(), 12u);
    EXPECT_GT(frame.top(), alone);
    for (const SvgLegendEntry& entry : frame.legend()) {
        EXPECT_GE(entry.x, kSvgLeft);
        EXPECT_LE(entry.x + 40 + svg::textWidth(entry.label), kSvgRight + 1);
    }
}

TEST(SvgPlot, NonFiniteValuesAreGlyphsAndGapsAndDoNotBendTheAxis) {
    SvgPlot plot = descending(SvgScale::Log10, 2, 1);
    const double before = SvgFrame(plot).y(1.5) - SvgFrame(plot).top();
    SvgSeries& series = plot.series.front();
    series.points[50].y = std::nan("");
    series.edges = {{50, svg::Glyph::NaN}};
    const SvgFrame frame(plot);
    EXPECT_NEAR(frame.y(1.5) - frame.top(), before, 1e-9);
    const std::string picture = renderSvg(plot);
    const std::string glyph = svg::glyph(svg::Glyph::NaN, runIdentity(0).light, frame.x(50), frame.edgesTop() + kSvgEdgeRow / 2);
    EXPECT_EQ(occurrences(picture, glyph), 1u);
    std::smatch path;
    ASSERT_TRUE(std::regex_search(picture, path, std::regex("<path d=\"(M[^\"]*)\" fill=\"none\" stroke-linejoin")));
    EXPECT_EQ(occurrences(path[1], "M"), 2u) << "one gap: two strokes";
}

TEST(SvgPlot, LinesEndAtTheEdgesOfTheirAreaWhateverTheViewerKnows) {
    for (const bool isStepped : {false, true}) {
        SvgPlot plot = descending(SvgScale::Linear, 2, 1);
        SvgSeries& series = plot.series.front();
        series.isStepped = isStepped;
        for (int i = 0; i <= 100; ++i) series.faint.push_back({static_cast<double>(i), i % 10 == 0 ? 1e6 : i % 10 == 5 ? -1e6 : 1.5});
        const SvgFrame frame(plot);
        const std::string picture = renderSvg(plot);
        std::smatch found;
        ASSERT_TRUE(std::regex_search(picture, found, std::regex("<path d=\"([^\"]*)\"[^>]*stroke-opacity")));
        const std::string raw = found[1];
        double y = frame.top(), lowest = 0, highest = 1e9;
        const std::regex command("([MLHV])([-0-9.e+]+)(?: ([-0-9.e+]+))?");
        for (std::sregex_iterator at(raw.begin(), raw.end(), command); at != std::sregex_iterator(); ++at) {
            const std::string letter = (*at)[1];
            if (letter != "H") y = std::stod(letter == "V" ? (*at)[2] : (*at)[3]);
            lowest = std::max(lowest, y), highest = std::min(highest, y);
        }
        EXPECT_NEAR(highest, frame.top(), 0.1);
        EXPECT_NEAR(lowest, frame.bottom(), 0.1);
        EXPECT_EQ(occurrences(picture, "clip"), 0u);
    }
}

TEST(SvgPlot, AFiniteStepBetweenGapsIsSeen) {
    SvgPlot plot = descending(SvgScale::Linear, 2, 1);
    auto& points = plot.series.front().points;
    for (SeriesPoint& p : points) p.y = std::nan("");
    points[50].y = 1.5;
    EXPECT_EQ(occurrences(renderSvg(plot), "h3\""), 1u);
    points[51].y = 1.5;
    EXPECT_EQ(occurrences(renderSvg(plot), "h3\""), 0u);
}

TEST(SvgPlot, AStormIsOneGlyphWithItsNumber) {
    SvgPlot plot = descending(SvgScale::Log2, 65536, 1);
    plot.steps = 5000;
    for (std::int64_t step = 100; step < 1347; ++step) plot.series.front().edges.push_back({step, svg::Glyph::Skipped});
    plot.series.front().edges.push_back({4000, svg::Glyph::Skipped});
    const std::string picture = renderSvg(plot);
    EXPECT_EQ(occurrences(picture, "m0 -4.6l4.6 4.6"), 2u);
    EXPECT_NE(picture.find("\u00d71\u202f247<"), std::string::npos);
}

TEST(SvgPlot, EveryKindOfAnEpisodeIsShown) {
    SvgPlot plot = descending(SvgScale::Log10, 2, 1);
    auto& edges = plot.series.front().edges;
    for (std::int64_t step = 90; step < 101; ++step) edges.push_back({step, step % 2 == 0 ? svg::Glyph::PositiveInf : svg::Glyph::NaN});
    edges.push_back({100, svg::Glyph::NegativeInf});
    const std::string picture = renderSvg(plot);
    EXPECT_NE(picture.find("\u00d76<"), std::string::npos);  // +Inf
    EXPECT_NE(picture.find("\u00d75<"), std::string::npos);  // NaN
    EXPECT_EQ(occurrences(picture, "m0 4.5l4.5 -8.5h-9z"), 1u) << "-Inf below the line";
}

TEST(SvgPlot, TextIsEscapedAndCutBetweenCharacters) {
    EXPECT_EQ(escapeXml("<a href=\"x\">&'\x01\n"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\uFFFD\n");
    EXPECT_EQ(shortened("abcdef", 6), "abcdef");
    EXPECT_EQ(shortened("abcdef", 4), "abc\u2026");
    EXPECT_EQ(shortened("\u00e4\u00f6\u00fc\u00df", 3), "\u00e4\u00f6\u2026");
    SvgPlot plot = descending(SvgScale::Linear, 1, 0);
    plot.title = "</svg><script>";
    plot.series.front().name = "a<b";
    plot.showsLegend = true;
    const std::string picture = renderSvg(plot);
    EXPECT_EQ(picture.find("<script>"), std::string::npos);
    EXPECT_NE(picture.find("a&lt;b"), std::string::npos);
}

}  // namespace
}  // namespace mantissa
