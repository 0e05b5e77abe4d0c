// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/view_state.h"

#include <algorithm>
#include <utility>

namespace mantissa::gui {

Span zoomed(const Span& span, double pivot, double factor) {
    return {pivot - (pivot - span.first) * factor, pivot + (span.last - pivot) * factor};
}

Span ViewState::x(std::int64_t stepCount) const {
    const double end = std::max(static_cast<double>(stepCount - 1), kLeastFollowed);
    switch (m_view.mode) {
        case FollowMode::All: return {0, end};
        case FollowMode::Window: return {std::max(0.0, end - kWindowSteps), std::max(end, kWindowSteps)};
        case FollowMode::Manual: return m_view.x;
    }
    return m_view.x;
}

std::optional<Span> ViewState::y(int panel) const {
    const auto it = m_view.y.find(panel);
    return it == m_view.y.end() ? std::nullopt : std::optional(it->second);
}

void ViewState::follow(FollowMode mode, std::int64_t stepCount) {
    m_view.x = x(stepCount);
    m_view.mode = mode;
    if (mode != FollowMode::Manual) m_view.y.clear();
}

void ViewState::remember(std::int64_t stepCount) {
    View view = m_view;
    view.x = x(stepCount);
    m_future.clear();
    if (!m_history.empty() && m_history.back() == view) return;
    if (m_history.size() == kHistory) m_history.erase(m_history.begin());
    m_history.push_back(std::move(view));
}

void ViewState::showX(const Span& span, std::int64_t stepCount) {
    // The middle stays on the data, so that no gesture loses it; zooming out ends at one and a half times what there is.
    const double end = std::max(static_cast<double>(stepCount - 1), kLeastFollowed);
    const double length = std::clamp(span.length(), kLeastSpan, 1.5 * end);
    const double middle = std::clamp((span.first + span.last) / 2, 0.0, end);
    m_view.x = {middle - length / 2, middle + length / 2};
    m_view.mode = FollowMode::Manual;
}

void ViewState::showY(int panel, const Span& span, std::int64_t stepCount) {
    m_view.x = x(stepCount);
    m_view.mode = FollowMode::Manual;
    m_view.y[panel] = span;
}

bool ViewState::back() {
    if (m_history.empty()) return false;
    m_future.push_back(std::exchange(m_view, std::move(m_history.back())));
    m_history.pop_back();
    return true;
}

bool ViewState::forward() {
    if (m_future.empty()) return false;
    m_history.push_back(std::exchange(m_view, std::move(m_future.back())));
    m_future.pop_back();
    return true;
}

void ViewState::reset() {
    m_view = {};
    m_history.clear();
    m_future.clear();
}

}  // namespace mantissa::gui
