// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/line_raster.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "gui/plots/parallel.h"
#include "gui/plots/wide_loop.h"

namespace mantissa::gui {
namespace {

constexpr double kFar = 1e6;     // pixels; beyond any screen
constexpr int kBandWidth = 128;  // columns that one core draws at a time

/// The part of a line inside one pixel column.
struct Column {
    float low = std::numeric_limits<float>::infinity(), high = -std::numeric_limits<float>::infinity();
    int pieces = 0;            // number of segments in it
    bool isEmpty() const { return pieces == 0; }
    void add(float a, float b) {
        low = std::min(low, std::min(a, b));
        high = std::max(high, std::max(a, b));
        ++pieces;
    }
};

/// Collects a line's segments, point by point.
class ColumnWriter {
public:
    explicit ColumnWriter(int width) : m_columns(static_cast<std::size_t>(width)), m_width(width) {}
    std::vector<Column> take() { return std::move(m_columns); }

    void lineTo(double x, double y) {
        const Place to = place(x, y);
        // Most segments of a long series lie within a column.
        if (m_count > 0 && to.column == m_from.column) {
            if (to.column >= 0 && to.column < m_width) m_columns[static_cast<std::size_t>(to.column)].add(m_from.value, to.value);
        } else if (m_count > 0) {
            cross(m_from, to);
        }
        m_from = to;
        ++m_count;
    }
    void gap() {
        if (m_count == 1) {  // a point between two gaps
            const Place point = m_from;
            cross(place(point.x - 1.5, point.value), place(point.x + 0.5, point.value));
        }
        m_count = 0;
    }

private:
    struct Place {
        double x;
        float value;
        int column;
    };
    Place place(double x, double y) const {
        // For non-negative values a cast rounds down without a function call.
        return {x, static_cast<float>(std::clamp(y, -kFar, kFar)), static_cast<int>(std::clamp(x, -1.0, m_width + 1.0) + 1) - 1};
    }
    void cross(const Place& from, const Place& to) {
        const double slope = to.x > from.x ? static_cast<double>(to.value - from.value) / (to.x - from.x) : 0;
        const auto at = [&](int edge) { return static_cast<float>(from.value + slope * (edge - from.x)); };
        for (int c = std::max(from.column, 0); c <= std::min(to.column, m_width - 1); ++c)
            m_columns[static_cast<std::size_t>(c)].add(c <= from.x ? from.value : at(c), c + 1 >= to.x ? to.value : at(c + 1));
    }

    std::vector<Column> m_columns;
    int m_width, m_count = 0;  // pixels; number of points since the last gap
    Place m_from{};
};

std::vector<Column> columnsOf(const std::vector<QPointF>& points, int width) {
    ColumnWriter writer(width);
    for (const QPointF& point : points) {
        if (std::isfinite(point.y()))
            writer.lineTo(point.x(), point.y());
        else
            writer.gap();
    }
    writer.gap();
    return writer.take();
}

/// Multiplies a pixel's four bytes by factor / 255, rounded, two bytes at a time.
QRgb scaled(QRgb pixel, unsigned factor) {
    const auto pair = [factor](unsigned bytes) {
        const unsigned product = bytes * factor + 0x800080u;
        return ((product + ((product >> 8) & 0xff00ffu)) >> 8) & 0xff00ffu;
    };
    return pair(pixel & 0xff00ffu) | (pair((pixel >> 8) & 0xff00ffu) << 8);
}

/// Neighbouring columns are filled row by row: their pixels are adjacent in memory, and one instruction handles several.
constexpr int kTileWidth = 16;

struct Tile {
    int width = 0, first = std::numeric_limits<int>::max(), last = 0;  // columns; rows
    int solidFirst = 0, solidLast = std::numeric_limits<int>::max();   // rows that all columns fill
    // Edges of each column's filling: the rows where their ramps begin, and the increase per row, of 255.
    float upper[kTileWidth], lower[kTileWidth], rate[kTileWidth];

