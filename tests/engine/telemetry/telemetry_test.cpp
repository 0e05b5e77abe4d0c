// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "engine/telemetry/csv.h"
#include "engine/telemetry/number_format.h"
#include "engine/telemetry/report.h"
#include "engine/telemetry/series.h"
#include "engine/telemetry/svg_plot.h"

namespace mantissa {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(NumberFormat, IsShortestAndHasNoLocale) {
    EXPECT_EQ(shortest(0.1), "0.1");
    EXPECT_EQ(shortest(1.0 / 3), "0.3333333333333333");
    EXPECT_EQ(shortest(16777216.0f), "16777216");
    EXPECT_EQ(shortest(std::nan("")), "nan");
    EXPECT_EQ(shortest(-kInf), "-inf");
    EXPECT_EQ(shortest(-0.0), "-0");
    EXPECT_EQ(std::stod(shortest(5e-324)), 5e-324);
}

TEST(Csv, OneRowAsScriptsExpectIt) {
    StepRecord record{.step = 3,
                      .samples = 256,
                      .epoch = 0.5,
                      .wallSeconds = 0.25,
                      .loss = static_cast<double>(2.3f),
                      .lossScale = 65536,
                      .skippedTotal = 1,
                      .gradNorm = kInf,
                      .lr = 0.001,
                      .stepMs = 2,
                      .samplesPerSecond = 32000,
                      .memoryBytes = 1000,
                      .flags = kFlagSkipped | kFlagFoundInf};
    std::ostringstream out;
    writeCsvRow(out, record);
    EXPECT_EQ(out.str(), "3,256,0.5,0.25,2.3,,,65536,1,1,inf,0.001,2,32000,1000,skipped|found_inf\n");
    record.flags = kFlagValidated;
    record.validationLoss = std::nan("");
    record.validationAccuracy = 0.125;
    out.str("");
    writeCsvRow(out, record);
    EXPECT_EQ(out.str(), "3,256,0.5,0.25,2.3,nan,0.125,65536,0,1,inf,0.001,2,32000,1000,validated\n");
    EXPECT_EQ(std::count(kCsvHeader.begin(), kCsvHeader.end(), ','), 15);
}

Series noisy(std::int64_t count) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    Series series;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto dice = random() % 1000;
        series.append(dice == 0 ? std::nan("") : dice == 1 ? kInf : dice == 2 ? 1000 * normal(random) : normal(random));
    }
    return series;
}

Series::Extremes scanned(const Series& series, std::int64_t first, std::int64_t last) {
    Series::Extremes e{kInf, -kInf};
    for (std::int64_t i = first; i < last; ++i) {
        if (series.valueClass(i) != ValueClass::Finite) continue;
        e.min = std::min(e.min, series.value(i));
        e.max = std::max(e.max, series.value(i));
    }
    return e;
}

TEST(Series, ExtremesEqualAFullScanAtAnyZoom) {
    for (const std::int64_t count : {1, 15, 16, 17, 255, 256, 257, 4096, 70000}) {
        const Series series = noisy(count);
        std::mt19937 random(2);
        for (int i = 0; i < 300; ++i) {
            std::int64_t first = static_cast<std::int64_t>(random()) % count, last = static_cast<std::int64_t>(random()) % (count + 1);
            if (first > last) std::swap(first, last);
            const auto expected = scanned(series, first, last), found = series.extremes(first, last);
            ASSERT_EQ(found.min, expected.min) << count << ": " << first << ".." << last;
            ASSERT_EQ(found.max, expected.max) << count << ": " << first << ".." << last;
        }
    }
}

TEST(Series, EverySpikeIsVisible) {
    const Series series = noisy(200000);
    for (const auto& [first, last] : {std::pair<std::int64_t, std::int64_t>{0, 200000}, {12345, 180001}, {500, 9000}}) {
        const auto points = series.visible(first, last, 800);
        EXPECT_LT(points.size(), 5u * 900u);
        const auto expected = scanned(series, first, last);
        double low = kInf, high = -kInf;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (i > 0) {
                ASSERT_LE(points[i - 1].x, points[i].x);
            }
            if (std::isnan(points[i].y)) continue;
            low = std::min(low, points[i].y);
            high = std::max(high, points[i].y);
        }
        EXPECT_EQ(low, expected.min);
        EXPECT_EQ(high, expected.max);
    }
}

TEST(Series, NonFiniteValuesAreKeptApart) {
    Series series;
    for (const double value : {1.0, kInf, -kInf, std::nan(""), 2.0}) series.append(value);
    EXPECT_EQ(series.valueClass(1), ValueClass::PositiveInf);
    EXPECT_EQ(series.valueClass(2), ValueClass::NegativeInf);
    EXPECT_EQ(series.valueClass(3), ValueClass::NaN);
    EXPECT_TRUE(std::isnan(series.value(1)));
    EXPECT_EQ(series.extremes(0, 5).min, 1.0);
    EXPECT_EQ(series.extremes(0, 5).max, 2.0);
    EXPECT_TRUE(series.extremes(1, 4).isEmpty());
    EXPECT_TRUE(series.visible(3, 3, 10).empty());
}

TEST(Report, NothingOfTheInputBecomesMarkup) {
    const std::vector<StepRecord> records{{.step = 0, .loss = std::nan("")},
                                          {.step = 1, .loss = 1.0, .lossScale = 8, .flags = kFlagSkipped}};
    ReportInput input;
    input.title = "<script>";
    input.experimentJson = "{\"a\": \"</pre>\"}";
    ReportRun run;
    run.name = "a & b";
    run.fileStem = "a_b";
    run.scaler = "pytorch";
    run.records = &records;
    run.markers = {{1, "lr <0.1>"}};
    input.runs.push_back(run);
    const auto folder = std::filesystem::temp_directory_path() / "mantissa_report_test";
    std::filesystem::remove_all(folder);
    writeReport(input, folder);
    std::ifstream page(folder / "index.html"), loss(folder / "loss.svg"), csv(folder / "a_b.csv");
    const std::string html((std::istreambuf_iterator<char>(page)), {}), svg((std::istreambuf_iterator<char>(loss)), {}),
        rows((std::istreambuf_iterator<char>(csv)), {});
    EXPECT_EQ(html.find("<script>"), std::string::npos);
    EXPECT_NE(html.find("&lt;script&gt;"), std::string::npos);
    EXPECT_EQ(html.find("</pre>\"}"), std::string::npos);
    EXPECT_NE(html.find("NaN"), std::string::npos);
    EXPECT_NE(svg.find("lr &lt;0.1&gt;"), std::string::npos);
    EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 3);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace mantissa
