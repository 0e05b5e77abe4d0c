// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/plot_panels.h"

#include <algorithm>

#include "gui/plots/canvas.h"
#include "gui/plots/event_lines.h"
#include "gui/plots/metric_panels.h"
#include "gui/plots/scaler_panels.h"

namespace mantissa::gui {
namespace {

constexpr int kInnerLabels = 22;  // px below every panel but the last

}  // namespace

PlotPanels::PlotPanels(Canvas* canvas) : m_canvas(canvas), m_margins(new QCPMarginGroup(canvas)) {
    m_panels.push_back(std::make_unique<LossPanel>(m_canvas, m_margins));
    m_panels.push_back(std::make_unique<LossScalePanel>(m_canvas, m_margins));
    m_panels.push_back(std::make_unique<SkippedPanel>(m_canvas, m_margins));
    m_panels.push_back(std::make_unique<GradNormPanel>(m_canvas, m_margins));
    m_panels.push_back(std::make_unique<ThroughputPanel>(m_canvas, m_margins));
    for (const std::string& key : ChosenPanel::knownKeys()) add(key);
}

Panel* PlotPanels::of(std::string_view key) const {
    const auto it = std::find_if(m_panels.begin(), m_panels.end(), [&](const auto& panel) { return panel->key() == key; });
    return it == m_panels.end() ? nullptr : it->get();
}

int PlotPanels::indexOf(const QCPAxisRect* rect) const {
    const auto it = std::find_if(m_panels.begin(), m_panels.end(), [rect](const auto& panel) { return panel->rect() == rect; });
    return it == m_panels.end() ? -1 : static_cast<int>(it - m_panels.begin());
}

QString PlotPanels::titleOf(const std::string& key) const {
    const Panel* panel = of(key);
    return panel ? panel->title().title : QString::fromStdString(key);
}

std::vector<QCPAxisRect*> PlotPanels::rects() const {
    std::vector<QCPAxisRect*> rects;
    for (const Panel* panel : m_shown) rects.push_back(panel->rect());
    return rects;
}

double PlotPanels::pixelOf(double x) const {
    return m_shown.front()->xAxis()->coordToPixel(x) * m_canvas->zoom();
}

void PlotPanels::add(const std::string& key) {
    m_panels.push_back(std::make_unique<ChosenPanel>(m_canvas, m_margins, key, ChosenPanel::kindOf(key)));
    m_panels.back()->rect()->setVisible(false);
    m_panels.back()->applyTheme();
    if (const auto kept = m_keptScales.find(key); kept != m_keptScales.end()) m_panels.back()->setScale(kept->second);
}

std::vector<std::string> PlotPanels::addForeign(const SessionModel& session) {
    std::vector<std::string> added;
    for (const auto& run : session.runs())
        for (const auto& [key, series] : run->named) {
            if (of(key)) continue;
            add(key);
            added.push_back(key);
        }
    return added;
}

void PlotPanels::take(const PlotPanels& other) {
    // The view identifies panels by index, so the order has to be the same.
    for (const auto& panel : other.m_panels)
        if (!of(panel->key())) add(panel->key());
    for (std::size_t i = 0; i < other.m_panels.size(); ++i) {
        const auto same = std::find_if(m_panels.begin() + static_cast<std::ptrdiff_t>(i), m_panels.end(),
                                       [&](const auto& panel) { return panel->key() == other.m_panels[i]->key(); });
        std::iter_swap(m_panels.begin() + static_cast<std::ptrdiff_t>(i), same);
        m_panels[i]->setScale(other.m_panels[i]->scale());
        m_panels[i]->setFitsEverything(other.m_panels[i]->fitsEverything());
    }
}

std::map<std::string, AxisScale> PlotPanels::scales() const {
    std::map<std::string, AxisScale> scales = m_keptScales;
    for (const auto& panel : m_panels) scales[panel->key()] = panel->scale();
    return scales;
}

bool PlotPanels::setLinks(const ViewState& view) {
    bool isChanged = false;
    for (std::size_t i = 0; i < m_panels.size(); ++i) {
        const bool linked = view.isLinked(static_cast<int>(i));
        isChanged |= linked == m_panels[i]->title().isUnlinked;
        m_panels[i]->title().isUnlinked = !linked;
    }
    return isChanged;
}

void PlotPanels::show(const std::vector<PlotPlace>& plots) {
    m_shown.clear();
    m_shares.clear();
    for (const PlotPlace& place : plots) {
        m_shown.push_back(of(place.key));
        m_shares.push_back(place.share);
    }
    for (const auto& panel : m_panels) panel->rect()->setVisible(std::find(m_shown.begin(), m_shown.end(), panel.get()) != m_shown.end());
}

bool PlotPanels::labelsSteps(std::size_t shown) const {
    if (shown + 1 == m_shown.size() || m_shown[shown]->title().isUnlinked) return true;
    // The last panel of those that share an axis.
    return std::all_of(m_shown.begin() + static_cast<std::ptrdiff_t>(shown) + 1, m_shown.end(),
                       [](const Panel* panel) { return panel->title().isUnlinked; });
}

void PlotPanels::layOut(bool isCompact, int labelWidth) {
    QCPLayoutGrid* grid = m_canvas->plotLayout();
    while (grid->elementCount() > 0) grid->takeAt(0), grid->simplify();
    // A panel with an x axis of its own has step labels between the panels too.
    int others = 0;
    for (std::size_t i = 0; i + 1 < m_shown.size(); ++i) others += labelsSteps(i) ? kInnerLabels : 0;
    for (const Panel* panel : m_shown) others += panel->glyphRowHeight();
    const BoardLayout layout = boardLayout(m_canvas->viewport().height() - others, isCompact, m_shares);
    grid->setRowSpacing(0);
    setMargins(isCompact, labelWidth);
    for (std::size_t i = 0; i < m_shown.size(); ++i) {
        Panel* panel = m_shown[i];
        const bool isLast = i + 1 == m_shown.size();
        const int top = (i == 0 ? layout.firstTop : layout.top) + panel->glyphRowHeight();
        const int bottom = isLast ? layout.bottom : labelsSteps(i) ? kInnerLabels : 0;
        const int height = top + layout.heights[i] + bottom;
        grid->addElement(static_cast<int>(i), 0, panel->rect());
        panel->setMargins(top, bottom, (i == 0 ? FlagStrip::kHeight : 0) + panel->glyphRowHeight());
        panel->rect()->setMinimumSize(50, height);
        panel->rect()->setMaximumSize(QWIDGETSIZE_MAX, height);
        panel->rect()->setSizeConstraintRect(QCPLayoutElement::scrOuterRect);
        panel->xAxis()->setTickLabels(labelsSteps(i));
        panel->setCompact(isCompact);
        panel->setPresenting(m_canvas->isEnlarged());
    }
    grid->setMargins({});
    grid->setAutoMargins(QCP::msNone);
}

void PlotPanels::setMargins(bool isCompact, int labelWidth) {
    const QMargins margins = m_canvas->isEnlarged() ? QMargins(53, 0, std::max(14, labelWidth), 0)
                             : isCompact            ? QMargins(53, 0, 10, 0)
                                                    : QMargins(68, 0, 14, 0);
    // A folded panel still counts for the common margins.
    for (const auto& panel : m_panels) panel->rect()->setMinimumMargins(margins);
}

void PlotPanels::applyTheme() {
    for (const auto& panel : m_panels) panel->applyTheme();
}

}  // namespace mantissa::gui
