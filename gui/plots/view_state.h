// SPDX-License-Identifier: GPL-3.0-or-later
// The visible part of the x axis, following the live end or set by the user, with a history. All panels share one part, and each unlinked
// panel has a separate one. Contains no widgets. GUI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace mantissa::gui {

enum class FollowMode { All, Window, Manual };

/// A range of an axis, in axis coordinates.
struct Span {
    double first = 0, last = 1;
    double length() const { return last - first; }
    bool contains(double value) const { return first <= value && value <= last; }
    bool operator==(const Span&) const = default;
};

/// Returns `span` scaled by `factor` (below 1: zooms in) around `pivot`.
Span zoomed(const Span& span, double pivot, double factor);

/// The extent of the data on an x axis, in its coordinates.
struct Reach {
    static constexpr double kWindowSteps = 500;
    /// The least extent of an axis that follows the data, so that the first lines do not rescale it in each frame.
    static constexpr double kLeastFollowed = 50;

    /// Creates the extent of an axis of steps for steps [0, stepCount).
    Reach(std::int64_t stepCount);  // NOLINT(google-explicit-constructor): a count of steps is a reach
    Reach(const Span& whole, const Span& newest, double leastSpan) : all(whole), window(newest), least(leastSpan) {}

    Span all, window;  // everything; the newest steps
    double least = 4;  // the smallest range for zoom
};

class ViewState {
public:
    static constexpr double kLeastFollowed = Reach::kLeastFollowed;
    static constexpr double kLeastSpan = 4;

    FollowMode mode() const { return m_view.mode; }
    /// Returns the range of the linked panels.
    Span x(const Reach& reach) const;
    /// Returns the range of a panel: the common one, or its own while it is unlinked.
    Span xOf(int panel, const Reach& reach) const;
    /// Returns the range that the user has set for panel `panel`; nothing: automatic.
    std::optional<Span> y(int panel) const;

    /// Sets the mode. Manual keeps the visible range; the others reset every axis to automatic.
    void follow(FollowMode mode, const Reach& reach);
    /// Saves the current view for `back`. Call once per gesture, before its first change.
    void remember(const Reach& reach);
    /// Shows a range set by the user; the mode becomes Manual. The span is limited to the possible range.
    void showX(const Span& span, const Reach& reach);
    void showY(int panel, const Span& span, const Reach& reach);
    /// Resets the panel's value range to automatic, and its x range too while it is unlinked.
    void fit(int panel);

    /// Unlinks a panel: it keeps its range, and zooms and pans separately.
    void unlink(int panel, const Reach& reach) {
        if (isLinked(panel)) m_view.own[panel] = x(reach);
    }
    void link(int panel) { m_view.own.erase(panel); }
    bool isLinked(int panel) const { return !m_view.own.contains(panel); }
    /// Shows a range of an unlinked panel, set by the user.
    void showOwnX(int panel, const Span& span, const Reach& reach);

    /// Converts all ranges, also in the history, to another quantity of the axis with `place`.
    void recast(const std::function<double(double)>& place);
    /// Restores the view before the last gesture. Returns false if there is none.
    bool back() { return restore(m_history, m_future); }
    /// Restores the view that `back` left. Returns false if there is none, or a gesture came since.
    bool forward() { return restore(m_future, m_history); }
    /// Resets for a new experiment: follows everything, without history.
    void reset();

private:
    struct View {
        FollowMode mode = FollowMode::All;
        Span x;  // used in Manual only
        std::map<int, Span> y;
        std::map<int, std::optional<Span>> own;  // x of unlinked panels; nothing: everything
        bool operator==(const View&) const = default;
    };
    static constexpr std::size_t kHistory = 100;
    bool restore(std::vector<View>& from, std::vector<View>& to);

    View m_view;
    std::vector<View> m_history, m_future;  // the most recent last
};

}  // namespace mantissa::gui
