// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>

namespace mantissa {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

Series noisy(std::int64_t count) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    Series series;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto dice = random() % 1000;
        series.append(dice == 0 ? std::nan("") : dice == 1 ? kEndless : dice == 2 ? 1000 * normal(random) : normal(random));
    }
    return series;
}

Series::Extremes scanned(const Series& series, std::int64_t first, std::int64_t last) {
    Series::Extremes e{kEndless, -kEndless};
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

/// What a plot of [first, last) in `columns` columns must show: the extremes of each column, and gaps where nothing is finite.
void expectNothingHidden(const Series& series, std::int64_t first, std::int64_t last, int columns) {
    const auto points = series.visible(first, last, columns);
    ASSERT_LE(points.size(), 4u * (static_cast<std::size_t>(columns) + 1));
    const auto expected = scanned(series, first, last);
    double low = kEndless, high = -kEndless;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (i > 0) {
            ASSERT_LE(points[i - 1].x, points[i].x);
        }
        ASSERT_GE(points[i].x, static_cast<double>(first));
        ASSERT_LT(points[i].x, static_cast<double>(last));
        if (std::isnan(points[i].y)) continue;
        low = std::min(low, points[i].y);
        high = std::max(high, points[i].y);
    }
    EXPECT_EQ(low, expected.min);
    EXPECT_EQ(high, expected.max);
    EXPECT_EQ(points.front().x, static_cast<double>(first));
    EXPECT_EQ(points.back().x, static_cast<double>(last - 1));
}

TEST(Series, EverySpikeIsVisible) {
    const Series series = noisy(200000);
    expectNothingHidden(series, 0, 200000, 800);
    expectNothingHidden(series, 12345, 180001, 800);
    expectNothingHidden(series, 500, 9000, 800);
    expectNothingHidden(series, 70000, 70003, 1);
}

TEST(Series, EveryColumnShowsItsOwnExtremes) {
    const Series series = noisy(100000);
    constexpr std::int64_t kWidth = 1008;  // of 1,000 steps, rounded up to the pyramid's nodes
    const auto points = series.visible(0, 100000, 100);
    for (std::int64_t begin = 0; begin < 100000; begin += kWidth) {
        const auto expected = scanned(series, begin, std::min<std::int64_t>(begin + kWidth, 100000));
        double low = kEndless, high = -kEndless;
        for (const SeriesPoint& p : points) {
            if (p.x < static_cast<double>(begin) || p.x >= static_cast<double>(begin + kWidth) || std::isnan(p.y)) continue;
            low = std::min(low, p.y);
            high = std::max(high, p.y);
        }
        ASSERT_EQ(low, expected.min) << begin;
        ASSERT_EQ(high, expected.max) << begin;
    }
}

TEST(Series, TenMillionPointsStayQuick) {
    constexpr std::int64_t kCount = 10'000'000;
    Series series;
    for (std::int64_t i = 0; i < kCount; ++i) series.append(std::sin(static_cast<double>(i) * 1e-3));
    series.append(7);
    EXPECT_EQ(series.extremes(0, kCount + 1).max, 7);
    EXPECT_LT(series.extremes(0, kCount).max, 1.0000001);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(series.visible(i, kCount + 1, 1000).back().y, 7);
    const double msPerPicture = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() / 100;
    EXPECT_LT(msPerPicture, 100) << "a scan of all points takes longer than this";  // measured: 0.2 ms; the slack is for busy machines
}

TEST(Series, GapsAreDrawnAsGaps) {
    Series series;
    constexpr int kBegin = 90 * 112, kEnd = 180 * 112;  // columns of 100 steps, rounded up to the pyramid's nodes
    for (int i = 0; i < 30000; ++i) series.append(i >= kBegin && i < kEnd ? std::nan("") : 1.0);
    int gaps = 0;
    for (const SeriesPoint& p : series.visible(0, 30000, 300)) {
        const bool isInside = p.x >= kBegin && p.x < kEnd;
        ASSERT_EQ(std::isnan(p.y), isInside) << p.x;
        gaps += isInside ? 1 : 0;
    }
    EXPECT_GE(gaps, 90);  // one a column at least
}

TEST(Series, NonFiniteValuesAreKeptApart) {
    Series series;
    for (const double value : {1.0, kEndless, -kEndless, std::nan(""), 2.0}) series.append(value);
    EXPECT_EQ(series.valueClass(1), ValueClass::PositiveInf);
    EXPECT_EQ(series.valueClass(2), ValueClass::NegativeInf);
    EXPECT_EQ(series.valueClass(3), ValueClass::NaN);
    EXPECT_TRUE(std::isnan(series.value(1)));
    EXPECT_EQ(series.extremes(0, 5).min, 1.0);
    EXPECT_EQ(series.extremes(0, 5).max, 2.0);
    EXPECT_TRUE(series.extremes(1, 4).isEmpty());
    EXPECT_TRUE(series.visible(3, 3, 10).empty());
}

TEST(Series, ClearedIsAsNew) {
    Series series = noisy(5000);
    series.clear();
    EXPECT_TRUE(series.isEmpty());
    EXPECT_EQ(series.end(), 0);
    EXPECT_TRUE(series.extremes(0, 10).isEmpty());
    series.append(3);
    EXPECT_EQ(series.extremes(0, 1).max, 3);
}

