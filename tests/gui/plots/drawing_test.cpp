// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QSemaphore>
#include <QThread>
#include <QThreadPool>
#include <atomic>
#include <cmath>
#include <memory>

#include "gui/plots/frame_buffer.h"
#include "gui/plots/line_raster.h"
#include "gui/plots/parallel.h"

namespace mantissa::gui {
namespace {

/// The pool with so many threads, for a while.
class Threads {
public:
    explicit Threads(int count) { QThreadPool::globalInstance()->setMaxThreadCount(count); }
    ~Threads() { QThreadPool::globalInstance()->setMaxThreadCount(QThread::idealThreadCount()); }
};

TEST(Parallel, RunsEachTaskOnceHoweverManyHelp) {
    for (const int threads : {1, 2, 7}) {
        const Threads pool(threads);
        for (const int count : {0, 1, 2, 100}) {
            std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
            for (int round = 1; round <= 50; ++round) {
                inParallel(count, [&](int i) { ++runs[static_cast<std::size_t>(i)]; });
                for (const std::atomic<int>& times : runs) ASSERT_EQ(times, round) << threads << " threads, " << count << " tasks";
            }
        }
    }
}

TEST(Parallel, WaitsForNoThreadThatIsBusyElsewhere) {
    const Threads pool(2);
    QSemaphore go;
    for (int i = 0; i < 2; ++i) QThreadPool::globalInstance()->start([&] { go.acquire(); });
    int sum = 0;  // without a lock: this thread alone has time
    inParallel(10, [&](int i) { sum += i; });
    EXPECT_EQ(sum, 45);
    go.release(2);
    QThreadPool::globalInstance()->waitForDone();
}

std::vector<PixelLine> someLines(int width) {
    std::vector<PixelLine> lines(3);
    for (std::size_t line = 0; line < lines.size(); ++line) {
        lines[line].style = {QColor::fromHsv(static_cast<int>(line) * 100, 255, 200, 140), 1 + static_cast<double>(line), {}, 0};
        if (line == 1) lines[line].style.dash = {7, 4};
        for (int i = 0; i < 4 * width; ++i)
            lines[line].points.push_back({i / 4.0, 40 + 30 * std::sin(i * (0.3 + 0.1 * static_cast<double>(line)))});
    }
    return lines;
}

TEST(Parallel, LinesAreTheSameFromOneThreadAndFromMany) {
    constexpr int kWidth = 700;
    const std::vector<PixelLine> lines = someLines(kWidth);
    const auto drawn = [&] {
        QImage image(kWidth, 80, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
        drawLines(image, image.rect(), lines);
        return image;
    };
    QImage alone;
    {
        const Threads pool(1);
        alone = drawn();
    }
    const Threads pool(8);
    EXPECT_EQ(drawn(), alone);
}

TEST(LineRaster, StaysWithinItsArea) {
    const QRect area(20, 10, 300, 80);
    QImage image(400, 100, QImage::Format_RGB32), apart(area.size(), QImage::Format_RGB32);
    image.fill(Qt::white);
    apart.fill(Qt::white);
    std::vector<PixelLine> lines = someLines(500);
    for (PixelLine& line : lines)
        for (QPointF& point : line.points) point = QPointF(point.x() - 50, point.y() * 3 - 60);  // beyond each side
    drawLines(image, area, lines);
    drawLines(apart, apart.rect(), lines);
    EXPECT_EQ(image.copy(area), apart);
    QImage around = image;
    for (int y = area.top(); y <= area.bottom(); ++y)
        for (int x = area.left(); x <= area.right(); ++x) around.setPixel(x, y, qRgb(255, 255, 255));
    QImage white(image.size(), image.format());
    white.fill(Qt::white);
    EXPECT_EQ(around, white);
}

QImage painted(const QCPAbstractPaintBuffer& buffer, const QColor& below) {
    QImage screen(buffer.size() * buffer.devicePixelRatio(), QImage::Format_RGB32);
    screen.setDevicePixelRatio(buffer.devicePixelRatio());
    screen.fill(below);
    QCPPainter painter(&screen);
    buffer.draw(&painter);
    return screen;
}

TEST(FrameBuffer, TheLowestBringsItsGroundAndOthersAreSeenThrough) {
    const QBrush ground(Qt::blue);
    for (const double ratio : {1.0, 2.0}) {
        FrameBuffer lowest({8, 8}, ratio, &ground), upper({8, 8}, ratio, nullptr);
        for (FrameBuffer* buffer : {&lowest, &upper}) {
            buffer->clear(Qt::transparent);
            const std::unique_ptr<QCPPainter> painter(buffer->startPainting());
            painter->fillRect(QRectF(2, 2, 2, 2), Qt::red);
        }
        const int inside = static_cast<int>(3 * ratio), outside = static_cast<int>(6 * ratio);
        EXPECT_EQ(painted(lowest, Qt::green).pixelColor(inside, inside), QColor(Qt::red));
        EXPECT_EQ(painted(lowest, Qt::green).pixelColor(outside, outside), QColor(Qt::blue));
        EXPECT_EQ(painted(upper, Qt::green).pixelColor(inside, inside), QColor(Qt::red));
        EXPECT_EQ(painted(upper, Qt::green).pixelColor(outside, outside), QColor(Qt::green));
    }
}

TEST(FrameBuffer, ForgetsWhatWasDrawnBefore) {
    FrameBuffer upper({8, 8}, 1, nullptr);
    for (const bool isDrawnOn : {false, true, false, false, true}) {
        upper.clear(Qt::transparent);
        {
            const std::unique_ptr<QCPPainter> painter(upper.startPainting());
            if (isDrawnOn) painter->fillRect(QRectF(7, 7, 1, 1), Qt::red);  // the very last pixel
        }
        EXPECT_EQ(painted(upper, Qt::green).pixelColor(7, 7), QColor(isDrawnOn ? Qt::red : Qt::green));
    }
}

}  // namespace
}  // namespace mantissa::gui
