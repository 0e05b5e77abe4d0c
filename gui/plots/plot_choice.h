// SPDX-License-Identifier: GPL-3.0-or-later
// Which plots are shown, in which order and with which heights: those that the user chose, or for a time others in their place. In the
// compact form throughput is folded into a line. It changes no panel. GUI thread only.
#pragma once

#include <algorithm>

#include "gui/plots/plot_panels.h"

namespace mantissa::gui {

class PlotChoice : public QObject {
    Q_OBJECT
public:
    /// `panels`: the plots that exist; keys without a panel can be chosen too.
    PlotChoice(const SessionModel* session, const PlotPanels& panels) : m_session(session), m_panels(panels), m_plots(usual()) {}

    /// Returns the default plots.
    static const std::vector<PlotPlace>& usual();
    /// Returns the chosen plots from top to bottom.
    const std::vector<PlotPlace>& plots() const { return m_plots; }
    /// Sets the plots from top to bottom. Keys that no run has are kept, and their plots appear with the first run that has them. Empty:
    /// the default ones.
    void setPlots(std::vector<PlotPlace> plots);
    bool isChosen(const std::string& key) const { return std::ranges::find(m_plots, key, &PlotPlace::key) != m_plots.end(); }
    /// Adds a plot below the others, or removes it; the last one stays.
    void choose(const std::string& key, bool chosen);
    /// Moves a plot one place up (-1) or down (1). Returns false if it is at the end.
    bool move(const std::string& key, int by);
    /// Moves the lower border of a visible plot by pixels: it gains the height that the next one loses.
    void dragBorder(int shown, double by);
    /// Returns the keys of all possible plots: the default ones, the known ones, and those of imported runs.
    std::vector<std::string> offered() const;

    /// Shows only these plots, for a presentation, a lesson or a picture; none: the chosen ones.
    void showAlone(const std::vector<std::string>& keys);
    bool showsAlone() const { return !m_alone.empty(); }
    /// Shows only one panel; -1: all.
    void showOnly(int panel);
    void setCompact(bool compact) { m_isCompact = compact; }
    bool isCompact() const { return m_isCompact; }
    /// Shows the throughput of the compact form as a plot, or again as a line. Returns whether it is a plot.
    bool toggleThroughput() { return m_isThroughputUnfolded = !m_isThroughputUnfolded; }
    /// Returns whether the line of the throughput is shown, in the place of its plot or with it.
    bool hasThroughputLine() const { return m_isCompact && !showsAlone() && isChosen(keyOf(Metric::SamplesPerSecond)); }

    /// Returns the plots to be shown that have panels, each with its share of the height.
    std::vector<PlotPlace> wanted() const;
    /// Returns the keys of a panel's series; -1: of all visible panels.
    std::vector<std::string> keys(int panel) const;
    /// Copies the plots of another board.
    void take(const PlotChoice& other);

signals:
    void plotsChanged();  // other plots, another order or other heights are wanted
    void aloneChanged();  // the same, as other plots are shown alone
    void chosen();        // plots() have changed; after plotsChanged

private:
    const SessionModel* m_session;
    const PlotPanels& m_panels;
    std::vector<PlotPlace> m_plots;    // the chosen ones
    std::vector<std::string> m_alone;  // shown instead of them; empty: they are shown
    bool m_isCompact = false;
    bool m_isThroughputUnfolded = false;
};

}  // namespace mantissa::gui
