// SPDX-License-Identifier: GPL-3.0-or-later
// One plot of the board: an axis rect with title, unit, note, and a row of glyphs at its edge. Subclasses draw the runs.
// Axes are linear in the coordinates of `AxisScale`. GUI thread only.
#pragma once

#include <qcustomplot.h>

#include <memory>
#include <optional>

#include "gui/plots/line_layer.h"
#include "gui/plots/marks.h"
#include "gui/plots/ranges.h"
#include "gui/plots/run_trace.h"
#include "gui/plots/tickers.h"

namespace mantissa::gui {

/// What all panels draw in one replot.
struct PlotFrame {
    Span x;                             // steps
    std::vector<const RunTrace*> runs;  // in run order, hidden ones too: they still hold the range
    RunId selected = -1;
};

/// A folded group of glyphs, ready to draw.
struct GlyphMark {
    Glyph glyph;
    double left, right;  // pixels, centres of the first and the last
    std::int64_t firstStep, lastStep, count;
    int row;  // from the edge inwards
    QColor color;
    QString run;
};

/// Draws the glyphs of a panel pinned to its top (▲ ✕ ◇) or bottom (▼) edge, read from flags and never from values.
class GlyphRow : public QCPLayerable {
public:
    static constexpr double kSize = 11, kRowHeight = 14;
    GlyphRow(QCustomPlot* plot, QCPAxisRect* rect);
    void clear() { m_marks.clear(); }
    void add(Glyph glyph, std::span<const std::int64_t> steps, const PlotFrame& frame, const RunTrace& trace);
    /// After the last `add`: rows are given out so that groups do not overlap.
    void arrange();
    const std::vector<GlyphMark>& marks() const { return m_marks; }

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    double groupWidth(const GlyphMark& mark) const;
    QCPAxisRect* m_rect;
    std::vector<GlyphMark> m_marks;
};

/// Title, unit and note in the margin above a panel.
class PanelTitle : public QCPLayerable {
public:
    PanelTitle(QCustomPlot* plot, QCPAxisRect* rect);
    QString title, unit, note;
    bool hasLineKey = false;  // "—— train  ···· validation" before the note
    int raise = 0;            // pixels between the title row and the axes that belong to something else: the flags

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    double drawLineKey(QCPPainter* painter, double right, double middle) const;
};

class Panel {
public:
    Panel(QCustomPlot* plot, QCPMarginGroup* margins, const QString& title);
    virtual ~Panel() = default;
    Panel(const Panel&) = delete;
    Panel& operator=(const Panel&) = delete;

    QCPAxisRect* rect() const { return m_rect; }
    QCPAxis* yAxis() const { return m_rect->axis(QCPAxis::atLeft); }
    QCPAxis* xAxis() const { return m_rect->axis(QCPAxis::atBottom); }
    const GlyphRow& glyphs() const { return *m_glyphs; }
    const PanelTitle& title() const { return *m_title; }

    /// Space above the axes for the title row and what else `extra` holds, and below for the x labels if it is the last one.
    void setMargins(int top, int bottom, int extra);
    void setShowsStepLabels(bool on);
    /// Where something else says what it is.
    void hideTitle() { m_title->setVisible(false); }
    void setCompact(bool on) { m_isCompact = on; }
    /// Colours of the theme in force.
    void applyTheme();
    /// Lines, glyphs and range for what is on screen; `byHand` is the range that a hand gave.
    void refresh(const PlotFrame& frame, const std::optional<Span>& byHand);
    /// The quantities that it shows.
    virtual std::vector<Metric> metrics() const = 0;
    /// Where the crosshair marks a run's line at a step, as axis coordinate; NaN when there is nothing to mark.
    virtual double cursorY(const RunTrace& trace, std::int64_t step) const = 0;
    /// For screen readers: what the panel is, and what it shows.
    QString spokenName(const PlotFrame& frame) const;
    QString description(const PlotFrame& frame) const;

protected:
    /// Adds lines and glyphs; returns the range that the data asks for.
    virtual Span refreshRuns(const PlotFrame& frame) = 0;
    virtual QString runDescription(const RunTrace& trace) const = 0;
    QCustomPlot* plot() const { return m_rect->parentPlot(); }
    int columns() const;
    /// Lets a fork's line begin at the value that its parent has at the step before.
    static void joinParent(std::vector<SeriesPoint>& points, const RunTrace& trace, const Series& parents);

    LineLayer* m_lines;  // owned by the plot, as all its parts
    GlyphRow* m_glyphs;
    PanelTitle* m_title;
    QSharedPointer<ValueTicker> m_ticker;
    bool m_isCompact = false;

private:
    QCPAxisRect* m_rect;
};

}  // namespace mantissa::gui
