// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/link/run_order.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gui/app/theme.h"

namespace mantissa::gui {
namespace {

std::vector<RunLook>::iterator lookOf(std::vector<RunLook>& looks, RunId run) {
    return std::find_if(looks.begin(), looks.end(), [run](const RunLook& look) { return look.run == run; });
}

/// Position for a run that is missing in `looks`: below its parent, above the runs that are below it now.
std::vector<RunLook>::iterator placeOf(const Lab& lab, const RunState& run, std::vector<RunLook>& looks) {
    auto first = lookOf(looks, run.info.parent), end = looks.end();
    if (first == end) {
        first = looks.begin();
    } else {
        const int depth = lab.depthOf(*lab.run(first->run));
        end = std::find_if(++first, looks.end(), [&](const RunLook& look) { return lab.depthOf(*lab.run(look.run)) <= depth; });
    }
    const auto own = std::find_if(lab.runs().begin(), lab.runs().end(), [&](const auto& other) { return other->id == run.id; });
    return std::find_if(first, end, [&](const RunLook& look) {
        return std::any_of(own, lab.runs().end(), [&](const auto& lower) { return lower->id == look.run; });
    });
}

}  // namespace

std::vector<RunLook> looksOf(const Lab& lab) {
    if (!lab.requestedLooks().empty()) return looksBeside(lab, lab.requestedLooks());
    std::vector<RunLook> looks;
    for (const auto& run : lab.runs()) looks.push_back({run->id, run->isWhatIf() ? -1 : run->identity});
    return looks;
}

std::vector<RunLook> looksMoved(const Lab& lab, RunId run, int by) {
    std::vector<RunLook> looks = looksOf(lab);
    const auto depthAt = [&](const RunLook& look) { return lab.depthOf(*lab.run(look.run)); };
    const auto family = lookOf(looks, run);
    if (family == looks.end()) return {};
    const int depth = depthAt(*family);
    const auto isNext = [&](const RunLook& look) { return depthAt(look) <= depth; };
    const auto familyEnd = std::find_if(family + 1, looks.end(), isNext);
    if (by < 0) {
        const auto above = std::find_if(std::make_reverse_iterator(family), looks.rend(), isNext);
        if (above == looks.rend() || depthAt(*above) < depth) return {};
        std::rotate(above.base() - 1, family, familyEnd);
    } else {
        if (familyEnd == looks.end() || depthAt(*familyEnd) < depth) return {};
        std::rotate(family, familyEnd, std::find_if(familyEnd + 1, looks.end(), isNext));
    }
    return looks;
}

std::vector<RunLook> looksRecoloured(const Lab& lab, RunId run, int identity) {
    std::vector<RunLook> looks = looksOf(lab);
    const auto own = lookOf(looks, run);
    if (own == looks.end()) return {};
    const auto wearer = std::find_if(looks.begin(), looks.end(), [identity](const RunLook& look) { return look.identity == identity; });
    if (wearer != looks.end()) wearer->identity = own->identity;
    own->identity = identity;
    return looks;
}

bool areAsTheyCome(const std::vector<RunLook>& looks) {
    for (std::size_t i = 0; i < looks.size(); ++i) {
        const bool isOwn = looks[i].identity == static_cast<std::int32_t>(i % kWhatIfIdentity) || looks[i].identity < 0;
        if (!isOwn || (i > 0 && looks[i].run < looks[i - 1].run)) return false;
    }
    return true;
}

std::vector<RunLook> looksBeside(const Lab& lab, std::vector<RunLook> looks) {
    std::erase_if(looks, [&](const RunLook& look) {
        const RunState* run = lab.run(look.run);
        return !run || (look.identity < 0 && !run->isWhatIf());  // removed, or a what-if that was kept since
    });
    for (const auto& run : lab.runs()) {
        if (run->isWhatIf() || lookOf(looks, run->id) != looks.end()) continue;
        const auto isWorn = [&](int identity) {
            return std::any_of(looks.begin(), looks.end(), [&](const RunLook& look) { return look.identity == identity; });
        };
        int free = isWorn(run->identity) ? 0 : run->identity;
        while (free < kWhatIfIdentity && isWorn(free)) ++free;
        looks.insert(placeOf(lab, *run, looks), {run->id, free < kWhatIfIdentity ? free : run->identity});
    }
    return looks;
}

const RunState* wearerOf(const Lab& lab, int identity) {
    for (const auto& run : lab.runs())
        if (run->identity == identity) return run.get();
    return nullptr;
}

void Lab::take(const CheckpointKept& event) {
    RunState* state = run(event.run);
    if (!state) return;
    auto& all = state->checkpoints;
    const auto known = std::find_if(all.begin(), all.end(), [&](const Checkpoint& each) { return each.step == event.step; });
    const bool isByHand = event.commandId != 0;
    known == all.end() ? all.push_back({event.step, isByHand}) : static_cast<void>(known->isByHand |= isByHand);
    emit markersChanged();
}

RunState& Lab::insertRun(std::unique_ptr<RunState> state, const std::vector<RunId>& below) {
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

void Lab::take(const RunRestored& event) {
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

void Lab::take(const RunsArranged& event) {
    m_isArranged = true;
    std::vector<std::unique_ptr<RunState>> others = std::exchange(m_runs, {});
    for (const RunLook& look : event.looks) {
        const auto state = std::find_if(others.begin(), others.end(), [&](const auto& other) { return other && other->id == look.run; });
        if (state == others.end()) continue;
        if (!(*state)->isWhatIf() && look.identity >= 0) (*state)->identity = std::min(look.identity, kWhatIfIdentity - 1);
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
