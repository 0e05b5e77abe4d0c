// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/link/run_order.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gui/app/theme.h"

namespace mantissa::gui {
namespace {

std::vector<RunStyle>::iterator styleOf(std::vector<RunStyle>& styles, RunId run) {
    return std::find_if(styles.begin(), styles.end(), [run](const RunStyle& style) { return style.run == run; });
}

/// Position for a run that is missing in `styles`: below its parent, above the runs that are below it now.
std::vector<RunStyle>::iterator placeOf(const SessionModel& session, const RunState& run, std::vector<RunStyle>& styles) {
    auto first = styleOf(styles, run.info.parent), end = styles.end();
    if (first == end) {
        first = styles.begin();
    } else {
        const int depth = session.depthOf(*session.run(first->run));
        end = std::find_if(++first, styles.end(), [&](const RunStyle& style) { return session.depthOf(*session.run(style.run)) <= depth; });
    }
    const auto own = std::find_if(session.runs().begin(), session.runs().end(), [&](const auto& other) { return other->id == run.id; });
    return std::find_if(first, end, [&](const RunStyle& style) {
        return std::any_of(own, session.runs().end(), [&](const auto& lower) { return lower->id == style.run; });
    });
}

}  // namespace

std::vector<RunStyle> stylesOf(const SessionModel& session) {
    if (!session.requestedStyles().empty()) return stylesWithOtherRuns(session, session.requestedStyles());
    std::vector<RunStyle> styles;
    for (const auto& run : session.runs()) styles.push_back({run->id, run->isWhatIf() ? -1 : run->identity});
    return styles;
}

std::vector<RunStyle> stylesMoved(const SessionModel& session, RunId run, int by) {
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

std::vector<RunStyle> stylesRecoloured(const SessionModel& session, RunId run, int identity) {
    std::vector<RunStyle> styles = stylesOf(session);
    const auto own = styleOf(styles, run);
    if (own == styles.end()) return {};
    const auto wearer =
        std::find_if(styles.begin(), styles.end(), [identity](const RunStyle& style) { return style.identity == identity; });
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

std::vector<RunStyle> stylesWithOtherRuns(const SessionModel& session, std::vector<RunStyle> styles) {
    std::erase_if(styles, [&](const RunStyle& style) {
        const RunState* run = session.run(style.run);
        return !run || (style.identity < 0 && !run->isWhatIf());  // removed, or a what-if that was kept since
    });
    for (const auto& run : session.runs()) {
        if (run->isWhatIf() || styleOf(styles, run->id) != styles.end()) continue;
        const auto isWorn = [&](int identity) {
            return std::any_of(styles.begin(), styles.end(), [&](const RunStyle& style) { return style.identity == identity; });
        };
        int free = isWorn(run->identity) ? 0 : run->identity;
        while (free < kWhatIfIdentity && isWorn(free)) ++free;
        styles.insert(placeOf(session, *run, styles), {run->id, free < kWhatIfIdentity ? free : run->identity});
    }
    return styles;
}

const RunState* wearerOf(const SessionModel& session, int identity) {
    for (const auto& run : session.runs())
        if (run->identity == identity) return run.get();
    return nullptr;
}

void SessionModel::take(const CheckpointKept& event) {
    RunState* state = run(event.run);
    if (!state) return;
    auto& all = state->checkpoints;
    const auto known = std::find_if(all.begin(), all.end(), [&](const Checkpoint& each) { return each.step == event.step; });
    const bool isByHand = event.commandId != 0;
    known == all.end() ? all.push_back({event.step, isByHand}) : static_cast<void>(known->isByHand |= isByHand);
    emit markersChanged();
}

RunState& SessionModel::insertRun(std::unique_ptr<RunState> state, const std::vector<RunId>& below) {
    auto place = std::find_if(m_runs.begin(), m_runs.end(), [&](const auto& other) { return other->id == state->info.parent; });
    auto first = m_runs.begin();
    if (place != m_runs.end()) {
        const int depth = depthOf(**place);
        first = ++place;
        while (place != m_runs.end() && depthOf(**place) > depth) ++place;
    }
    for (const RunId lower : below) {
        const auto stands = std::find_if(first, place, [lower](const auto& other) { return other->id == lower; });
        if (stands == place) continue;
        place = stands;
        break;
    }
    return **m_runs.insert(place, std::move(state));
}

void SessionModel::take(const RunRestored& event) {
    const auto it = std::find_if(m_removed.begin(), m_removed.end(), [&](const Removed& each) { return each.run->id == event.info.id; });
    if (it == m_removed.end()) throw WireError("run " + std::to_string(event.info.id) + " comes back and was never there");
    Removed back = std::move(*it);
    m_removed.erase(it);
    back.run->info = event.info;
    // The run keeps its style unless another run uses it now and a free style exists.
    if (!back.run->isWhatIf() && wearerOf(*this, back.run->identity) && !wearerOf(*this, freeIdentity()))
        back.run->identity = freeIdentity();
    const RunState& restored = insertRun(std::move(back.run), back.below);
    m_markers.insert(m_markers.end(), back.markers.begin(), back.markers.end());
    emit runsChanged();
    emit markersChanged();
    if (restored.isLive()) select(restored.id);
}

void SessionModel::take(const RunsArranged& event) {
    m_isArranged = true;
    std::vector<std::unique_ptr<RunState>> others = std::exchange(m_runs, {});
    for (const RunStyle& style : event.styles) {
        const auto state = std::find_if(others.begin(), others.end(), [&](const auto& other) { return other && other->id == style.run; });
        if (state == others.end()) continue;
        if (!(*state)->isWhatIf() && style.identity >= 0) (*state)->identity = std::min(style.identity, kWhatIfIdentity - 1);
        m_runs.push_back(std::move(*state));
    }
    for (auto& state : others)
        if (state) insertRun(std::move(state));
    for (const auto& state : m_runs)
        if (const RunState* parent = state->isWhatIf() ? parentOf(*state) : nullptr)
            state->identity = kWhatIfIdentity + parent->identity % kWhatIfIdentity;
    for (const auto& state : m_runs) emit runChanged(state->id);
    emit runsChanged();
}

}  // namespace mantissa::gui
