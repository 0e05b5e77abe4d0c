// SPDX-License-Identifier: GPL-3.0-or-later
// One plot of the board: an axis rect with title, unit, note, and a row of glyphs at its edge. Subclasses draw the runs.
// Axes are linear in the coordinates of `AxisScale`. GUI thread only.
#pragma once

#include <qcustomplot.h>

#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "gui/plots/line_layer.h"
#include "gui/plots/marks.h"
#include "gui/plots/ranges.h"
#include "gui/plots/run_trace.h"
#include "gui/plots/tickers.h"
#include "gui/plots/x_axis.h"

namespace mantissa::gui {

/// What all panels draw in one replot.
struct PlotFrame {
    Span x;                             // axis coordinates
    std::vector<const RunTrace*> runs;  // in run order, hidden ones too: they still hold the range
    RunId selected = -1;
    RunId highlighted = -1;   // the others are faint; -1: none is
    bool isShared = false;    // runs go each at its pace, so that none has the device for itself
    bool isMeasuring = true;  // tensor statistics are taken
    double smoothing = 0;     // the factor
    XAxis axis;
    /// Where a run's steps lie, and those of them that are seen.
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
};

/// Marks that are drawn side by side, as each in its own place they would overlap: ◇×87 ✕×77.
struct GlyphBar {
    double left = 0, right = 0;    // pixels: of the steps, with half a glyph at each end
    double drawn = 0, width = 0;   // pixels: where what is drawn begins, and its width; words may need more than the steps
    std::vector<GlyphMark> parts;  // one for each glyph of each run
    double end() const { return drawn + width; }
};

/// The row above a panel's axes, of constant height, with the panel's glyphs: ▲ ▼ ✕ ◇, read from flags and never from values; and ⌃ ⌄
/// where finite values lie beyond the axis. It never covers a curve, and its coming moves none.
class GlyphRow : public QCPLayerable {
public:
    static constexpr int kHeight = 18;
    static constexpr double kSize = 11;
    GlyphRow(QCustomPlot* plot, QCPAxisRect* rect);
    void clear();
    void add(Glyph glyph, std::span<const std::int64_t> steps, const PlotFrame& frame, const RunTrace& trace);
    /// After the last `add`: what would overlap becomes one bar.
    void arrange();
    const std::vector<GlyphMark>& marks() const { return m_marks; }
    const std::vector<GlyphBar>& bars() const { return m_bars; }

    /// Drawn marks by shape, colour, ground, size and device pixels.
    using Stamps = std::map<std::tuple<Glyph, QRgb, QRgb, double, double>, QPixmap>;
    /// Drawn counts by number, ink and device pixels.
    using Tags = std::map<std::tuple<std::int64_t, QRgb, double>, QPixmap>;

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    void join(GlyphBar& into, const GlyphBar& bar);
    double tagWidth(std::int64_t count);
    QCPAxisRect* m_rect;
    std::vector<GlyphMark> m_marks;
    std::vector<GlyphBar> m_bars;
    std::map<std::int64_t, double> m_tagWidths;  // by count: measuring text takes longer than all else here
    Stamps m_stamps;
    Tags m_tags;
    QFont m_tagFont;  // that they are written in
};

/// Title, unit and note in the margin above a panel.
class PanelTitle : public QCPLayerable {
public:
    PanelTitle(QCustomPlot* plot, QCPAxisRect* rect);
    QString title, unit, note;
    bool isUnlinked = false;  // the panel has an x axis of its own, and says so
    bool isPointed = false;   // what is below the pointer shows that it opens
    bool isLarge = false;
    bool hasLineKey = false;  // "—— train  ···· validation" before the note
    int raise = 0;            // pixels between the title row and the axes that belong to something else: the flags

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    double drawLineKey(QCPPainter* painter, double right, double middle) const;
    double drawTag(QCPPainter* painter, double left, double middle) const;
};

inline std::string keyOf(Metric metric) {
    return std::string(metricName(metric));
}

class Panel {
public:
    /// `key`: of the series that it is about, RunState::series; by it panels are chosen and remembered.
    Panel(QCustomPlot* plot, QCPMarginGroup* margins, std::string key, const QString& title);
    virtual ~Panel() = default;
    Panel(const Panel&) = delete;
    Panel& operator=(const Panel&) = delete;

