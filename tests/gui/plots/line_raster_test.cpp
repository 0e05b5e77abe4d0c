// SPDX-License-Identifier: Apache-2.0
#include "gui/plots/line_raster.h"

#include "gui/plots/ranges.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mantissa::gui {
namespace {

QImage blank(int width = 100, int height = 60) {
    QImage image(width, height, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    return image;
}

void drawLine(QImage& image, const std::vector<QPointF>& points, const LineStyle& style) {
    drawLines(image, image.rect(), {{points, style}});
}

/// How much of a column is painted, in pixels.
double ink(const QImage& image, int column) {
    double sum = 0;
    for (int row = 0; row < image.height(); ++row) sum += qAlpha(image.pixel(column, row)) / 255.0;
    return sum;
}

TEST(LineRaster, AFlatLineHasItsWidthEverywhere) {
    QImage image = blank();
    drawLine(image, {{0, 30.3}, {100, 30.3}}, {Qt::black, 2, {}, 0});
    for (int column = 0; column < 100; ++column) EXPECT_NEAR(ink(image, column), 2, 0.05) << column;
}

TEST(LineRaster, ASlopeIsAsWideAcrossItself) {
    QImage image = blank();
    drawLine(image, {{0, 5}, {100, 55}}, {Qt::black, 2, {}, 0});
    EXPECT_NEAR(ink(image, 50), 2 * std::hypot(1.0, 0.5), 0.15);
}

TEST(LineRaster, AGapStaysEmpty) {
    QImage image = blank();
    drawLine(image, {{0, 30}, {40, 30}, {50, kNaN}, {60, 30}, {100, 30}}, {Qt::black, 1, {}, 0});
    EXPECT_GT(ink(image, 39), 0.5);
    EXPECT_EQ(ink(image, 50), 0);
    EXPECT_GT(ink(image, 61), 0.5);
}

TEST(LineRaster, APointBetweenGapsIsADot) {
    QImage image = blank();
    drawLine(image, {{30, kNaN}, {50, 30}, {70, kNaN}}, {Qt::black, 2, {}, 0});
    EXPECT_GT(ink(image, 49), 1);
    EXPECT_EQ(ink(image, 60), 0);
}

TEST(LineRaster, ASpikeOfOneColumnIsDrawnInFull) {
    QImage image = blank();
    std::vector<QPointF> points;
    for (int i = 0; i < 400; ++i) points.push_back({i / 4.0, i == 202 ? 5.0 : 50.0});
    drawLine(image, points, {Qt::black, 1, {}, 0});
    EXPECT_GT(qAlpha(image.pixel(50, 6)), 200);
}

TEST(LineRaster, DashesFollowXAndStandStill) {
    QImage longer = blank(), shorter = blank();
    const LineStyle style{Qt::black, 2, {10, 5}, 0};
    drawLine(longer, {{0, 30}, {100, 30}}, style);
    drawLine(shorter, {{0, 30}, {70, 30}}, style);
    EXPECT_GT(ink(longer, 5), 1);
    EXPECT_EQ(ink(longer, 12), 0);
    EXPECT_GT(ink(longer, 16), 1);
    for (int column = 0; column < 68; ++column) EXPECT_EQ(ink(longer, column), ink(shorter, column)) << column;
}

TEST(LineRaster, AColumnLooksTheSameBesideAnyOthers) {
    // Columns are filled several at a time: where one stands among them must not matter.
    std::vector<QPointF> points;
    for (int i = 0; i < 400; ++i) points.push_back({i / 4.0, 30 + 25 * std::sin(i * 0.7) * std::cos(i * 0.01)});
    const LineStyle style{QColor(200, 40, 90, 130), 1.8, {}, 0};
    QImage image = blank(99);
    image.fill(0xff204060);
    drawLine(image, points, style);
    for (const int shift : {1, 5, 15, 16, 33}) {
        std::vector<QPointF> shifted(points);
        for (QPointF& point : shifted) point.rx() += shift;
        QImage other = blank(99 + shift);
        other.fill(0xff204060);
        drawLine(other, shifted, style);
        for (int column = 1; column < 99; ++column)  // the first one has a neighbour now
            for (int row = 0; row < 60; ++row) ASSERT_EQ(other.pixel(column + shift, row), image.pixel(column, row)) << shift << " " << column;
    }
}

TEST(LineRaster, ValuesFarOutsideOnlyTouchTheEdges) {
    QImage image = blank();
    drawLine(image, {{0, 30}, {50, -1e30}, {100, 30}}, {Qt::black, 1, {}, 0});
    EXPECT_EQ(ink(image, 50), 0);
    drawLine(image, {{-1e12, 30}, {1e12, 30}}, {Qt::black, 1, {}, 0});
    EXPECT_NEAR(ink(image, 80), 1, 0.1);
}

TEST(LineRaster, BlendsOverWhatIsThere) {
    QImage image = blank();
    drawLine(image, {{0, 30.5}, {100, 30.5}}, {Qt::red, 3, {}, 0});
    drawLine(image, {{0, 30.5}, {100, 30.5}}, {QColor(0, 0, 255, 128), 3, {}, 0});
    const QColor pixel = image.pixelColor(50, 30);
    EXPECT_EQ(pixel.alpha(), 255);
    EXPECT_NEAR(pixel.red(), 127, 2);
    EXPECT_NEAR(pixel.blue(), 128, 2);
}

TEST(LineRaster, PiecesAreTheDashesOfTheRaster) {
    // a zigzag with a gap and a spike beyond the area, whose pieces must be where the raster has ink
    std::vector<QPointF> points;
    for (int x = 0; x <= 100; x += 4) points.push_back({static_cast<double>(x), x % 8 == 0 ? 20.0 : 40.0});
    points[10].setY(std::nan(""));
    points[20].setY(500);
    const LineStyle style{Qt::black, 1, {7, 5}, 2};
    QImage image = blank();
    drawLine(image, points, style);
    const QRectF area(0, 0, image.width(), image.height());
    std::vector<bool> isCovered(100);
    for (const QPolygonF& piece : linePieces(points, style, area)) {
        EXPECT_GE(piece.size(), 2);
        for (const QPointF& point : piece)
            EXPECT_TRUE(area.adjusted(-1e-9, -1e-9, 1e-9, 1e-9).contains(point)) << point.x() << " " << point.y();
        EXPECT_LE(piece.back().x() - piece.front().x(), 7 + 1e-6) << "no longer than a dash";
        for (int x = static_cast<int>(std::ceil(piece.front().x())); x < static_cast<int>(piece.back().x()); ++x)
            isCovered[static_cast<std::size_t>(x)] = true;
    }
    for (int x = 1; x < 99; ++x)
        if (isCovered[static_cast<std::size_t>(x)] && (x < 77 || x > 83)) {
            EXPECT_GT(ink(image, x), 0.2) << x;
        }
    EXPECT_GT(std::count(isCovered.begin(), isCovered.end(), true), 35);
    EXPECT_EQ(linePieces({{0, 5}, {100, 5}}, {Qt::black, 1, {}, 0}, area).size(), 1u) << "a solid line is one piece";
    EXPECT_EQ(linePieces({{50, 5}}, {Qt::black, 1, {}, 0}, area).size(), 1u) << "a point alone is a dot";
}

}  // namespace
}  // namespace mantissa::gui
