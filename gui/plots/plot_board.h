// SPDX-License-Identifier: GPL-3.0-or-later
// All plots on one canvas, stacked with a common x axis: loss, loss scale, skipped steps, gradient norm and throughput, or chosen ones.
// Redraws at most once per frame. GUI thread only.
#pragma once

#include <QElapsedTimer>
#include <QWidget>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gui/link/session_model.h"
#include "gui/plots/cursor_pair.h"
#include "gui/plots/run_trace.h"
#include "gui/plots/x_axis.h"

class QPushButton;
class QTimer;
class QCPMarginGroup;
class QCPPainter;

namespace mantissa::gui {

class Canvas;
class Crosshair;
class EmptyState;
class EndLabels;
class EventLines;
class FlagStrip;
class FrozenTab;
class GlyphLegend;
struct GlyphMark;
class PlotInteraction;
class LossPanel;
class Panel;
class ThroughputLine;
struct PlotFrame;

/// A plot of the board, by the key of its panel.
struct PlotPlace {
    std::string key;
    double share = 0;  // share of the axes' heights; 0: default
    bool operator==(const PlotPlace&) const = default;
};

/// The plots from top to bottom, and their scales and smoothing, chosen or default.
struct AxisChoices {
    XAxis x;
    std::map<std::string, AxisScale> scales;  // by the panel's key
    double smoothing = 0;
    std::vector<PlotPlace> plots;
    bool operator==(const AxisChoices&) const = default;
};

/// The modes of the crosshair: off; the line only; the line with the read-out.
enum class CrosshairMode { Off, Crosshair, Values };

class PlotBoard : public QWidget {
    Q_OBJECT
public:
    explicit PlotBoard(SessionModel* session, QWidget* parent = nullptr);
    ~PlotBoard() override;

    /// Freezes the view at the current step, while the lab's data continue to grow.
    void setFrozen(bool frozen);
    bool isFrozen() const { return m_frozen.has_value(); }
    void setFollow(FollowMode mode);
    FollowMode follow() const { return m_view.mode(); }
    void setCrosshairMode(CrosshairMode mode);
    CrosshairMode crosshairMode() const { return m_crosshairMode; }
    void cycleCrosshair();
    /// Sets the crosshair to a step and holds it there, and scrolls to it; -1 removes it.
    void setCursor(std::int64_t step);
    std::int64_t cursor() const;
    /// Returns the crosshair's step while it is held there; -1 if it follows the pointer.
    std::int64_t heldStep() const;
    /// Sets the factor of the exponential average, 0 (none) to 0.999.
    void setSmoothing(double factor);
    double smoothing() const { return m_smoothing; }
    /// Returns the smoothing of a metric's lines on their current axis.
    Smoothing smoothingOf(std::string_view key) const;
    /// Shows this range of the x axis, as if set by the user.
    void showX(const Span& x);
    void fitAll();
    void previousView();
    void nextView();

    // Two cursors beside the crosshair (plot_board_cursors.cpp).
    const CursorPair& cursorPair() const;
    /// Sets a cursor to a step; -1: the crosshair's, or without it the last step in view. Returns false if they are locked, or there is no
    /// step.
    bool placeCursor(CursorName name, std::int64_t step = -1);
    void lockCursors(bool locked);
    /// Removes both, locked or not.
    void removeCursors();
    /// Returns a step's position in the canvas, in pixels from its left.
    double pixelOf(std::int64_t step) const;
    /// Uses the form for small windows: less space, short flags, throughput folded into a line.
    void setCompact(bool compact);
    /// Uses the presentation form: everything is `zoom` times as large, with labels at the lines' ends. 1: the normal form.
    void setPresenting(double zoom);
    bool isPresenting() const;
    bool showsAlone() const { return !m_alone.empty(); }
    /// Shows only these plots, for a presentation, a lesson or a picture; none: the chosen ones.
    void showAlone(const std::vector<std::string>& keys);

    // The choice of plots (plot_board_choice.cpp).
    static const std::vector<PlotPlace>& usualPlots();
    const std::vector<PlotPlace>& plots() const { return m_plots; }
    /// Sets the plots from top to bottom. Keys that no run has are kept, and their plots appear with the first run that has them. Empty:
    /// the default ones.
    void setPlots(std::vector<PlotPlace> plots);
    bool isChosen(const std::string& key) const;
    /// Adds a plot below the others, or removes it; the last one stays.
    void choosePlot(const std::string& key, bool chosen);
    /// Moves a plot one place up (-1) or down (1). Returns false if it is at the end.
    bool movePlot(const std::string& key, int by);
    /// Returns the keys of all possible plots: the default ones, the known ones, and those of imported runs.
    std::vector<std::string> offeredPlots() const;
    QString titleOf(const std::string& key) const;

