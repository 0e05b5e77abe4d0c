// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of the x axis the plots show: following the live end, or where the user put it; and the way back. One part for all panels,
// and one of its own for each panel that was unlinked. No widget in it. GUI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace mantissa::gui {

enum class FollowMode { All, Window, Manual };

/// A stretch of an axis, in axis coordinates.
struct Span {
    double first = 0, last = 1;
    double length() const { return last - first; }
    bool contains(double value) const { return first <= value && value <= last; }
    bool operator==(const Span&) const = default;
};

/// `span` stretched by `factor` (below 1: nearer) with `pivot` staying where it is.
Span zoomed(const Span& span, double pivot, double factor);

/// What there is on an x axis, in its coordinates.
struct Reach {
    static constexpr double kWindowSteps = 500;
    /// Before there are so many steps, the axis already reaches there: the first lines grow into room instead of rescaling each frame.
    static constexpr double kLeastFollowed = 50;

    /// Of an axis of steps, when steps [0, stepCount) exist.
    Reach(std::int64_t stepCount);  // NOLINT(google-explicit-constructor): a count of steps is a reach
    Reach(const Span& whole, const Span& newest, double leastSpan) : all(whole), window(newest), least(leastSpan) {}

    Span all, window;  // everything; the newest steps
    double least = 4;  // what can still be zoomed to
};

class ViewState {
public:
    static constexpr double kLeastFollowed = Reach::kLeastFollowed;
    static constexpr double kLeastSpan = 4;

    FollowMode mode() const { return m_view.mode; }
    /// What the linked panels show.
    Span x(const Reach& reach) const;
    /// What a panel shows: the same, or its own while it is unlinked.
    Span xOf(int panel, const Reach& reach) const;
    /// The range that a hand gave to panel `panel`; nothing: automatic.
    std::optional<Span> y(int panel) const;

    /// Manual keeps what is on screen; the others give every axis back to the data.
    void follow(FollowMode mode, const Reach& reach);
    /// Notes the view in force, so that `back` returns to it. Once a gesture, before its first change.
    void remember(const Reach& reach);
    /// By hand: the mode turns Manual. The span is kept within what can be there.
    void showX(const Span& span, const Reach& reach);
    void showY(int panel, const Span& span, const Reach& reach);
    /// The panel's values are given back to the data, and its x as well while it is unlinked.
    void fit(int panel);

    /// An unlinked panel keeps what it shows, and zooms and pans alone.
    void unlink(int panel, const Reach& reach);
    void link(int panel) { m_view.own.erase(panel); }
    bool isLinked(int panel) const { return !m_view.own.contains(panel); }
    /// Of an unlinked panel, by hand.
    void showOwnX(int panel, const Span& span, const Reach& reach);

    /// The axis counts something else: every place, also in the history, becomes `place` of it.
    void recast(const std::function<double(double)>& place);
    /// The view before the last gesture; false when there is none.
    bool back();
    /// The one that `back` left; false when there is none, or a gesture came since.
    bool forward();
    /// A new experiment: follow everything, no history.
    void reset();

private:
    struct View {
        FollowMode mode = FollowMode::All;
        Span x;                     // in force in Manual only
        std::map<int, Span> y;
        std::map<int, std::optional<Span>> own;  // x of unlinked panels; nothing: all there is
        bool operator==(const View&) const = default;
    };
    static constexpr std::size_t kHistory = 100;

    View m_view;
    std::vector<View> m_history, m_future;  // the nearest last
};

}  // namespace mantissa::gui
