// SPDX-License-Identifier: GPL-3.0-or-later
// Shows changed settings, notes and checkpoints on the plots: a dashed line through every panel, and a flag with a text above the first
// one. GUI thread only.
#pragma once

#include <vector>

#include "gui/link/session_model.h"
#include "gui/plots/folding.h"
#include "gui/plots/plot_item.h"

namespace mantissa::gui {

/// The lines; `rects` are the panels that they cross.
class EventLines : public PlotItem {
public:
    explicit EventLines(QCustomPlot* plot) : PlotItem(plot, QStringLiteral("events"), nullptr, false) {}
    std::vector<QCPAxisRect*> rects;
    std::vector<double> places;  // axis coordinates, ascending
    std::vector<double> ticks;   // of states stored by the recording, which are many and drawn on the first panel's upper edge only

protected:
    void draw(QCPPainter* painter) override;
};

/// A marker and its axis coordinate: the same step may be elsewhere for another run.
struct PlacedMarker {
    const Marker* marker;
    double x;
};
struct PlacedNote {
    const Note* note;
    double x;
};

struct PlacedCheckpoint {
    const RunState* run;
    std::int64_t step;
    double x;
};

/// The flags: marker of the run and text; they flip, shorten and fold to avoid overlaps.
class FlagStrip : public PlotItem {
public:
    static constexpr int kHeight = 30;  // of the strip, above the axes

    FlagStrip(QCustomPlot* plot, QCPAxisRect* rect) : PlotItem(plot, QStringLiteral("glyphs"), rect) {}
    /// Moves the strip above another panel, `distance` pixels above its axes.
    void moveTo(QCPAxisRect* rect, int distance);
    /// Sets flags for these markers (ascending by place), notes and checkpoints, `withRunNames` if there is enough space.
    void setMarkers(const SessionModel& session, const std::vector<PlacedMarker>& markers, const std::vector<PlacedNote>& notes,
                    const std::vector<PlacedCheckpoint>& checkpoints, const Span& x, bool withRunNames);
    /// Returns the text of the flag at a position, one change a line; empty if there is none.
    QString textAt(QPointF position) const;
    const std::vector<FlagPlace>& places() const { return m_places; }
    /// Returns the text of folded flags: "lr: 6 changes" if all change one setting, else "6 changes".
    QString foldedText(const FlagPlace& place) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    struct Flag {
        int identity;  // -1: a note
        RunId run;
        std::int64_t step;
        double x;  // axis coordinate
        QString name;
        QStringList changes;  // of one run at one step: a change of format also changes the scaler
        QString setting;      // that all of them change; empty: a note, or several settings
        bool isNote() const { return identity < 0; }
        QString brief() const;
        QString full() const;
    };
    QRectF boxOf(const FlagPlace& place) const;
    int m_distance = 0;  // to the axes, in pixels
    std::vector<Flag> m_flags;
    std::vector<FlagSize> m_sizes;
    std::vector<FlagPlace> m_places;
};

}  // namespace mantissa::gui
