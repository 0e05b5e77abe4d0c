// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/plot_choice.h"

#include <algorithm>
#include <utility>

#include "gui/plots/metric_panels.h"

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

const std::vector<PlotPlace>& PlotChoice::usual() {
    static const std::vector<PlotPlace> kPlots = [] {
        std::vector<PlotPlace> plots;
        for (const Metric metric : {Metric::Loss, Metric::LossScale, Metric::SkippedTotal, Metric::GradNorm, Metric::SamplesPerSecond})
            plots.push_back({keyOf(metric)});
        return plots;
    }();
    return kPlots;
}

std::vector<PlotPlace> PlotChoice::wanted() const {
    std::vector<PlotPlace> wanted;
    if (!m_alone.empty()) {
        // In Present the first plot is the largest, whichever it is.
        for (const std::string& key : m_alone)
            if (m_panels.of(key)) wanted.push_back({key, usualShare(usual()[std::min<std::size_t>(wanted.size(), 4)].key, m_isCompact)});
        if (!wanted.empty()) return wanted;
    }
    const bool foldsThroughput = m_isCompact && !m_isThroughputUnfolded;
    for (const PlotPlace& place : m_plots) {
        if (!m_panels.of(place.key) || (foldsThroughput && place.key == metricName(Metric::SamplesPerSecond))) continue;
        wanted.push_back({place.key, place.share > 0 ? place.share : usualShare(place.key, m_isCompact)});
    }
    if (wanted.empty()) wanted.push_back({keyOf(Metric::Loss), 1});
    return wanted;
}

void PlotChoice::setPlots(std::vector<PlotPlace> plots) {
    if (plots.empty()) plots = usual();
    if (plots == m_plots) return;
    m_plots = std::move(plots);
    emit plotsChanged();
    emit chosen();
}

void PlotChoice::choose(const std::string& key, bool chosen) {
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

bool PlotChoice::move(const std::string& key, int by) {
    std::vector<PlotPlace> plots = m_plots;
    const auto from = std::ranges::find(plots, key, &PlotPlace::key);
    const auto to = from - plots.begin() + by;
    if (from == plots.end() || to < 0 || to >= std::ssize(plots)) return false;
    std::iter_swap(from, plots.begin() + to);
    setPlots(std::move(plots));
    return true;
}

std::vector<std::string> PlotChoice::offered() const {
    const auto hasValues = [this](const std::string& key) {
        return std::any_of(m_session->runs().begin(), m_session->runs().end(), [&](const auto& run) {
            const Series* series = run->series(key);
            return series && !series->isEmpty();
        });
    };
    std::vector<std::string> keys;
    for (const auto& panel : m_panels.all()) {
        const auto* chosen = dynamic_cast<const ChosenPanel*>(panel.get());
        if (!chosen || !chosen->isForeign() || isChosen(panel->key()) || hasValues(panel->key())) keys.push_back(panel->key());
    }
    return keys;
}

void PlotChoice::dragBorder(int shown, double by) {
    const auto upper = static_cast<std::size_t>(shown);
    const std::vector<Panel*>& panels = m_panels.shown();
    if (upper + 1 >= panels.size() || showsAlone()) return;
    const double above = panels[upper]->rect()->height(), below = panels[upper + 1]->rect()->height();
    by = std::clamp(by, std::min(0.0, kLeastHeight - above), std::max(0.0, below - kLeastHeight));
    std::vector<PlotPlace> plots = m_plots;
    for (PlotPlace& place : plots) {  // the other plots keep their current heights
        const auto it = std::find_if(panels.begin(), panels.end(), [&](const Panel* panel) { return panel->key() == place.key; });
        if (it == panels.end()) continue;
        place.share = (*it)->rect()->height();
        if (*it == panels[upper]) place.share += by;
        if (*it == panels[upper + 1]) place.share -= by;
    }
    setPlots(std::move(plots));
}

void PlotChoice::showAlone(const std::vector<std::string>& keys) {
    m_alone = keys;
    emit aloneChanged();
}

void PlotChoice::showOnly(int panel) {
    showAlone(panel < 0 ? std::vector<std::string>(m_alone) : std::vector<std::string>{m_panels.at(panel).key()});
}

std::vector<std::string> PlotChoice::keys(int panel) const {
    if (panel >= 0) return m_panels.at(panel).keys();
    std::vector<std::string> all;
    const auto add = [&](const std::string& plot) {
        if (const Panel* each = m_panels.of(plot))
            for (const std::string& key : each->keys())
                if (std::find(all.begin(), all.end(), key) == all.end()) all.push_back(key);
    };
    for (const std::string& plot : m_alone) add(plot);
    if (!all.empty()) return all;
    for (const PlotPlace& place : m_plots) add(place.key);  // a folded plot counts as shown, in one line
    return all;
}

void PlotChoice::take(const PlotChoice& other) {
    m_plots = other.m_plots;
    m_alone = other.m_alone;
}

}  // namespace mantissa::gui
