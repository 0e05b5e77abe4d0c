// SPDX-License-Identifier: GPL-3.0-or-later
// All plots on one canvas, stacked with a common x axis: loss, loss scale, skipped steps, gradient norm and throughput, or chosen ones.
// The board owns the parts that know axes, cursors, choice and traces, connects them, and redraws at most once per frame. Callers use the
// parts directly. GUI thread only.
#pragma once

#include "gui/plots/plot_choice.h"
#include "gui/plots/plot_cursors.h"
#include "gui/plots/plot_events.h"
#include "gui/plots/plot_pointer.h"
#include "gui/plots/run_highlight.h"

class QMenu;

namespace mantissa::gui {

class Delay;
class EndLabels;
class FrameTimer;
class GlyphLegend;
class PlotOverlays;
class ThroughputLine;

/// The plots from top to bottom, and their scales and smoothing, chosen or default.
struct AxisChoices {
    XAxis x;
    std::map<std::string, AxisScale> scales;  // by the panel's key
    double smoothing = 0;
    std::vector<PlotPlace> plots;
    bool operator==(const AxisChoices&) const = default;
};

class PlotBoard : public QWidget {
    Q_OBJECT
public:
    explicit PlotBoard(SessionModel* session, QWidget* parent = nullptr);
    ~PlotBoard() override;

    Canvas* canvas() const { return m_canvas; }
    const ShownSteps& steps() const { return m_steps; }
    const PlotPanels& panels() const { return m_panels; }
    PlotChoice& choice() const { return *m_choice; }
    PlotAxes& axes() const { return *m_axes; }
    PlotTraces& traces() const { return *m_traces; }
    const PlotEvents& events() const { return m_events; }
    const EndLabels& endLabels() const { return *m_endLabels; }
    PlotCursors& cursors() const { return *m_cursors; }
    const PlotPointer& pointer() const { return *m_pointer; }
    RunHighlight& highlight() const { return *m_highlight; }

    /// Freezes the view at the current step, while the lab's data continue to grow.
    void setFrozen(bool frozen);
    /// Uses the form for small windows: less space, short flags, throughput folded into a line.
    void setCompact(bool compact);
    /// Uses the presentation form: everything is `zoom` times as large, with labels at the lines' ends. 1: the normal form.
    void setPresenting(double zoom);
    AxisChoices axisChoices() const { return {m_axes->xAxis(), m_panels.scales(), m_traces->smoothing(), m_choice->plots()}; }
    /// Applies choices; panels without a choice are unchanged.
    void setAxisChoices(const AxisChoices& choices);
    /// Copies the view of another board, for a picture (board_picture.h).
    void takeView(const PlotBoard& other);
    void paint(QCPPainter* painter);
    /// Draws what is pending now instead of at the next frame.
    void refreshNow();

signals:
    void frozenChanged(bool frozen);
    void unseenStepsChanged(qint64 count);
    void steppedByKey();  // the crosshair was moved by key, to be announced
    void axesChosen();    // axisChoices() have changed
    void plotsShown();    // the plots have changed
    /// Emitted when the menu of a step is requested, with its position on the screen, and the run whose mark was clicked; -1: none. The
    /// crosshair is held there.
    void menuRequested(qint64 step, QPoint place, int run);

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void connectSession();
    void connectInteraction();
    void connectParts();
    void arrangePanels();
    void applyTheme();
    void schedule();
    void noteSteps();
    void describe();
    void askAt(std::int64_t step, QPoint place, RunId run);
    QMenu* makeMenu();

    SessionModel* m_session;
    Canvas* m_canvas;
    PlotInteraction* m_interaction;
    ShownSteps m_steps;
    PlotPanels m_panels;
    std::unique_ptr<PlotChoice> m_choice;
    std::unique_ptr<PlotAxes> m_axes;
    std::unique_ptr<PlotTraces> m_traces;
    PlotEvents m_events;
    GlyphLegend* m_legend;  // owned by the canvas, as is the next one
    EndLabels* m_endLabels;
    std::unique_ptr<PlotCursors> m_cursors;
    std::unique_ptr<PlotPointer> m_pointer;
    std::unique_ptr<RunHighlight> m_highlight;
    std::unique_ptr<PlotOverlays> m_overlays;
    ThroughputLine* m_throughputLine;
    FrameTimer* m_frameTimer;
    Delay* m_describeTimer;
    bool m_showsFocus = false;  // it received the focus by Tab
};

}  // namespace mantissa::gui
