// SPDX-License-Identifier: GPL-3.0-or-later
// All plots of the lab on one canvas, above each other with one x axis: loss, loss scale, skipped steps, gradient norm and throughput, or
// those that were chosen.
// Redraws at most once a frame, however fast steps arrive. GUI thread only.
#pragma once

#include <QElapsedTimer>
#include <QWidget>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gui/link/lab.h"
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
class Hands;
class LossPanel;
class Panel;
class ThroughputLine;
struct PlotFrame;

/// A plot of the board, by the key of its panel.
struct PlotPlace {
    std::string key;
    double share = 0;  // of the axes' heights, against the others'; 0: as usual
    bool operator==(const PlotPlace&) const = default;
};

/// Which plots there are, from top to bottom, and how they are scaled and smoothed: by hand or as they come.
struct AxisChoices {
    XAxis x;
    std::map<std::string, AxisScale> scales;  // by the panel's key
    double smoothing = 0;
    std::vector<PlotPlace> plots;
    bool operator==(const AxisChoices&) const = default;
};

/// Off; the line alone; the line, and the read-out follows it.
enum class CrosshairMode { Off, Crosshair, Values };

class PlotBoard : public QWidget {
    Q_OBJECT
public:
    explicit PlotBoard(Lab* lab, QWidget* parent = nullptr);
    ~PlotBoard() override;

    /// Frozen: everything holds still at the step of that moment, while the lab's data goes on growing.
    void setFrozen(bool frozen);
    bool isFrozen() const { return m_frozen.has_value(); }
    void setFollow(FollowMode mode);
    FollowMode follow() const { return m_view.mode(); }
    void setCrosshairMode(CrosshairMode mode);
    CrosshairMode crosshairMode() const { return m_crosshairMode; }
    void cycleCrosshair();
    /// Puts the crosshair on a step and holds it there; -1 takes it away. Brings the step into view.
    void setCursor(std::int64_t step);
    std::int64_t cursor() const;
    /// The same while it is held there; -1 when it only follows the pointer.
    std::int64_t heldStep() const;
    /// Factor of the exponential average, 0 (none) to 0.999.
    void setSmoothing(double factor);
    double smoothing() const { return m_smoothing; }
    /// How the lines of a metric are smoothed on the axis that they have now.
    Smoothing smoothingOf(std::string_view key) const;
    /// Brings this stretch of the x axis on screen, as a hand would.
    void showX(const Span& x);
    void fitAll();
    void previousView();
    void nextView();

    // Two cursors beside the crosshair (plot_board_cursors.cpp).
    const CursorPair& cursorPair() const;
    /// Puts one on a step; -1: where the crosshair is, and without it at the last step in view. False: they are locked, or there is no
    /// step.
    bool placeCursor(CursorName name, std::int64_t step = -1);
    void lockCursors(bool locked);
    /// Both, locked or not.
    void removeCursors();
    /// Where a step lies in the canvas, in pixels from its left.
    double pixelOf(std::int64_t step) const;
    /// The form for small windows: less air, short flags, throughput folded into a line.
    void setCompact(bool compact);
    /// For a room: everything drawn is `zoom` times as large, and each line says at its end what it is. 1: as at a desk.
    void setPresenting(double zoom);
    bool isPresenting() const;
    bool showsAlone() const { return !m_alone.empty(); }
    /// These plots alone, for a room, a lesson or a picture; none: those that were chosen.
    void showAlone(const std::vector<std::string>& keys);

    // Which plots there are (plot_board_choice.cpp).
    static const std::vector<PlotPlace>& usualPlots();
    const std::vector<PlotPlace>& plots() const { return m_plots; }
    /// From top to bottom. Keys that no run has are kept, and their plots come with the first run that has them. Empty: the usual ones.
    void setPlots(std::vector<PlotPlace> plots);
    bool isChosen(const std::string& key) const;
    /// Below the others, or away; the last one stays.
    void choosePlot(const std::string& key, bool chosen);
    /// By one place: up (-1) or down (1). False where there is none.
    bool movePlot(const std::string& key, int by);
    /// The keys of all that can be shown: the usual ones, the known ones, and those that a run has from a file.
    std::vector<std::string> offeredPlots() const;
    QString titleOf(const std::string& key) const;

