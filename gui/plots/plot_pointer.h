// SPDX-License-Identifier: GPL-3.0-or-later
// What is under the pointer: the part of a plot, the mark of a lost step, a run's line. It shows that headers and marks can be clicked,
// explains marks and flags in tool tips, and requests menus. GUI thread only.
#pragma once

#include "gui/plots/plot_panels.h"

namespace mantissa::gui {

class FlagStrip;
class PlotInteraction;

/// A part of a panel.
enum class PlotPart { None, Inside, Header, YAxis, XAxis, Mark };

class PlotPointer : public QObject {
    Q_OBJECT
public:
    PlotPointer(Canvas* canvas, const PlotInteraction* interaction, const SessionModel* session, const PlotPanels& panels,
                const FlagStrip& flags);

    /// Returns the index of the panel under the pointer; -1: none.
    int panel() const;
    /// Returns the run whose line is near a position, in layout pixels of the canvas; -1: none.
    RunId runAt(QPointF place) const;
    /// Requests the menu of the part at a position, to be opened at `screen`. Returns false inside and outside the plots, which have none.
    bool requestMenu(QPointF place, QPoint screen);

signals:
    void headerPointed();  // another title is drawn as pointed at, or none
    void menuRequested(int panel, mantissa::gui::PlotPart part, QPoint screen);
    void markMenuRequested(qint64 step, int run, QPoint screen);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    std::pair<int, PlotPart> partAt(QPointF place) const;
    const GlyphMark* markAt(QPointF place) const;
    QString markText(QPointF place) const;
    void pointAtHeader(int panel);
    void pointAtMark(bool isMark);

    Canvas* m_canvas;
    const PlotInteraction* m_interaction;
    const SessionModel* m_session;
    const PlotPanels& m_panels;
    const FlagStrip& m_flags;
    int m_pointedHeader = -1;
    bool m_isMarkPointed = false;
    PlotPart m_pressedPart = PlotPart::None;
};

}  // namespace mantissa::gui
