// SPDX-License-Identifier: GPL-3.0-or-later
// One plot of the board: an axis rect with title, unit, note, and a row of glyphs above it. Subclasses draw the runs. Axes are linear in
// the coordinates of `AxisScale`. GUI thread only.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "gui/plots/line_layer.h"
#include "gui/plots/ranges.h"
#include "gui/plots/run_trace.h"
#include "gui/plots/tickers.h"
#include "gui/plots/x_axis.h"

namespace mantissa::gui {

/// The data that all panels share in one replot.
struct PlotFrame {
    Span x;                             // axis coordinates
    std::vector<const RunTrace*> runs;  // in run order, including hidden ones, which still affect the range
    RunId selected = -1;
    RunId highlighted = -1;   // the others are faint; -1: none
    bool isShared = false;    // runs are not in lock-step and share the device
    bool isMeasuring = true;  // tensor statistics are computed
    double smoothing = 0;     // the factor
    XAxis axis;
    /// Returns the axis coordinates of a run's steps, and the visible ones.
    StepPlaces places(const RunTrace& trace) const { return axis == XAxis{} ? StepPlaces() : StepPlaces(*trace.run, axis); }
    Span steps(const RunTrace& trace) const { return places(trace).steps(x); }
    QColor colorOf(const RunTrace& trace, QColor color) const;
};

/// A folded group of glyphs, ready to draw.
struct GlyphMark {
    Glyph glyph;
    double left, right;  // pixels, centres of the first and the last
    std::int64_t firstStep, lastStep, count;
    QColor color;
    RunId run;
    double drawn = 0, width = 0;  // pixels: left end and width of the glyph with its count, as drawn in its bar
};

/// Marks of several kinds drawn side by side, as they would overlap at their positions: ◇×87 ✕×77.
struct GlyphBar {
    double left = 0, right = 0;    // pixels: extent of the steps, with half a glyph at each end
    double drawn = 0, width = 0;   // pixels: left end and width of the drawing, which may be wider than the steps
    std::vector<GlyphMark> parts;  // one per glyph of
    double end() const { return drawn + width; }
};

/// The row of glyphs above a panel's axes, of constant height: ▲ ▼ ✕ ◇ from flags, never from values; and ⌃ ⌄ where finite values are
/// beyond the axis. It never covers a curve, and its appearance moves nothing.
class GlyphRow : public PlotItem {
public:
    static constexpr int kHeight = 18;
    static constexpr double kSize = 11;
    GlyphRow(QCustomPlot* plot, QCPAxisRect* rect) : PlotItem(plot, QStringLiteral("glyphs"), rect) {}
    void clear();
    void add(Glyph glyph, std::span<const std::int64_t> steps, const PlotFrame& frame, const RunTrace& trace);
    /// Combines overlapping marks into bars; call after the last `add`.
    void arrange();
    const std::vector<GlyphMark>& marks() const { return m_marks; }
    const std::vector<GlyphBar>& bars() const { return m_bars; }
    /// Returns the mark at a position, in pixels of the canvas; null: none.
    const GlyphMark* markAt(QPointF place) const;

    /// Cached marks by shape, colour, ground, size and device pixels.
    using Stamps = std::map<std::tuple<Glyph, QRgb, QRgb, double, double>, QPixmap>;
    /// Cached counts by number, ink and device pixels.
    using Tags = std::map<std::tuple<std::int64_t, QRgb, double>, QPixmap>;

protected:
    void draw(QCPPainter* painter) override;

private:
    void join(GlyphBar& into, const GlyphBar& bar);
    void placeParts(GlyphBar& bar);
    double tagWidth(std::int64_t count);
    std::vector<GlyphMark> m_marks;
    std::vector<GlyphBar> m_bars;
    std::map<std::int64_t, double> m_tagWidths;  // by count; cached, as measuring text takes longer than all else here
    Stamps m_stamps;
    Tags m_tags;
    QFont m_tagFont;  // of the tags
};

/// Title, unit and note in the margin above a panel.
class PanelTitle : public PlotItem {
public:
    PanelTitle(QCustomPlot* plot, QCPAxisRect* rect) : PlotItem(plot, QStringLiteral("glyphs"), rect) {}
    QString title, unit, note;
    bool isUnlinked = false;  // the panel has a separate x axis, and shows it
    bool isPointed = false;   // under the pointer: shows that it opens a menu
    bool isLarge = false;
    bool hasLineKey = false;  // "—— train  ···· validation" before the note
    int raise = 0;            // pixels between the title row and the axes, used by the flags

protected:
    void draw(QCPPainter* painter) override;

private:
    double drawTag(QCPPainter* painter, double left, double middle) const;
};

inline std::string keyOf(Metric metric) {
    return std::string(metricName(metric));
}

/// Starts a fork's line at its parent's value at the step before.
void joinParent(std::vector<SeriesPoint>& points, const RunTrace& trace, const Series& parents);

class Panel {
public:
    /// `key`: the panel's main series (RunState::series), which identifies the panel in settings.
    Panel(QCustomPlot* plot, QCPMarginGroup* margins, std::string key, const QString& title);
    virtual ~Panel() = default;
    Panel(const Panel&) = delete;
    Panel& operator=(const Panel&) = delete;

