// SPDX-License-Identifier: GPL-3.0-or-later
// All plots of the lab on one canvas: loss, loss scale, skipped steps, gradient norm, throughput, above each other with one x axis.
// Redraws at most once a frame, however fast steps arrive. GUI thread only.
#pragma once

#include <QElapsedTimer>
#include <QWidget>
#include <map>
#include <memory>
#include <vector>

#include "gui/link/lab.h"
#include "gui/plots/view_state.h"

class QPushButton;
class QTimer;
class QCPPainter;

namespace mantissa::gui {

class Canvas;
class Crosshair;
class EmptyState;
class EventLines;
class FlagStrip;
class FrozenTab;
class GlyphLegend;
class Hands;
class LossPanel;
class Panel;
class ThroughputLine;
struct PlotFrame;
struct RunTrace;

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
    void setLogLoss(bool isLog);
    /// Factor of the exponential average, 0 (none) to 0.999.
    void setSmoothing(double factor);
    /// Brings these steps on screen, as a hand would.
    void showSteps(const Span& x);
    void fitAll();
    void previousView();
    /// The form for small windows: less air, short flags, throughput folded into a line.
    void setCompact(bool compact);

    // For pictures of it, which are drawn on a board of their own (board_picture.h).
    /// The panel under the pointer; -1: none.
    int pointedPanel() const;
    /// The quantities of a panel; of all of them for -1.
    std::vector<Metric> metrics(int panel) const;
    /// Shows what another board shows, as it shows it.
    void takeView(const PlotBoard& other);
    /// One panel alone; -1: all.
    void showOnly(int panel);
    void paint(QCPPainter* painter);

    Canvas* canvas() const { return m_canvas; }
    const std::vector<std::unique_ptr<Panel>>& panels() const { return m_panels; }
    const FlagStrip& flags() const { return *m_flags; }
    /// Draws what is pending now instead of at the next frame.
    void refreshNow();
    /// What it keeps beside the lab's data: smoothed series, places of non-finite values.
    std::size_t traceBytes() const;

signals:
    void followChanged(mantissa::gui::FollowMode mode);
    void frozenChanged(bool frozen);
    void unseenStepsChanged(qint64 count);
    /// The step that a read-out should show: the crosshair's, the frozen one, or -1 for the latest.
    void cursorMoved(qint64 step);
    void smoothingChanged(double factor);
    /// What can be done at a step, asked for at a place of the screen. The crosshair is held there.
    void menuWished(qint64 step, QPoint place);
    void crosshairModeChanged(mantissa::gui::CrosshairMode mode);

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// The steps that there were when the view was frozen: of all runs, of those that train, of each. A run that came later had none.
    struct FrozenSteps {
        std::int64_t all = 0, live = 0;
        std::map<RunId, std::int64_t> ofRun;
    };

    void makePanels();
    void connectLab();
    void connectHands();
    void arrangePanels();
    void rebuildRuns();
    void applyTheme();
    void schedule();
    void noteSteps();
    void placeOverlays();
    void refreshEvents();
    void refreshCrosshair();
    void viewChanged(FollowMode before);
    void pointAt(std::int64_t step);
    void sendCursor();
    void describe();
    std::int64_t shownSteps() const;
    std::int64_t liveSteps() const;
    std::int64_t viewedSteps() const;
    std::int64_t shownStepsOf(const RunState& run) const;
    PlotFrame makeFrame() const;

    static constexpr int kFrameMs = 10;  // so that a step which has just missed one is drawn within 16.7 ms all the same
    static constexpr int kEdge = 3;  // the frozen edge; always kept free, so that freezing moves nothing

    Lab* m_lab;
    Canvas* m_canvas;
    std::vector<std::unique_ptr<Panel>> m_panels;
    LossPanel* m_loss = nullptr;
    std::vector<Panel*> m_shownPanels;  // without a folded one
    int m_onlyPanel = -1;               // that is shown; -1: all are
    std::map<RunId, std::unique_ptr<RunTrace>> m_traces;
    Crosshair* m_crosshair = nullptr;  // owned by the canvas, as are the next three
    EventLines* m_eventLines = nullptr;
    FlagStrip* m_flags = nullptr;
    GlyphLegend* m_legend = nullptr;
    Hands* m_hands;
    QPushButton* m_followButton;
    FrozenTab* m_frozenTab;
    EmptyState* m_empty;
    ThroughputLine* m_throughputLine;
    QTimer* m_frameTimer;
    QTimer* m_describeTimer;

    ViewState m_view;
    CrosshairMode m_crosshairMode = CrosshairMode::Values;
    double m_smoothing = 0.9;
    std::optional<FrozenSteps> m_frozen;  // nothing: live
    std::int64_t m_sentCursor = -1;
    QElapsedTimer m_sinceFrame;  // since the last frame began
    int m_lastFrameMs = 0;
    bool m_isPinned = false;  // the crosshair stays when the pointer leaves
    bool m_isCompact = false;
    bool m_isThroughputUnfolded = false;
    bool m_showsFocus = false;  // the focus came by keyboard
};

}  // namespace mantissa::gui