    void add(const Column& column, float lineWidth, float height) {
        // A single segment is drawn exactly, with edges that slope through the column; several segments fill the range of their values.
        const float rise = column.pieces == 1 ? column.high - column.low : 0;
        const float half = lineWidth / 2 * (column.pieces == 1 ? std::min(std::sqrt(1 + rise * rise), 4.0f) : 1);
        // A ramp has at least one row, so that flat lines are antialiased.
        const float ramp = std::max(rise, 1.0f), outwards = (ramp - rise) / 2;
        upper[width] = column.low - half - outwards - 0.5f;
        lower[width] = column.high + half - rise - outwards - 0.5f;
        rate[width] = 255 / ramp;
        const auto rowOf = [height](float y) { return static_cast<int>(std::min(std::max(y, 0.0f), height)); };
        first = std::min(first, rowOf(column.low - half - 1));
        last = std::max(last, rowOf(column.high + half + 2));
        solidFirst = std::max(solidFirst, rowOf(column.low - half + rise + 2));
        solidLast = std::min(solidLast, rowOf(column.high + half - rise - 1));
        ++width;
    }
};

/// Blends `color` (premultiplied) over rows [first, last) of the tile; `pixels` is that of row 0. Tests only the edges that can be in these
/// rows. Shares are converted to integers before they are clamped, which avoids a branch.
template <bool hasUpper, bool hasLower>
[[gnu::always_inline]] inline void fillRows(QRgb* pixels, std::size_t stride, const Tile& tile, int first, int last, QRgb color) {
    const auto share = [](float reached) { return std::min(std::max(static_cast<int>(reached + 0.5f), 0), 255); };
    const int width = tile.width;  // a copy, because the pixels written through the pointer have its type
    for (int row = first; row < last; ++row) {
        QRgb* const at = pixels + static_cast<std::size_t>(row) * stride;
        const auto y = static_cast<float>(row);
        for (int i = 0; i < width; ++i) {
            const int above = hasUpper ? share((y - tile.upper[i]) * tile.rate[i]) : 255;
            const int filled = hasLower ? above - share((y - tile.lower[i]) * tile.rate[i]) : above;
            const QRgb part = scaled(color, static_cast<unsigned>(filled));
            at[i] = part + scaled(at[i], 255u - (part >> 24));
        }
    }
}

MANTISSA_WIDE_LOOP void fillEdges(QRgb* pixels, std::size_t stride, const Tile& tile, int first, int last, QRgb color) {
    fillRows<true, true>(pixels, stride, tile, first, last, color);
}
MANTISSA_WIDE_LOOP void fillUpperEdge(QRgb* pixels, std::size_t stride, const Tile& tile, int first, int last, QRgb color) {
    fillRows<true, false>(pixels, stride, tile, first, last, color);
}
MANTISSA_WIDE_LOOP void fillLowerEdge(QRgb* pixels, std::size_t stride, const Tile& tile, int first, int last, QRgb color) {
    fillRows<false, true>(pixels, stride, tile, first, last, color);
}

/// Variant of fillRows for rows that all columns fill completely.
MANTISSA_WIDE_LOOP void fillSolid(QRgb* pixels, std::size_t stride, int width, int first, int last, QRgb color) {
    const unsigned rest = 255u - (color >> 24);
    for (int row = first; row < last; ++row) {
        QRgb* const at = pixels + static_cast<std::size_t>(row) * stride;
        for (int i = 0; i < width; ++i) at[i] = color + scaled(at[i], rest);
    }
}

void fillTile(QRgb* pixels, std::size_t stride, const Tile& tile, QRgb color) {
    if (tile.solidFirst >= tile.solidLast) return fillEdges(pixels, stride, tile, tile.first, tile.last, color);
    fillUpperEdge(pixels, stride, tile, tile.first, tile.solidFirst, color);
    fillSolid(pixels, stride, tile.width, tile.solidFirst, tile.solidLast, color);
    fillLowerEdge(pixels, stride, tile, tile.solidLast, tile.last, color);
}

/// A position in a line's dash pattern.
struct DashPlace {
    bool isOn = true;
    double rest = std::numeric_limits<double>::infinity();  // distance to the end of that dash or gap
};

DashPlace dashAt(const LineStyle& style, double length, double x) {
    if (style.dash.isEmpty()) return {};
    double at = std::fmod(x + style.dashOffset, length);
    if (at < 0) at += length;
    for (qsizetype i = 0; i < style.dash.size(); ++i) {
        at -= style.dash[i];
        if (at < 0) return {i % 2 == 0, -at};
    }
    return {};
}

struct ColumnLine {
    const PixelLine* line;
    std::vector<Column> columns;
};

/// Widens steep spikes, which are one column wide, to the pen's width. Reads from a copy, so that widened columns are not widened again.
std::vector<Column> broadened(std::vector<Column> columns, double lineWidth) {
    const int extra = static_cast<int>(std::lround(lineWidth)) - 1, width = static_cast<int>(columns.size());
    if (extra <= 0) return columns;
    const std::vector<Column> thin = columns;
    for (int c = 0; c < width; ++c) {
        const Column& from = thin[static_cast<std::size_t>(c)];
        if (from.isEmpty() || from.high - from.low < 3 * lineWidth) continue;
        for (int to = std::max(0, c - extra / 2); to <= std::min(width - 1, c + (extra + 1) / 2); ++to)
            if (to != c && !thin[static_cast<std::size_t>(to)].isEmpty()) columns[static_cast<std::size_t>(to)].add(from.low, from.high);
    }
    return columns;
}

/// Draws columns [first, end) of a line; `pixels` is that of column 0 and row 0.
void fillColumns(QRgb* pixels, std::size_t stride, int height, const ColumnLine& line, int first, int end) {
    const LineStyle& style = line.line->style;
    const double period = std::accumulate(style.dash.begin(), style.dash.end(), 0.0);
    const QRgb color = qPremultiply(style.color.rgba());
    // A tile ends with its dash, so that all its columns are filled.
    double rest = style.dash.isEmpty() ? end : 0;  // of the dash or gap that column c is in
    bool isOn = true;
    for (int c = first; c < end;) {
        Tile tile;
        const int left = c;
        for (; c < end && tile.width < kTileWidth; ++c) {
            if (rest <= 0) {
                const DashPlace place = dashAt(style, period, c);
                rest = place.rest;
                isOn = place.isOn;
            }
            const Column& column = line.columns[static_cast<std::size_t>(c)];
            if (!isOn || column.isEmpty()) break;
            rest -= 1;
            tile.add(column, static_cast<float>(style.width), static_cast<float>(height));
        }
        if (tile.width > 0)
            fillTile(pixels + left, stride, tile, color);
        else
            ++c, rest -= 1;
    }
}

/// Part of the segment from `p` to `q` inside `area`, as shares of its length; nullopt if there is none.
std::optional<std::pair<double, double>> shareInside(QPointF p, QPointF q, const QRectF& area) {
    double first = 0, last = 1;
    const auto cut = [&](double from, double to, double low, double high) {
        const double way = to - from;
        if (way == 0) return low <= from && from <= high;
        const double a = (low - from) / way, b = (high - from) / way;
        first = std::max(first, std::min(a, b));
        last = std::min(last, std::max(a, b));
        return first <= last;
    };
    if (!cut(p.x(), q.x(), area.left(), area.right()) || !cut(p.y(), q.y(), area.top(), area.bottom())) return std::nullopt;
    return std::pair(first, last);
}

}  // namespace

void drawLines(QImage& image, const QRect& area, const std::vector<PixelLine>& lines) {
    if (area.isEmpty() || lines.empty()) return;
    std::vector<ColumnLine> drawn;
    for (const PixelLine& line : lines) drawn.push_back({&line, {}});
    inParallel(drawn,
               [&area](ColumnLine& line) { line.columns = broadened(columnsOf(line.line->points, area.width()), line.line->style.width); });
    const auto stride = static_cast<std::size_t>(image.bytesPerLine()) / sizeof(QRgb);
    QRgb* const pixels = reinterpret_cast<QRgb*>(image.bits()) + static_cast<std::size_t>(area.top()) * stride + area.left();
    // One band at a time: its pixels stay in a core's cache while all lines are drawn.
    std::vector<int> bands;
    for (int left = 0; left < area.width(); left += kBandWidth) bands.push_back(left);
    inParallel(bands, [&](int left) {
        for (const ColumnLine& line : drawn)
            fillColumns(pixels, stride, area.height(), line, left, std::min(left + kBandWidth, area.width()));
    });
}

std::vector<QPolygonF> linePieces(const std::vector<QPointF>& points, const LineStyle& style, const QRectF& area) {
    constexpr double kLeastPiece = 1e-3;  // pixels; tolerance for rounding at a dash's end
    const double period = std::accumulate(style.dash.begin(), style.dash.end(), 0.0);
    std::vector<QPolygonF> pieces;
    const auto add = [&](QPointF from, QPointF to) {
        if (pieces.empty() || pieces.back().back() != from) pieces.push_back(QPolygonF{from});
        pieces.back().append(to);
    };
    const auto isGap = [&](std::size_t i) { return i >= points.size() || !std::isfinite(points[i].y()); };
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (isGap(i)) continue;
        QPointF p = points[i], q = p;
        if (!isGap(i + 1)) {
            q = points[i + 1];
        } else if (i == 0 || isGap(i - 1)) {
            p -= QPointF(1, 0), q += QPointF(1, 0);  // a point between two gaps is drawn as a dot
        } else {
            continue;
        }
        const auto share = shareInside(p, q, area);
        if (!share) continue;
        const QPointF way = q - p, end = share->second == 1 ? q : p + share->second * way;
        QPointF from = share->first == 0 ? p : p + share->first * way;
        for (;;) {
            const DashPlace place = dashAt(style, period, from.x() + kLeastPiece);
            const double rest = place.rest + kLeastPiece;
            const bool isLast = !(from.x() + rest < end.x());
            const QPointF to = isLast ? end : QPointF(from.x() + rest, p.y() + (from.x() + rest - p.x()) / way.x() * way.y());
            if (place.isOn) add(from, to);
            if (isLast) break;
            from = to;
        }
    }
    return pieces;
}

}  // namespace mantissa::gui