    // The axes (plot_board_axes.cpp). Panels are given by their index in `panels`.
    /// Sets the quantity of the x axis. The visible steps stay.
    void setXAxis(const XAxis& axis);
    const XAxis& xAxis() const { return m_xAxis; }
    /// Returns a step's coordinate on the x axis for the reference run.
    double xOf(std::int64_t step) const;
    /// Returns the visible steps of a panel, of any run: first and one past the last. -1: the panels that share their x axis.
    std::pair<std::int64_t, std::int64_t> stepsInView(int panel = -1) const;
    void setScale(int panel, AxisScale scale);
    /// Toggles logarithmic and linear; -1: the loss. Returns false if there is no choice.
    bool toggleLog(int panel);
    AxisChoices axisChoices() const;
    /// Applies choices; panels without a choice are unchanged.
    void setAxisChoices(const AxisChoices& choices);
    /// Sets whether the range includes outliers, or only most of the values.
    void setFitsEverything(int panel, bool everything);
    /// Resets the panel's axes to automatic ranges.
    void fitPanel(int panel);
    /// Sets whether a panel shares the x axis of the others.
    void setLinked(int panel, bool linked);
    bool isLinked(int panel) const { return m_view.isLinked(panel); }
    /// Highlights a run: the others are faint in all panels; -1: none.
    void highlight(RunId run);
    /// Highlights a run briefly, as when it was selected by key.
    void flash(RunId run);
    RunId highlighted() const { return m_highlighted; }
    /// Sets the duration of the animation of a run that a lesson reveals; 0: none.
    void setDrawingTime(double milliseconds) { m_drawingMs = milliseconds; }

    // For pictures, which use a separate board (board_picture.h).
    /// Returns the panel under the pointer; -1: none.
    int pointedPanel() const;
    /// Returns the keys of a panel's series; -1: of all visible panels.
    std::vector<std::string> keys(int panel) const;
    /// Copies the view of another board.
    void takeView(const PlotBoard& other);
    /// Shows only one panel; -1: all.
    void showOnly(int panel);
    void paint(QCPPainter* painter);

    Canvas* canvas() const { return m_canvas; }
    /// Returns all panels, including hidden ones, in the order of their creation.
    const std::vector<std::unique_ptr<Panel>>& panels() const { return m_panels; }
    /// Returns the visible panels from top to bottom.
    const std::vector<Panel*>& shownPanels() const { return m_shownPanels; }
    /// Returns a panel by key; null: none.
    const Panel* panelOf(std::string_view key) const;
    const FlagStrip& flags() const { return *m_flags; }
    const EventLines& events() const { return *m_eventLines; }
    const RunTrace& trace(RunId run) const { return *m_traces.at(run); }
    /// Returns the names of runs that are not on the x axis; empty: none.
    QString absentRuns() const;
    const EndLabels& endLabels() const { return *m_endLabels; }
    /// Draws what is pending now instead of at the next frame.
    void refreshNow();
    /// Returns the memory in bytes that it uses beside the lab's data: smoothed series, positions of non-finite values.
    std::size_t traceBytes() const;

signals:
    void followChanged(mantissa::gui::FollowMode mode);
    void frozenChanged(bool frozen);
    void unseenStepsChanged(qint64 count);
    void viewMoved();     // other steps are visible
    void steppedByKey();  // the crosshair was moved by key, to be announced
    /// Emitted with the step for the read-out: the crosshair's, the frozen one, or -1 for the latest.
    void cursorMoved(qint64 step);
    void heldChanged(bool held);  // whether the crosshair stays at its step
    void smoothingChanged(double factor);
    void linesSmoothed();  // the smoothing of lines has changed: another factor, or another axis
    void axesChosen();     // axisChoices() have changed
    void plotsShown();     // the plots have changed
    /// Emitted when the menu of a step is requested, with its position on the screen, and the run whose mark was clicked; -1: none. The
    /// crosshair is held there.
    void menuRequested(qint64 step, QPoint place, int run);
    void crosshairModeChanged(mantissa::gui::CrosshairMode mode);
    void cursorsChanged();

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    /// The numbers of steps when the view was frozen: of all runs, of live runs, of each. A later run has none.
    struct FrozenSteps {
        std::int64_t all = 0, live = 0;
        std::map<RunId, std::int64_t> ofRun;
    };