    const std::string& key() const { return m_key; }
    QCPAxisRect* rect() const { return m_rect; }
    QCPAxis* yAxis() const { return m_rect->axis(QCPAxis::atLeft); }
    QCPAxis* xAxis() const { return m_rect->axis(QCPAxis::atBottom); }
    const GlyphRow& glyphs() const { return *m_glyphs; }
    PanelTitle& title() const { return *m_title; }
    const std::vector<LineLayer::Line>& lines() const { return m_lines->lines; }

    /// Sets the space above the axes for the title row and `extra`, and below for the x labels if it is the last one.
    void setMargins(int top, int bottom, int extra);
    bool showsStepLabels() const { return xAxis()->tickLabels(); }
    /// Returns the title row in pixels of the canvas.
    QRectF header() const;
    /// Returns whether scale and range can be chosen; exact state has only one form.
    virtual bool hasChoices() const { return false; }
    AxisScale scale() const { return m_scale; }
    void setScale(AxisScale scale) { m_scale = scale; }
    /// Returns whether the range includes all outliers.
    bool fitsEverything() const { return m_fitsEverything; }
    void setFitsEverything(bool on) { m_fitsEverything = on; }
    /// Returns the run whose line is near a position, in pixels of the canvas; -1: none.
    RunId runAt(QPointF place) const;
    void setCompact(bool on) { m_isCompact = on; }
    /// Uses the larger title and markers of a presentation.
    void setPresenting(bool on) { m_title->isLarge = on; }
    /// Applies the current theme's colours.
    void applyTheme();
    /// Updates lines, glyphs and range; `byHand` is the range set by the user.
    void refresh(const PlotFrame& frame, const std::optional<Span>& byHand);
    /// Returns how a factor smooths its lines on its axis. Lines of exact state are not smoothed.
    virtual Smoothing smoothing(double /*factor*/) const { return {.factor = 0}; }
    /// Sets the smoothing of its line of that run.
    virtual void smooth(RunTrace&, double /*factor*/) const {}
    /// Returns whether a row for glyphs is above its axes.
    virtual bool hasGlyphRow() const { return true; }
    int glyphRowHeight() const { return hasGlyphRow() ? GlyphRow::kHeight : 0; }  // px
    /// Returns the keys of all series that it shows.
    virtual std::vector<std::string> keys() const { return {m_key}; }
    /// Returns the axis coordinate where the crosshair marks a run's line at a step; NaN: none.
    virtual double cursorY(const RunTrace& trace, std::int64_t step) const = 0;
    /// Returns the value of a run's line at a step, as text for the line's end.
    virtual QString endText(const RunTrace& trace, std::int64_t step) const = 0;
    /// Return the panel's name and description for screen readers.
    QString spokenName(const PlotFrame& frame) const;
    QString description(const PlotFrame& frame) const;

protected:
    /// Adds lines and glyphs; returns the range of the data.
    virtual Span refreshRuns(const PlotFrame& frame) = 0;
    virtual QString runDescription(const RunTrace& trace) const = 0;
    int columns() const { return std::max(m_rect->width(), 16); }
    bool isByHand() const { return m_isByHand; }
    /// Adds a line from points whose x are steps. A line that cannot be pointed at belongs to another one.
    void addLine(const RunTrace& trace, const PlotFrame& frame, LineStyle style, std::vector<SeriesPoint> points, bool isStepped = false,
                 bool canBePointedAt = true);

    LineLayer* m_lines;  // owned by the plot, as are
    GlyphRow* m_glyphs;
    PanelTitle* m_title;
    QSharedPointer<ValueTicker> m_ticker;
    AxisScale m_scale = AxisScale::Linear;
    bool m_fitsEverything = false;
    bool m_isCompact = false;

private:
    std::string m_key;
    QCPAxisRect* m_rect;
    QSharedPointer<XTicker> m_xTicker;
    bool m_isByHand = false;  // the user has set the range
};

}  // namespace mantissa::gui
