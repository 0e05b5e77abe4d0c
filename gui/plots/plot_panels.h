// SPDX-License-Identifier: GPL-3.0-or-later
// The panels of the plots: created with the canvas or for a file's series, found by key or index, and placed above each other. A panel's
// index is its position in the order of creation. GUI thread only.
#pragma once

#include "gui/plots/panel.h"

namespace mantissa::gui {

class Canvas;

/// A plot of the board, by the key of its panel.
struct PlotPlace {
    std::string key;
    double share = 0;  // share of the axes' heights; 0: default
    bool operator==(const PlotPlace&) const = default;
};

class PlotPanels {
public:
    /// Creates the panels of all known keys.
    explicit PlotPanels(Canvas* canvas);

    /// Returns all panels, including hidden ones, in the order of their creation.
    const std::vector<std::unique_ptr<Panel>>& all() const { return m_panels; }
    /// Returns the visible panels from top to bottom.
    const std::vector<Panel*>& shown() const { return m_shown; }
    Panel& at(int index) const { return *m_panels[static_cast<std::size_t>(index)]; }
    /// Returns a panel by key; null: none.
    Panel* of(std::string_view key) const;
    /// Returns the index of a panel by its axes; -1: none has them.
    int indexOf(const QCPAxisRect* rect) const;
    /// Returns the title of a key's panel; without a panel, the key.
    QString titleOf(const std::string& key) const;
    /// Returns the axes of the visible panels.
    std::vector<QCPAxisRect*> rects() const;
    /// Returns the position of an x coordinate of the first visible panel, in pixels from the canvas's left.
    double pixelOf(double x) const;

    /// Creates panels for series that only files have. Returns their keys.
    std::vector<std::string> addForeign(const SessionModel& session);
    /// Copies the panels of another board, in the same order, with their scales and kinds of range.
    void take(const PlotPanels& other);
    /// Returns the scales by key, also those kept for panels that do not exist yet.
    std::map<std::string, AxisScale> scales() const;
    /// Keeps scales for panels that are created later.
    void keepScales(const std::map<std::string, AxisScale>& scales) { m_keptScales = scales; }

    /// Marks the panels with a separate x axis. Returns whether there are others now.
    bool setLinks(const ViewState& view);
    /// Shows these plots, from top to bottom; each has a panel.
    void show(const std::vector<PlotPlace>& plots);
    /// Places the visible panels on the canvas, with `labelWidth` pixels at the right for labels at the lines' ends.
    void layOut(bool isCompact, int labelWidth);
    void setMargins(bool isCompact, int labelWidth);
    void applyTheme();

private:
    void add(const std::string& key);
    bool labelsSteps(std::size_t shown) const;

    Canvas* m_canvas;
    QCPMarginGroup* m_margins;  // owned by the canvas
    std::vector<std::unique_ptr<Panel>> m_panels;
    std::vector<Panel*> m_shown;
    std::vector<double> m_shares;                   // of their heights
    std::map<std::string, AxisScale> m_keptScales;  // as chosen, also of plots that no run has yet
};

}  // namespace mantissa::gui