    void makePanels();
    void makeChosen(const std::string& key);
    void makeForeign();
    std::vector<PlotPlace> wantedPlots() const;
    void dragBorder(int shown, double by);
    void connectLab();
    void connectInteraction();
    void arrangePanels();
    void rebuildRuns();
    void applyTheme();
    void schedule();
    void noteSteps();
    void placeOverlays();
    void setPanelMargins();
    void refreshEvents();
    void refreshCrosshair();
    void viewChanged(FollowMode before);
    void pointAt(std::int64_t step);
    void setHeld(bool held);
    void sendCursor();
    void connectCursors();
    void describe();
    std::int64_t shownSteps() const;
    std::int64_t liveSteps() const;
    /// Returns the extent of the data on the x axis.
    Reach viewedSteps() const;
    std::int64_t shownStepsOf(const RunState& run) const;
    /// Returns how many steps of a run's line the animation shows.
    std::int64_t drawnSteps(const RunTrace& trace);
    PlotFrame makeFrame() const;
    // plot_board_axes.cpp
    void connectAxes();
    void linkPanel(int panel, PlotFrame& frame) const;
    const RunState* measure() const;  // the reference run of the crosshair's steps; null: none can be placed
    std::int64_t stepAt(double x) const;
    std::int64_t clickedStep(double x) const;  // a lost step within a few pixels, otherwise stepAt
    std::int64_t sampleBeside(std::int64_t step, std::int64_t by) const;
    std::int64_t sampleNear(double step) const;
    int indexOf(const Panel* panel) const;
    enum class Part { None, Inside, Header, YAxis, XAxis, Mark };
    std::pair<int, Part> partAt(QPointF place) const;
    void pointAtHeader(int panel);
    void pointAtMark(bool isMark);
    const GlyphMark* markAt(QPointF place) const;
    QString markText(QPointF place) const;
    void askAt(std::int64_t step, QPoint place, RunId run = -1);
    void pointAtRun(QPointF place);
    void showMenu(int panel, Part part, QPoint place);
    bool labelsSteps(std::size_t shown) const;
    void refreshLinks();
    void refreshXName();

    // The least time from the start of a frame to the next: a step that has just missed a frame waits for the next one and its drawing.
    static constexpr double kFrameMs = 6;
    static constexpr double kLongestPauseMs = 100;  // from a frame's end to the next
    static constexpr int kFlashMs = 2000;
    static constexpr int kEdge = 3;  // the frozen edge; always reserved, so that freezing moves nothing

    SessionModel* m_session;
    Canvas* m_canvas;
    std::vector<std::unique_ptr<Panel>> m_panels;
    LossPanel* m_loss = nullptr;
    std::vector<Panel*> m_shownPanels;              // without a folded one
    std::vector<PlotPlace> m_plots;                 // the chosen ones
    std::map<std::string, AxisScale> m_keptScales;  // as chosen, also of plots that no run has yet
    std::vector<std::string> m_alone;               // shown instead of them; empty: they are shown
    QCPMarginGroup* m_margins = nullptr;
    std::map<RunId, std::unique_ptr<RunTrace>> m_traces;
    CursorLines* m_cursorLines = nullptr;  // owned by the canvas, as are the next five
    Crosshair* m_crosshair = nullptr;
    EventLines* m_eventLines = nullptr;
    FlagStrip* m_flags = nullptr;
    GlyphLegend* m_legend = nullptr;
    EndLabels* m_endLabels = nullptr;
    PlotInteraction* m_interaction;
    QPushButton* m_followButton;
    QPushButton* m_xName;   // the x axis' name; opens a menu of quantities
    QPushButton* m_choose;  // opens the list of plots
    FrozenTab* m_frozenTab;
    EmptyState* m_empty;
    ThroughputLine* m_throughputLine;
    QTimer* m_frameTimer;
    QTimer* m_describeTimer;
    QTimer* m_flashTimer;

    ViewState m_view;
    XAxis m_xAxis;
    RunId m_highlighted = -1;
    int m_pointedHeader = -1;
    bool m_isMarkPointed = false;
    Part m_pressedPart = Part::None;
    CrosshairMode m_crosshairMode = CrosshairMode::Values;
    double m_smoothing = 0.9;
    std::vector<Smoothing> m_smoothings;  // of each panel, as last drawn
    std::vector<Smoothing> panelSmoothings() const;
    std::optional<FrozenSteps> m_frozen;       // nothing: live
    std::map<RunId, QElapsedTimer> m_drawing;  // animated lines, since when
    double m_drawingMs = 1500;
    std::int64_t m_sentCursor = -1;
    QElapsedTimer m_sinceFrame;  // since the last frame began
    double m_frameMs = 0;        // duration of the last frame
    double m_meanFrameMs = 0;    // recent mean; 0: unknown
    bool m_isHeld = false;     // the crosshair stays when the pointer leaves
    bool m_isCompact = false;
    bool m_isThroughputUnfolded = false;
    bool m_showsFocus = false;  // received the focus by
};

}  // namespace mantissa::gui
