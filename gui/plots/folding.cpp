// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/folding.h"

#include <algorithm>
#include <array>
#include <limits>

namespace mantissa::gui {
namespace {

/// A way to attach a flag to its line, and its cost.
struct Option {
    FlagForm form;
    bool isFlipped;
    double left, width, cost;
};
constexpr std::size_t kOptions = 6;

std::array<Option, kOptions> optionsOf(const FlagSize& flag) {
    const auto option = [&](FlagForm form, bool isFlipped, double width, double cost) {
        return Option{form, isFlipped, isFlipped ? flag.x - width : flag.x, width, cost};
    };
    return {option(FlagForm::Full, false, flag.full, 0),      option(FlagForm::Full, true, flag.full, 1),
            option(FlagForm::Brief, false, flag.brief, 4),    option(FlagForm::Brief, true, flag.brief, 5),
            option(FlagForm::Marker, false, flag.marker, 16), option(FlagForm::Marker, true, flag.marker, 17)};
}

}  // namespace

std::vector<MarkGroup> foldMarks(std::span<const std::int64_t> steps, const StepToPixel& toPixel, double touch, double tag) {
    std::vector<MarkGroup> groups;
    const Span seen = toPixel.steps();
    auto it = std::lower_bound(steps.begin(), steps.end(), seen.first, [](std::int64_t s, double v) { return static_cast<double>(s) < v; });
    while (it != steps.end() && static_cast<double>(*it) <= seen.last) {
        const double x = toPixel(static_cast<double>(*it));
        const bool isApart =
            groups.empty() || (x - groups.back().right >= touch && (groups.back().count == 1 || x - groups.back().left >= tag));
        if (isApart) groups.push_back({x, x, *it, *it, 0});
        // Steps closer than `touch` join without a test of each: a burst has millions.
        const auto next = std::partition_point(it + 1, steps.end(), [&](std::int64_t step) {
            const auto at = static_cast<double>(step);
            return at <= seen.last && toPixel(at) < x + touch;
        });
        MarkGroup& group = groups.back();
        group.lastStep = *(next - 1);
        group.right = toPixel(static_cast<double>(group.lastStep));
        group.count += next - it;
        it = next;
    }
    return groups;
}

std::vector<FlagPlace> placeFlags(std::span<const FlagSize> flags, double left, double right, double gap, double foldedWidth) {
    // Flags whose bare markers would touch are folded first, so that bare markers always fit.
    std::vector<FlagPlace> places;
    std::vector<FlagSize> sizes;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        if (!places.empty() && flags[i].x - sizes.back().x < sizes.back().marker + gap) {
            ++places.back().count;
            sizes.back().full = sizes.back().brief = sizes.back().marker = foldedWidth;
            continue;
        }
        places.push_back({i, 1});
        sizes.push_back(flags[i]);
    }

    // Minimises the total cost along the row: each choice depends only on the end of the flag before it.
    constexpr double kNever = std::numeric_limits<double>::infinity();
    struct Best {
        std::array<double, kOptions> cost;
        std::array<int, kOptions> from;
    };
    std::vector<Best> best(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto options = optionsOf(sizes[i]);
        for (std::size_t o = 0; o < kOptions; ++o) {
            const Option& option = options[o];
            best[i].cost[o] = kNever;
            best[i].from[o] = -1;
            // A bare marker to the right of its line is always allowed, even beyond the edge.
            const bool isLastResort = option.form == FlagForm::Marker && !option.isFlipped;
            if (!isLastResort && (option.left < left || option.left + option.width > right)) continue;
            const double own = option.cost + (option.left + option.width > right ? 100 : 0);
            if (i == 0) {
                best[i].cost[o] = own;
                continue;
            }
            const auto before = optionsOf(sizes[i - 1]);
            for (std::size_t p = 0; p < kOptions; ++p) {
                if (best[i - 1].cost[p] == kNever ||
                    (before[p].left + before[p].width + gap > option.left && !(isLastResort && before[p].form == FlagForm::Marker)))
                    continue;
                const double cost = best[i - 1].cost[p] + own;
                if (cost < best[i].cost[o]) {
                    best[i].cost[o] = cost;
                    best[i].from[o] = static_cast<int>(p);
                }
            }
        }
    }
    if (places.empty()) return places;
    int choice = static_cast<int>(std::min_element(best.back().cost.begin(), best.back().cost.end()) - best.back().cost.begin());
    for (std::size_t i = places.size(); i-- > 0;) {
        const Option option = optionsOf(sizes[i])[static_cast<std::size_t>(choice)];
        places[i].form = option.form;
        places[i].isFlipped = option.isFlipped;
        places[i].left = option.left;
        places[i].width = option.width;
        choice = best[i].from[static_cast<std::size_t>(choice)];
    }
    return places;
}

}  // namespace mantissa::gui