    // The axes (plot_board_axes.cpp). Panels by their place in `panels`.
    /// What the x axis counts. The same steps stay in view.
    void setXAxis(const XAxis& axis);
    const XAxis& xAxis() const { return m_xAxis; }
    /// Where a step stands on it, by the measure of the chosen run.
    double xOf(std::int64_t step) const;
    /// The steps that a panel has in view, of any run: first and the one after the last. -1: the panels that share their x axis.
    std::pair<std::int64_t, std::int64_t> stepsInView(int panel = -1) const;
    void setScale(int panel, AxisScale scale);
    /// Logarithmic or linear; -1: the loss. False where there is no choice.
    bool toggleLog(int panel);
    AxisChoices axisChoices() const;
    /// Where a panel leaves no choice, it stays as it is.
    void setAxisChoices(const AxisChoices& choices);
    /// Outliers too, or what most of the values need.
    void setFitsEverything(int panel, bool everything);
    /// Gives the panel's axes back to the data.
    void fitPanel(int panel);
    /// Whether a panel shares the x axis of the others.
    void setLinked(int panel, bool linked);
    bool isLinked(int panel) const { return m_view.isLinked(panel); }
    /// Makes the other runs faint in all panels; -1: none stands out.
    void highlight(RunId run);
    /// The same for a moment, as when a key has chosen it.
    void flash(RunId run);
    RunId highlighted() const { return m_highlighted; }
    /// How long the line of a run that a lesson reveals takes to draw itself; 0: it is there at once.
    void setDrawingTime(double milliseconds) { m_drawingMs = milliseconds; }

    // For pictures of it, which are drawn on a board of their own (board_picture.h).
    /// The panel under the pointer; -1: none.
    int pointedPanel() const;
    /// The keys of a panel's series; of all shown ones for -1.
    std::vector<std::string> keys(int panel) const;
    /// Shows what another board shows, as it shows it.
    void takeView(const PlotBoard& other);
    /// One panel alone; -1: all.
    void showOnly(int panel);
    void paint(QCPPainter* painter);

    Canvas* canvas() const { return m_canvas; }
    /// In the order in which they were made; not all are shown.
    const std::vector<std::unique_ptr<Panel>>& panels() const { return m_panels; }
    /// From top to bottom.
    const std::vector<Panel*>& shownPanels() const { return m_shownPanels; }
    /// Null: it is not there.
    const Panel* panelOf(std::string_view key) const;
    const FlagStrip& flags() const { return *m_flags; }
    const EventLines& events() const { return *m_eventLines; }
    const RunTrace& trace(RunId run) const { return *m_traces.at(run); }
    /// Who is not on the x axis, in words; empty: everybody is.
    QString absentRuns() const;
    const EndLabels& endLabels() const { return *m_endLabels; }
    /// Draws what is pending now instead of at the next frame.
    void refreshNow();
    /// What it keeps beside the lab's data: smoothed series, places of non-finite values.
    std::size_t traceBytes() const;

signals:
    void followChanged(mantissa::gui::FollowMode mode);
    void frozenChanged(bool frozen);
    void unseenStepsChanged(qint64 count);
    void viewMoved();     // other steps are on screen
    void steppedByKey();  // the crosshair went on by a key: to be said aloud
    /// The step that a read-out should show: the crosshair's, the frozen one, or -1 for the latest.
    void cursorMoved(qint64 step);
    void smoothingChanged(double factor);
    void linesSmoothed();  // lines are smoothed otherwise than before: by another factor, or on another axis
    void axesChosen();     // axisChoices() are others
    void plotsShown();     // others than before
    /// What can be done at a step, asked for at a place of the screen. The crosshair is held there.
    void menuRequested(qint64 step, QPoint place);
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
    /// The steps that there were when the view was frozen: of all runs, of those that train, of each. A run that came later had none.
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
    void connectHands();
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
    void sendCursor();
    void connectCursors();
    void describe();
    std::int64_t shownSteps() const;
    std::int64_t liveSteps() const;
    /// What there is to view on the x axis.
    Reach viewedSteps() const;
    std::int64_t shownStepsOf(const RunState& run) const;
    /// How far a run's line has drawn itself.
    std::int64_t drawnSteps(const RunTrace& trace);
    PlotFrame makeFrame() const;
    // plot_board_axes.cpp
    void connectAxes();
    void linkPanel(int panel, PlotFrame& frame) const;
    const RunState* measure() const;  // the run whose steps the crosshair goes by; null: none can be placed
    std::int64_t stepAt(double x) const;
    std::int64_t sampleBeside(std::int64_t step, std::int64_t by) const;
    std::int64_t sampleNear(double step) const;
    int indexOf(const Panel* panel) const;
    enum class Part { None, Inside, Header, YAxis, XAxis };
    std::pair<int, Part> partAt(QPointF place) const;
    void pointAtHeader(int panel);
    void pointAtRun(QPointF place);
    void showMenu(int panel, Part part, QPoint place);
    bool labelsSteps(std::size_t shown) const;
    void refreshLinks();
    void refreshXName();

