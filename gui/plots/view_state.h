// SPDX-License-Identifier: GPL-3.0-or-later
// Which steps the plots show: following the live end, or where the user put them; and the way back. No widget in it.
// GUI thread only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace mantissa::gui {

enum class FollowMode { All, Window, Manual };

/// A stretch of an axis, in axis coordinates (steps for x).
struct Span {
    double first = 0, last = 1;
    double length() const { return last - first; }
    bool contains(double value) const { return first <= value && value <= last; }
    bool operator==(const Span&) const = default;
};

/// `span` stretched by `factor` (below 1: nearer) with `pivot` staying where it is.
Span zoomed(const Span& span, double pivot, double factor);

class ViewState {
public:
    static constexpr double kWindowSteps = 500;
    /// Before there are so many steps, the axis already reaches there: the first lines grow into room instead of rescaling each frame.
    static constexpr double kLeastFollowed = 50;
    static constexpr double kLeastSpan = 4;

    FollowMode mode() const { return m_view.mode; }
    /// The steps on screen when steps [0, stepCount) exist.
    Span x(std::int64_t stepCount) const;
    /// The range that a hand gave to panel `panel`; nothing: automatic.
    std::optional<Span> y(int panel) const;

    /// Manual keeps what is on screen; the others give every axis back to the data.
    void follow(FollowMode mode, std::int64_t stepCount);
    /// Notes the view in force, so that `back` returns to it. Once a gesture, before its first change.
    void remember(std::int64_t stepCount);
    /// By hand: the mode turns Manual. The span is kept within what can be there.
    void showX(const Span& span, std::int64_t stepCount);
    void showY(int panel, const Span& span, std::int64_t stepCount);
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
        bool operator==(const View&) const = default;
    };
    static constexpr std::size_t kHistory = 100;

    View m_view;
    std::vector<View> m_history, m_future;  // the nearest last
};

}  // namespace mantissa::gui
