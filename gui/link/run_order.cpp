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

}  // namespace

std::vector<RunLook> looksOf(const Lab& lab) {
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
    if (const RunState* wearer = wearerOf(lab, identity)) lookOf(looks, wearer->id)->identity = own->identity;
    own->identity = identity;
    return looks;
}

std::vector<RunLook> looksBeside(const Lab& lab, std::vector<RunLook> looks) {
    std::erase_if(looks, [&](const RunLook& look) {
        const RunState* run = lab.run(look.run);
        return !run || (look.identity < 0 && !run->isWhatIf());  // gone, or kept since then
    });
    for (const auto& run : lab.runs()) {
        if (run->isWhatIf() || lookOf(looks, run->id) != looks.end()) continue;
        const auto isWorn = [&](int identity) {
            return std::any_of(looks.begin(), looks.end(), [&](const RunLook& look) { return look.identity == identity; });
        };
        int free = isWorn(run->identity) ? 0 : run->identity;
        while (free < kWhatIfIdentity && isWorn(free)) ++free;
        looks.push_back({run->id, free < kWhatIfIdentity ? free : run->identity});
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

void Lab::take(const RunsArranged& event) {
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
