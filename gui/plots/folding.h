// SPDX-License-Identifier: GPL-3.0-or-later
// Folds marks that would overlap into one mark with a count; flips, shortens and folds flags that would overlap. All coordinates are
// pixels. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gui/plots/x_axis.h"

namespace mantissa::gui {

/// Maps a run's steps to pixels; `x` is the visible part of the axis.
struct StepToPixel {
    Span x;
    double left = 0, width = 1;
    StepPlaces places;
    double operator()(double step) const { return left + (places.x(step) - x.first) / x.length() * width; }
    Span steps() const { return places.steps(x); }  // the visible steps
};

/// Marks of one kind that touch.
struct MarkGroup {
    double left = 0, right = 0;  // centres of the first and last mark
    std::int64_t firstStep = 0, lastStep = 0;
    std::int64_t count = 0;
};

/// Groups ascending `steps`, visible ones only: neighbours closer than `touch` pixels share a group, and so do marks below the group's
/// count, which takes `tag` pixels from the group's left mark.
std::vector<MarkGroup> foldMarks(std::span<const std::int64_t> steps, const StepToPixel& toPixel, double touch, double tag = 0);

/// The possible widths of a flag, ascending in x.
struct FlagSize {
    double x = 0;                            // its event line
    double full = 0, brief = 0, marker = 0;  // widths of the forms, in pixels
};
enum class FlagForm { Full, Brief, Marker };
struct FlagPlace {
    std::size_t first = 0, count = 1;  // the flags that it represents; more than one: folded
    FlagForm form = FlagForm::Full;
    bool isFlipped = false;  // is at the left of
    double left = 0, width = 0;
};

/// Places flags between `left` and `right` without overlap, with as much text as possible. `foldedWidth` is the width of a box that
/// represents several flags.
std::vector<FlagPlace> placeFlags(std::span<const FlagSize> flags, double left, double right, double gap, double foldedWidth);

}  // namespace mantissa::gui