    const std::string& key() const { return m_key; }
    QCPAxisRect* rect() const { return m_rect; }
    QCPAxis* yAxis() const { return m_rect->axis(QCPAxis::atLeft); }
    QCPAxis* xAxis() const { return m_rect->axis(QCPAxis::atBottom); }
    const GlyphRow& glyphs() const { return *m_glyphs; }
    const PanelTitle& title() const { return *m_title; }
    const std::vector<LineLayer::Line>& lines() const { return m_lines->lines; }

    /// Space above the axes for the title row and what else `extra` holds, and below for the x labels if it is the last one.
    void setMargins(int top, int bottom, int extra);
    void setShowsStepLabels(bool on);
    bool showsStepLabels() const { return xAxis()->tickLabels(); }
    /// The title row, in pixels of the canvas.
    QRectF header() const;
    void setPointed(bool on) { m_title->isPointed = on; }
    void setLinked(bool on) { m_title->isUnlinked = !on; }
    /// Whether scale and range of its values are a matter of choice: exact state has one way to be shown.
    virtual bool hasChoices() const { return false; }
    AxisScale scale() const { return m_scale; }
    void setScale(AxisScale scale) { m_scale = scale; }
    /// Outliers too, however much they squash the rest.
    bool fitsEverything() const { return m_fitsEverything; }
    void setFitsEverything(bool on) { m_fitsEverything = on; }
    /// The run whose line passes within reach of a place, in pixels of the canvas; -1: none.
    RunId runAt(QPointF place) const;
    /// Where something else says what it is.
    void hideTitle() { m_title->setVisible(false); }
    void setCompact(bool on) { m_isCompact = on; }
    /// With the larger title and markers of a presentation.
    void setPresenting(bool on);
    /// Colours of the theme in force.
    void applyTheme();
    /// Lines, glyphs and range for what is on screen; `byHand` is the range that a hand gave.
    void refresh(const PlotFrame& frame, const std::optional<Span>& byHand);
    /// How its lines are smoothed by that factor, on its axis. Lines of exact state are not.
    virtual Smoothing smoothing(double /*factor*/) const { return {.factor = 0}; }
    /// Sets how the line that it draws of that run is smoothed.
    virtual void smooth(RunTrace&, double /*factor*/) const {}
    /// Whether a row for glyphs lies above its axes.
    virtual bool hasGlyphRow() const { return true; }
    /// The keys of all series that it shows.
    virtual std::vector<std::string> keys() const { return {m_key}; }
    /// Where the crosshair marks a run's line at a step, as axis coordinate; NaN when there is nothing to mark.
    virtual double cursorY(const RunTrace& trace, std::int64_t step) const = 0;
    /// The value that a run's line has there, as it is written at the line's end.
    virtual QString endText(const RunTrace& trace, std::int64_t step) const = 0;
    /// For screen readers: what the panel is, and what it shows.
    QString spokenName(const PlotFrame& frame) const;
    QString description(const PlotFrame& frame) const;

protected:
    /// Adds lines and glyphs; returns the range that the data asks for.
    virtual Span refreshRuns(const PlotFrame& frame) = 0;
    virtual QString runDescription(const RunTrace& trace) const = 0;
    QCustomPlot* plot() const { return m_rect->parentPlot(); }
    int columns() const;
    bool isByHand() const { return m_isByHand; }
    /// Places points whose x are steps on the axis, and draws them. A line that cannot be pointed at belongs to another one.
    void addLine(const RunTrace& trace, const PlotFrame& frame, LineStyle style, std::vector<SeriesPoint> points, bool isStepped = false,
                 bool canBePointedAt = true);
    /// Lets a fork's line begin at the value that its parent has at the step before.
    static void joinParent(std::vector<SeriesPoint>& points, const RunTrace& trace, const Series& parents);

    LineLayer* m_lines;  // owned by the plot, as all its parts
    GlyphRow* m_glyphs;
    PanelTitle* m_title;
    QSharedPointer<ValueTicker> m_ticker;
    AxisScale m_scale = AxisScale::Linear;
    bool m_fitsEverything = false;
    bool m_isCompact = false;
    bool m_isPresenting = false;

private:
    std::string m_key;
    QCPAxisRect* m_rect;
    QSharedPointer<XTicker> m_xTicker;
    bool m_isByHand = false;  // the range on screen
};

}  // namespace mantissa::gui
