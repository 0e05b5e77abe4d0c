// SPDX-License-Identifier: GPL-3.0-or-later
// Applied settings and notes on the plots: a dashed line through every panel, and a flag above the first one that says what changed, or
// what was noted, or that a checkpoint was kept. GUI thread only.
#pragma once

#include <qcustomplot.h>

#include <vector>

#include "gui/link/lab.h"
#include "gui/plots/folding.h"

namespace mantissa::gui {

/// The lines; `rects` are the panels that they run through.
class EventLines : public QCPLayerable {
public:
    explicit EventLines(QCustomPlot* plot);
    std::vector<QCPAxisRect*> rects;
    std::vector<double> places;  // axis coordinates, ascending
    std::vector<double> ticks;   // of states that the recording stored: so many that they only stand on the first panel's upper edge

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;
};

/// A marker and where it stands, as axis coordinate: its run's step may lie elsewhere than another run's.
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

/// The flags: marker of the run and text; they flip, shorten and fold when they would touch.
class FlagStrip : public QCPLayerable {
public:
    static constexpr int kHeight = 30;  // of the strip, above the axes

    FlagStrip(QCustomPlot* plot, QCPAxisRect* rect);
    /// Above another panel, so many pixels above its axes.
    void moveTo(QCPAxisRect* rect, int distance);
    /// Flags for these markers (ascending by place), notes and checkpoints, `withRunNames` when there is room for more than the change.
    void setMarkers(const Lab& lab, const std::vector<PlacedMarker>& markers, const std::vector<PlacedNote>& notes,
                    const std::vector<PlacedCheckpoint>& checkpoints, const Span& x, bool withRunNames);
    /// What the flag at a place stands for, one change a line; empty beside flags.
    QString textAt(QPointF position) const;
    const std::vector<FlagPlace>& places() const { return m_places; }

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    struct Flag {
        int identity;  // -1: a note
        RunId run;
        std::int64_t step;
        double x;  // axis coordinate
        QString name;
        QStringList changes;  // of one run at one step: a switch of format also changes the scaler
        bool isNote() const { return identity < 0; }
        QString brief() const;
        QString full() const;
    };
    QRectF boxOf(const FlagPlace& place) const;
    QFont font() const;
    QCPAxisRect* m_rect;
    int m_distance = 0;  // to the axes, in pixels
    std::vector<Flag> m_flags;
    std::vector<FlagSize> m_sizes;
    std::vector<FlagPlace> m_places;
};

}  // namespace mantissa::gui
