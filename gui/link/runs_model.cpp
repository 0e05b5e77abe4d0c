// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/link/runs_model.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/wire/wire.h"
#include "gui/app/theme.h"
#include "gui/controls/number_text.h"
#include "gui/link/run_order.h"

namespace mantissa::gui {
namespace {

template <class T>
bool eraseFirst(std::vector<T>& values, auto&& predicate) {
    const auto it = std::ranges::find_if(values, predicate);
    if (it == values.end()) return false;
    values.erase(it);
    return true;
}

}  // namespace

RunState* RunsModel::run(RunId id) {
    const auto it = std::ranges::find(m_runs, id, &RunState::id);
    return it == m_runs.end() ? nullptr : it->get();
}

const RunState* RunsModel::run(RunId id) const {
    return const_cast<RunsModel*>(this)->run(id);
}

bool RunsModel::hasOwnRuns() const {
    return std::ranges::any_of(m_runs, &RunState::isOwn);
}

int RunsModel::depthOf(const RunState& run) const {
    int depth = 0;
    // bounded even if a message contains a cycle
    for (const RunState* parent = parentOf(run); parent && depth < static_cast<int>(m_runs.size()); parent = parentOf(*parent)) ++depth;
    return depth;
}

const RunSettings& RunsModel::settingsBefore(const RunState& run, std::int64_t step) const {
    const auto next = std::ranges::find_if(m_markers, [&](const Marker& marker) { return marker.run == run.id && marker.step >= step; });
    return next == m_markers.end() ? run.info.settings : *next->before;
}

std::int64_t RunsModel::plottedSteps() const {
    std::int64_t count = 0;
    for (const auto& run : m_runs) count = std::max(count, run->stepCount());
    return count;
}

std::int64_t RunsModel::stepCount() const {
    std::int64_t count = 0;
    bool hasLive = false;
    for (const auto& run : m_runs) {
        if (!run->isLive()) continue;
        hasLive = true;
        count = std::max(count, run->stepCount());
    }
    return hasLive ? count : plottedSteps();
}

void RunsModel::select(RunId id) {
    if (id == m_selected || (id != -1 && !run(id))) return;
    m_selected = id;
    emit selectionChanged();
}

void RunsModel::setHidden(RunId id, bool hidden, bool isUserAction) {
    RunState* state = run(id);
    if (!state || state->isHidden == hidden || state->isWithheld) return;
    state->isHidden = hidden;
    if (isUserAction) emit runHidden(id, hidden);
    emit runsChanged();
}

void RunsModel::setWithheld(RunId id, bool withheld) {
    RunState* state = run(id);
    if (!state || state->isWithheld == withheld) return;
    state->isWithheld = state->isHidden = withheld;
    if (!withheld) emit runRevealed(id);
    emit runsChanged();
}

void RunsModel::endWithholding() {
    for (const auto& state : m_runs) setWithheld(state->id, false);
    for (Removed& gone : m_removed)
        if (std::exchange(gone.run->isWithheld, false)) gone.run->isHidden = false;
}

void RunsModel::notePending(RunId id, const PendingChange& change) {
    RunState* state = run(id);
    if (!state) return;
    state->pending.push_back(change);
    emit runChanged(id);
}

void RunsModel::noteArranging(std::uint64_t commandId, std::vector<RunStyle> styles) {
    m_arranging = commandId;
    m_requestedStyles = std::move(styles);
    emit stylesRequested();
}

// ---- Requests ----

void RunsModel::dropAllPending() {
    endArranging();
    for (const auto& state : m_runs) {
        state->answered.clear();
        if (state->pending.empty()) continue;
        state->pending.clear();
        emit runChanged(state->id);
    }
}

void RunsModel::dropPending(std::uint64_t commandId) {
    if (commandId == m_arranging) endArranging();
    for (const auto& state : m_runs)
        if (eraseFirst(state->pending, [&](const PendingChange& p) { return p.commandId == commandId; })) emit runChanged(state->id);
}

// ---- Order and styles ----

int RunsModel::freeIdentity() const {
    std::array<int, kWhatIfIdentity> wearers{};
    for (const auto& state : m_runs)
        if (!state->isWhatIf()) ++wearers[static_cast<std::size_t>(state->identity)];
    return static_cast<int>(std::min_element(wearers.begin(), wearers.end()) - wearers.begin());
}

int RunsModel::identityFor(const RunInfo& info) const {
    const RunState* parent = info.kind == RunKind::WhatIf ? run(info.parent) : nullptr;
    return parent ? kWhatIfIdentity + parent->identity % kWhatIfIdentity : freeIdentity();
}

RunState& RunsModel::addRun(const RunInfo& info, int identity) {
    auto state = std::make_unique<RunState>();
    state->id = info.id;
    state->identity = identity;
    state->info = info;
    state->clearSeries();
    return insertRun(std::move(state));
}

RunState& RunsModel::insertRun(std::unique_ptr<RunState> state, const std::vector<RunId>& below) {
    auto place = std::ranges::find(m_runs, state->info.parent, &RunState::id);
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

// ---- Events ----

void RunsModel::load(const ExperimentLoaded& event, bool isSame) {
    // Runs keep colour, dash and marker by name, even after removals.
    std::map<std::string, int> kept;
    if (std::exchange(m_keepsStyles, true) && isSame)
        for (const auto& state : m_runs)
            if (!state->isWhatIf()) kept.emplace(state->info.settings.name, state->identity);
    endArranging();
    m_isArranged = false;
    m_runs.clear();
    m_markers.clear();
    m_notes.clear();
    m_removed.clear();
    for (const RunInfo& info : event.runs) {
        const auto it = kept.find(info.settings.name);
        addRun(info, it == kept.end() ? identityFor(info) : it->second).reserve(event.steps);
    }
    m_selected = m_runs.empty() ? -1 : m_runs.front()->id;
}

void RunsModel::take(const RunChanged& event) {
    RunState* state = run(event.info.id);
    if (!state) return;
    const bool isRenamed = state->info.settings.name != event.info.settings.name;
    // Another preset or another fixed scale takes effect at once; the records that show it come with the next step.
    const ScalerSettings &before = state->info.settings.training.scaler, &now = event.info.settings.training.scaler;
    const bool beginsAgain = now.preset != before.preset || (!event.info.scalerIsDynamic && now != before);
    const bool beginsElsewhere = !state->hasSteps() && initialScale(event.info) != initialScale(state->info);
    const bool beginsAtAnotherStep = !state->hasSteps() && event.info.firstStep != state->info.firstStep;
    const bool isOfAnotherKind = state->info.kind != event.info.kind;
    if (state->isWhatIf() && isOfAnotherKind) state->identity = freeIdentity();  // the what-if was kept as a run
    state->info = event.info;
    state->answered.clear();
    if (beginsAtAnotherStep) state->clearSeries();
    if (beginsAgain || beginsElsewhere) {
        state->nextScale = initialScale(event.info);
        state->cleanSteps = 0;
    }
    emit runChanged(event.info.id);
    if (isRenamed || isOfAnotherKind) emit runsChanged();
}

void RunsModel::take(const RunAdded& event) {
    if (run(event.info.id)) return;
    const RunState& added = addRun(event.info, identityFor(event.info));
    emit runsChanged();
    if (added.isLive() || added.isWatched()) select(event.info.id);
}

void RunsModel::take(const RunRemoved& event) {
    const auto it = std::ranges::find(m_runs, event.run, &RunState::id);
    if (it == m_runs.end()) return;
    Removed gone{std::move(*it), {}, {}};
    for (auto lower = std::next(it); lower != m_runs.end(); ++lower) gone.below.push_back((*lower)->id);
    const auto next = m_runs.erase(it);
    std::copy_if(m_markers.begin(), m_markers.end(), std::back_inserter(gone.markers),
                 [&](const Marker& marker) { return marker.run == event.run; });
    std::erase_if(m_markers, [&](const Marker& marker) { return marker.run == event.run; });
    const auto lostNotes = std::erase_if(m_notes, [&](const auto& entry) { return entry.second.run == event.run; });
    if (event.canBeRestored) {
        gone.run->pending.clear();
        gone.run->answered.clear();
        m_removed.push_back(std::move(gone));
        if (m_removed.size() > kMostRestorable) m_removed.pop_front();
    }
    // Selects the run below the removed one, or the last run.
    const bool wasSelected = m_selected == event.run;
    if (wasSelected) m_selected = m_runs.empty() ? -1 : next == m_runs.end() ? m_runs.back()->id : (*next)->id;
    emit runsChanged();
    emit markersChanged();
    if (lostNotes > 0) emit notesChanged();
    if (wasSelected) emit selectionChanged();
}

void RunsModel::take(const NoteWritten& event) {
    m_notes[event.note.id] = event.note;
    emit notesChanged();
}

void RunsModel::take(const NoteRemoved& event) {
    if (m_notes.erase(event.note) > 0) emit notesChanged();
}

void RunsModel::take(const RunRestored& event) {
    const auto it = std::ranges::find_if(m_removed, [&](const Removed& each) { return each.run->id == event.info.id; });
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

void RunsModel::take(const RunsArranged& event) {
    m_isArranged = true;
    std::vector<std::unique_ptr<RunState>> others = std::exchange(m_runs, {});
    for (const RunStyle& style : event.styles) {
        const auto state = std::ranges::find_if(others, [&](const auto& other) { return other && other->id == style.run; });
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

void RunsModel::take(RunState& run, const SettingApplied& event) {
    const QString pointer = QString::fromStdString(event.pointer);
    run.effectiveAt[pointer] = event.step;
    run.changedAt.insert(std::upper_bound(run.changedAt.begin(), run.changedAt.end(), event.step), event.step);
    // The next records may come late, and a second press of x2 starts from here.
    if (event.pointer == "/scaler/scale") run.nextScale = parseNumber(QString::fromStdString(event.to)).value_or(run.nextScale);
    m_markers.push_back({event.run, event.step, pointer, QString::fromStdString(event.label), QString::fromStdString(event.from),
                         QString::fromStdString(event.to), std::make_shared<const RunSettings>(run.info.settings)});
    const auto request =
        std::ranges::find_if(run.pending, [&](const PendingChange& p) { return event.commandId != 0 && p.commandId == event.commandId; });
    if (request != run.pending.end()) {
        run.answered.push_back(std::move(*request));
        run.pending.erase(request);
    }
    emit runChanged(event.run);
    emit markersChanged();
    if (event.commandId != 0) emit settingApplied(event.run, pointer, m_markers.back().from, m_markers.back().to);
}

void RunsModel::take(RunState& run, const RunRewound& event) {
    run.rewind(event.step);
    const auto gone = std::erase_if(m_markers, [&](const Marker& marker) { return marker.run == event.run && marker.step >= event.step; });
    emit runRewound(event.run, event.step);
    emit runChanged(event.run);
    if (gone > 0) emit markersChanged();
}

void RunsModel::take(const ExperimentReset&) {
    for (const auto& state : m_runs)
        if (state->isOwn()) state->clearSeries();
    m_markers.clear();
    m_removed.clear();
    emit seriesReset();
}

}  // namespace mantissa::gui