    // From begin to begin at least: a step that has just missed a frame waits for the next one, and for that to be drawn.
    static constexpr double kFrameMs = 6;
    static constexpr double kLongestPauseMs = 100;  // from a frame's end to the next
    static constexpr int kFlashMs = 2000;
    static constexpr int kEdge = 3;  // the frozen edge; always kept free, so that freezing moves nothing

    Lab* m_lab;
    Canvas* m_canvas;
    std::vector<std::unique_ptr<Panel>> m_panels;
    LossPanel* m_loss = nullptr;
    std::vector<Panel*> m_shownPanels;              // without a folded one
    std::vector<PlotPlace> m_plots;                 // that were chosen
    std::map<std::string, AxisScale> m_keptScales;  // as chosen, of plots too that no file has brought yet
    std::vector<std::string> m_alone;               // shown in their place; none: they are
    QCPMarginGroup* m_margins = nullptr;
    std::map<RunId, std::unique_ptr<RunTrace>> m_traces;
    CursorLines* m_cursorLines = nullptr;  // owned by the canvas, as are the next five
    Crosshair* m_crosshair = nullptr;
    EventLines* m_eventLines = nullptr;
    FlagStrip* m_flags = nullptr;
    GlyphLegend* m_legend = nullptr;
    EndLabels* m_endLabels = nullptr;
    Hands* m_hands;
    QPushButton* m_followButton;
    QPushButton* m_xName;   // the x axis' name; opens what else it could count
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
    Part m_pressedPart = Part::None;
    CrosshairMode m_crosshairMode = CrosshairMode::Values;
    double m_smoothing = 0.9;
    std::vector<Smoothing> m_smoothings;  // of each panel, when it was drawn last
    std::vector<Smoothing> panelSmoothings() const;
    std::optional<FrozenSteps> m_frozen;       // nothing: live
    std::map<RunId, QElapsedTimer> m_drawing;  // lines that draw themselves, since when
    double m_drawingMs = 1500;
    std::int64_t m_sentCursor = -1;
    QElapsedTimer m_sinceFrame;  // since the last frame began
    double m_frameMs = 0;        // what drawing took
    double m_meanFrameMs = 0;    // and takes of late; 0: not known
    bool m_isPinned = false;     // the crosshair stays when the pointer leaves
    bool m_isCompact = false;
    bool m_isThroughputUnfolded = false;
    bool m_showsFocus = false;  // the focus came by keyboard
};

}  // namespace mantissa::gui
