// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/view_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mantissa::gui {

Span zoomed(const Span& span, double pivot, double factor) {
    return {pivot - (pivot - span.first) * factor, pivot + (span.last - pivot) * factor};
}

Reach::Reach(std::int64_t stepCount) {
    const double end = std::max(static_cast<double>(stepCount - 1), kLeastFollowed);
    all = {0, end};
    window = {std::max(0.0, end - kWindowSteps), std::max(end, kWindowSteps)};
}

namespace {

/// Keeps the view's centre on the data; limits zooming out to one and a half times the data's length.
Span within(const Reach& reach, const Span& span) {
    if (!std::isfinite(span.first) || !std::isfinite(span.last)) return reach.all;
    const double length = std::clamp(span.length(), reach.least, std::max(reach.least, 1.5 * reach.all.length()));
    const double middle = std::clamp((span.first + span.last) / 2, reach.all.first, reach.all.last);
    return {middle - length / 2, middle + length / 2};
}

}  // namespace

Span ViewState::x(const Reach& reach) const {
    if (m_view.mode == FollowMode::Manual) return m_view.x;
    return m_view.mode == FollowMode::Window ? reach.window : reach.all;
}

Span ViewState::xOf(int panel, const Reach& reach) const {
    const auto it = m_view.own.find(panel);
    return it == m_view.own.end() ? x(reach) : it->second.value_or(reach.all);
}

std::optional<Span> ViewState::y(int panel) const {
    const auto it = m_view.y.find(panel);
    return it == m_view.y.end() ? std::nullopt : std::optional(it->second);
}

void ViewState::follow(FollowMode mode, const Reach& reach) {
    m_view.x = x(reach);
    m_view.mode = mode;
    if (mode == FollowMode::Manual) return;
    m_view.y.clear();
    for (auto& [panel, own] : m_view.own) own.reset();
}

void ViewState::remember(const Reach& reach) {
    View view = m_view;
    view.x = x(reach);
    m_future.clear();
    if (!m_history.empty() && m_history.back() == view) return;
    if (m_history.size() == kHistory) m_history.erase(m_history.begin());
    m_history.push_back(std::move(view));
}

void ViewState::showX(const Span& span, const Reach& reach) {
    m_view.x = within(reach, span);
    m_view.mode = FollowMode::Manual;
}

void ViewState::showY(int panel, const Span& span, const Reach& reach) {
    if (isLinked(panel)) {
        m_view.x = x(reach);
        m_view.mode = FollowMode::Manual;
    } else {
        m_view.own[panel] = xOf(panel, reach);
    }
    m_view.y[panel] = span;
}

void ViewState::fit(int panel) {
    m_view.y.erase(panel);
    if (!isLinked(panel)) m_view.own[panel].reset();
}

void ViewState::showOwnX(int panel, const Span& span, const Reach& reach) {
    m_view.own[panel] = within(reach, span);
}

void ViewState::recast(const std::function<double(double)>& place) {
    const auto move = [&](Span& span) { span = {place(span.first), place(span.last)}; };
    const auto moveAll = [&](View& view) {
        move(view.x);
        for (auto& [panel, own] : view.own)
            if (own) move(*own);
    };
    moveAll(m_view);
    for (View& view : m_history) moveAll(view);
    for (View& view : m_future) moveAll(view);
}

bool ViewState::restore(std::vector<View>& from, std::vector<View>& to) {
    if (from.empty()) return false;
    to.push_back(std::exchange(m_view, std::move(from.back())));
    from.pop_back();
    return true;
}

void ViewState::reset() {
    m_view = {};
    m_history.clear();
    m_future.clear();
}

}  // namespace mantissa::gui
