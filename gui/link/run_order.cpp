// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/link/run_order.h"

#include <algorithm>
#include <iterator>

#include "gui/app/theme.h"

namespace mantissa::gui {
namespace {

std::vector<RunStyle>::iterator styleOf(std::vector<RunStyle>& styles, RunId run) {
    return std::ranges::find(styles, run, &RunStyle::run);
}

/// Position for a run that is missing in `styles`: below its parent, above the runs that are below it now.
std::vector<RunStyle>::iterator placeOf(const RunsModel& session, const RunState& run, std::vector<RunStyle>& styles) {
    auto first = styleOf(styles, run.info.parent), end = styles.end();
    if (first == end) {
        first = styles.begin();
    } else {
        const int depth = session.depthOf(*session.run(first->run));
        end = std::find_if(++first, styles.end(), [&](const RunStyle& style) { return session.depthOf(*session.run(style.run)) <= depth; });
    }
    const auto own = std::ranges::find(session.runs(), run.id, &RunState::id);
    return std::find_if(first, end, [&](const RunStyle& style) {
        return std::any_of(own, session.runs().end(), [&](const auto& lower) { return lower->id == style.run; });
    });
}

}  // namespace

std::vector<RunStyle> stylesOf(const RunsModel& session) {
    if (!session.requestedStyles().empty()) return stylesWithOtherRuns(session, session.requestedStyles());
    std::vector<RunStyle> styles;
    for (const auto& run : session.runs()) styles.push_back({run->id, run->isWhatIf() ? -1 : run->identity});
    return styles;
}

std::vector<RunStyle> stylesMoved(const RunsModel& session, RunId run, int by) {
    std::vector<RunStyle> styles = stylesOf(session);
    const auto depthAt = [&](const RunStyle& style) { return session.depthOf(*session.run(style.run)); };
    const auto family = styleOf(styles, run);
    if (family == styles.end()) return {};
    const int depth = depthAt(*family);
    const auto isNext = [&](const RunStyle& style) { return depthAt(style) <= depth; };
    const auto familyEnd = std::find_if(family + 1, styles.end(), isNext);
    if (by < 0) {
        const auto above = std::find_if(std::make_reverse_iterator(family), styles.rend(), isNext);
        if (above == styles.rend() || depthAt(*above) < depth) return {};
        std::rotate(above.base() - 1, family, familyEnd);
    } else {
        if (familyEnd == styles.end() || depthAt(*familyEnd) < depth) return {};
        std::rotate(family, familyEnd, std::find_if(familyEnd + 1, styles.end(), isNext));
    }
    return styles;
}

std::vector<RunStyle> stylesRecoloured(const RunsModel& session, RunId run, int identity) {
    std::vector<RunStyle> styles = stylesOf(session);
    const auto own = styleOf(styles, run);
    if (own == styles.end()) return {};
    const auto wearer = std::ranges::find(styles, identity, &RunStyle::identity);
    if (wearer != styles.end()) wearer->identity = own->identity;
    own->identity = identity;
    return styles;
}

bool areDefaults(const std::vector<RunStyle>& styles) {
    for (std::size_t i = 0; i < styles.size(); ++i) {
        const bool isOwn = styles[i].identity == static_cast<std::int32_t>(i % kWhatIfIdentity) || styles[i].identity < 0;
        if (!isOwn || (i > 0 && styles[i].run < styles[i - 1].run)) return false;
    }
    return true;
}

std::vector<RunStyle> stylesWithOtherRuns(const RunsModel& session, std::vector<RunStyle> styles) {
    std::erase_if(styles, [&](const RunStyle& style) {
        const RunState* run = session.run(style.run);
        return !run || (style.identity < 0 && !run->isWhatIf());  // removed, or a what-if that was kept since
    });
    for (const auto& run : session.runs()) {
        if (run->isWhatIf() || styleOf(styles, run->id) != styles.end()) continue;
        const auto isWorn = [&](int identity) { return std::ranges::find(styles, identity, &RunStyle::identity) != styles.end(); };
        int free = isWorn(run->identity) ? 0 : run->identity;
        while (free < kWhatIfIdentity && isWorn(free)) ++free;
        styles.insert(placeOf(session, *run, styles), {run->id, free < kWhatIfIdentity ? free : run->identity});
    }
    return styles;
}

const RunState* wearerOf(const RunsModel& session, int identity) {
    for (const auto& run : session.runs())
        if (run->identity == identity) return run.get();
    return nullptr;
}

}  // namespace mantissa::gui
