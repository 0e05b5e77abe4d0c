// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of the board's plots, their order and heights.
#include <algorithm>
#include <utility>

#include "gui/plots/canvas.h"
#include "gui/plots/metric_panels.h"
#include "gui/plots/plot_board.h"

namespace mantissa::gui {
namespace {

constexpr double kLeastHeight = 40;  // px; least height of a plot's axes after dragging

/// The usual share of the axes' heights.
double usualShare(std::string_view key, bool isCompact) {
    struct Share {
        Metric metric;
        double full, compact;
    };
    static constexpr Share kShares[] = {{Metric::Loss, 270, 206},
                                        {Metric::LossScale, 120, 80},
                                        {Metric::SkippedTotal, 104, 48},
                                        {Metric::GradNorm, 96, 64},
                                        {Metric::SamplesPerSecond, 64, 48}};
    for (const Share& share : kShares)
        if (metricName(share.metric) == key) return isCompact ? share.compact : share.full;
    return isCompact ? 72 : 110;
}

}  // namespace

const std::vector<PlotPlace>& PlotBoard::usualPlots() {
    static const std::vector<PlotPlace> kPlots = [] {
        std::vector<PlotPlace> plots;
        for (const Metric metric : {Metric::Loss, Metric::LossScale, Metric::SkippedTotal, Metric::GradNorm, Metric::SamplesPerSecond})
            plots.push_back({keyOf(metric)});
        return plots;
    }();
    return kPlots;
}

const Panel* PlotBoard::panelOf(std::string_view key) const {
    const auto it = std::find_if(m_panels.begin(), m_panels.end(), [&](const auto& panel) { return panel->key() == key; });
    return it == m_panels.end() ? nullptr : it->get();
}

void PlotBoard::makeChosen(const std::string& key) {
    m_panels.push_back(std::make_unique<ChosenPanel>(m_canvas, m_margins, key, ChosenPanel::kindOf(key)));
    m_panels.back()->rect()->setVisible(false);
    m_panels.back()->applyTheme();
    if (const auto kept = m_keptScales.find(key); kept != m_keptScales.end()) m_panels.back()->setScale(kept->second);
}

/// Creates panels for quantities that only files have.
void PlotBoard::makeForeign() {
    bool isWanted = false;
    for (const auto& run : m_session->runs())
        for (const auto& [key, series] : run->named) {
            if (panelOf(key)) continue;
            makeChosen(key);
            isWanted |= isChosen(key);
        }
    if (isWanted) arrangePanels();
}

/// Plots to be shown, each with its share of the height.
std::vector<PlotPlace> PlotBoard::wantedPlots() const {
    std::vector<PlotPlace> wanted;
    if (!m_alone.empty()) {
        // In Present the first plot is the largest, whichever it is.
        for (const std::string& key : m_alone)
            if (panelOf(key)) wanted.push_back({key, usualShare(usualPlots()[std::min<std::size_t>(wanted.size(), 4)].key, m_isCompact)});
        if (!wanted.empty()) return wanted;
    }
    const bool foldsThroughput = m_isCompact && !m_isThroughputUnfolded;
    for (const PlotPlace& place : m_plots) {
        if (!panelOf(place.key) || (foldsThroughput && place.key == metricName(Metric::SamplesPerSecond))) continue;
        wanted.push_back({place.key, place.share > 0 ? place.share : usualShare(place.key, m_isCompact)});
    }
    if (wanted.empty()) wanted.push_back({keyOf(Metric::Loss), 1});
    return wanted;
}

void PlotBoard::setPlots(std::vector<PlotPlace> plots) {
    if (plots.empty()) plots = usualPlots();
    if (plots == m_plots) return;
    m_plots = std::move(plots);
    arrangePanels();
    emit axesChosen();
}

bool PlotBoard::isChosen(const std::string& key) const {
    return std::any_of(m_plots.begin(), m_plots.end(), [&](const PlotPlace& place) { return place.key == key; });
}

void PlotBoard::choosePlot(const std::string& key, bool chosen) {
    std::vector<PlotPlace> plots = m_plots;
    if (chosen == isChosen(key) || (!chosen && plots.size() == 1)) return;
    if (!chosen) {
        std::erase_if(plots, [&](const PlotPlace& place) { return place.key == key; });
        return setPlots(std::move(plots));
    }
    // Heights set by dragging are in pixels: the new plot gets its usual share of them.
    double given = 0, usual = 0;
    for (const PlotPlace& place : plots)
        if (place.share > 0) given += place.share, usual += usualShare(place.key, m_isCompact);
    plots.push_back({key, given > 0 ? usualShare(key, m_isCompact) * given / usual : 0});
    setPlots(std::move(plots));
}

bool PlotBoard::movePlot(const std::string& key, int by) {
    std::vector<PlotPlace> plots = m_plots;
    const auto from = std::find_if(plots.begin(), plots.end(), [&](const PlotPlace& place) { return place.key == key; });
    const auto to = from - plots.begin() + by;
    if (from == plots.end() || to < 0 || to >= std::ssize(plots)) return false;
    std::iter_swap(from, plots.begin() + to);
    setPlots(std::move(plots));
    return true;
}

std::vector<std::string> PlotBoard::offeredPlots() const {
    const auto hasValues = [this](const std::string& key) {
        return std::any_of(m_session->runs().begin(), m_session->runs().end(), [&](const auto& run) {
            const Series* series = run->series(key);
            return series && !series->isEmpty();
        });
    };
    std::vector<std::string> keys;
    for (const auto& panel : m_panels) {
        const auto* chosen = dynamic_cast<const ChosenPanel*>(panel.get());
        if (!chosen || !chosen->isForeign() || isChosen(panel->key()) || hasValues(panel->key())) keys.push_back(panel->key());
    }
    return keys;
}

QString PlotBoard::titleOf(const std::string& key) const {
    const Panel* panel = panelOf(key);
    return panel ? panel->title().title : QString::fromStdString(key);
}

/// Moves the border of two plots: one gains the height that the other loses. The current heights are kept.
void PlotBoard::dragBorder(int shown, double by) {
    const auto upper = static_cast<std::size_t>(shown);
    if (upper + 1 >= m_shownPanels.size() || !m_alone.empty()) return;
    const double above = m_shownPanels[upper]->rect()->height(), below = m_shownPanels[upper + 1]->rect()->height();
    by = std::clamp(by, std::min(0.0, kLeastHeight - above), std::max(0.0, below - kLeastHeight));
    std::vector<PlotPlace> plots = m_plots;
    for (PlotPlace& place : plots) {
        const auto it =
            std::find_if(m_shownPanels.begin(), m_shownPanels.end(), [&](const Panel* panel) { return panel->key() == place.key; });
        if (it == m_shownPanels.end()) continue;
        place.share = (*it)->rect()->height();
        if (*it == m_shownPanels[upper]) place.share += by;
        if (*it == m_shownPanels[upper + 1]) place.share -= by;
    }
    setPlots(std::move(plots));
}

}  // namespace mantissa::gui