TEST(Series, BeginsWhereItsRunBegan) {
    Series series;
    series.clear(1000);
    EXPECT_EQ(series.end(), 1000);
    for (int i = 0; i < 50; ++i) series.append(i);
    EXPECT_EQ(series.firstStep(), 1000);
    EXPECT_EQ(series.end(), 1050);
    EXPECT_EQ(series.value(1049), 49);
    EXPECT_EQ(series.valueClass(999), ValueClass::Absent);
    EXPECT_EQ(series.valueClass(1050), ValueClass::Absent);
    EXPECT_EQ(series.extremes(0, 1010).max, 9);
    EXPECT_EQ(series.visible(0, 2000, 10).front().x, 1000);
}

TEST(Series, ATruncatedSeriesIsTheShorterOne) {
    for (const std::int64_t kept : {0, 1, 255, 256, 257, 4095, 4096, 4999, 5000, 6000}) {
        Series series = noisy(5000), same = noisy(std::min<std::int64_t>(kept, 5000));
        series.truncate(kept);
        for (int i = 0; i < 700; ++i) {
            series.append(-i);
            same.append(-i);
        }
        ASSERT_EQ(series.end(), same.end()) << kept;
        for (std::int64_t first = 0; first < series.end(); first += 37) {
            ASSERT_EQ(series.extremes(first, series.end()).min, same.extremes(first, same.end()).min) << kept << " " << first;
            ASSERT_EQ(series.extremes(first, series.end()).max, same.extremes(first, same.end()).max) << kept << " " << first;
        }
    }
}

TEST(Series, StepsWithoutAValueAreNoGap) {
    Series series;
    for (int i = 0; i < 40000; ++i) series.appendAt(50 * i, i == 777 ? kEndless : i);
    series.append(5);
    EXPECT_EQ(series.end(), 50 * 39999 + 2);
    EXPECT_EQ(series.count(), 40001u);
    EXPECT_EQ(series.value(50 * 20), 20);
    EXPECT_EQ(series.valueClass(50 * 20 + 1), ValueClass::Absent);
    EXPECT_EQ(series.latestStep(50 * 20 + 49), 50 * 20);
    EXPECT_EQ(series.latestStep(-1), -1);
    EXPECT_EQ(series.exact(50 * 777), kEndless);
    EXPECT_EQ(series.extremes(50 * 10 + 1, 50 * 30 + 1).min, 11);
    EXPECT_EQ(series.extremes(50 * 10 + 1, 50 * 30 + 1).max, 30);
    int gaps = 0;
    for (const SeriesPoint& p : series.visible(0, 50 * 2000, 100000)) gaps += std::isnan(p.y) ? 1 : 0;
    EXPECT_EQ(gaps, 1);
    const auto points = series.visible(0, series.end(), 500);
    EXPECT_LE(points.size(), 4u * 501);
    EXPECT_EQ(points.back().y, 5);
    series.truncate(50 * 20);
    EXPECT_EQ(series.end(), 50 * 19 + 1);
}

TEST(Series, AMemoryOfColumnsChangesNothing) {
    constexpr int kColumns = 300;
    Series series = noisy(40'000);
    Series::ColumnMemory memory;
    const auto expectSame = [&](std::int64_t first, std::int64_t last, double columns) {
        const auto plain = series.visible(first, last, columns), kept = series.visible(first, last, columns, &memory);
        ASSERT_EQ(kept.size(), plain.size());
        for (std::size_t i = 0; i < plain.size(); ++i) {
            ASSERT_EQ(kept[i].x, plain[i].x) << first << ".." << last << " point " << i;
            const bool isSame = kept[i].y == plain[i].y || (std::isnan(kept[i].y) && std::isnan(plain[i].y));
            ASSERT_TRUE(isSame) << first << ".." << last << " point " << i;
        }
    };
    for (int first = 0; first < 20'000; first += 777) expectSame(first, first + 20'000, kColumns);         // scrolls
    for (int length = 20'000; length > 1'000; length -= 611) expectSame(5'000, 5'000 + length, kColumns);  // zooms
    for (int i = 0; i < 3'000; ++i) {                                                                      // grows
        series.append(i % 91 == 0 ? 1e3 + i : i % 7);
        if (i % 50 == 0) expectSame(series.end() - 20'000, series.end(), kColumns);
    }
    expectSame(0, series.end(), 12.5);
    expectSame(20'000, 40'000, kColumns);
    series.truncate(30'000);
    for (int i = 0; i < 5'000; ++i) series.append(-5.0 - i);  // other values at steps that it has seen, in columns of the same width
    expectSame(15'000, 35'000, kColumns);
    series.clear();
    for (int i = 0; i < 40'000; ++i) series.append(i % 13);
    expectSame(10'000, 35'000, kColumns);
    Series other = noisy(40'000);
    series = other;
    expectSame(10'000, 35'000, kColumns);
}

TEST(Series, AFractionOfAColumnHasTheSameWidth) {
    const Series series = noisy(100'000);
    // a view that leaves the series behind: half of its columns for half of its steps
    const auto whole = series.visible(0, 100'000, 25), half = series.visible(50'000, 100'000, 12.5);
    EXPECT_NEAR(static_cast<double>(half.size()), static_cast<double>(whole.size()) / 2, 4);
}

}  // namespace
}  // namespace mantissa
