// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/link/run_data_model.h"

#include <algorithm>

namespace mantissa::gui {
namespace {

/// Gauges that need no run settings; empty if all weights are finite.
std::vector<Gauge> watchedGauges(const StepStats& statistics) {
    std::vector<std::string> broken;
    for (const TensorStats& tensor : statistics.tensors)
        if (tensor.role == TensorRole::Weight && !tensor.classes.allFinite()) broken.push_back(tensor.tensor);
    return broken.empty() ? std::vector<Gauge>() : std::vector{weightsGauge(broken, statistics.isPartial())};
}

}  // namespace

void RunDataModel::take(const StepsRecorded& event) {
    m_lastSentNs = event.sentNs;
    RunState* state = run(event.run);
    if (!state) return;
    if (const RunState* parent = parentOf(*state); parent && state->progress.isEmpty())
        state->progress.begin(state->info.firstStep, &parent->progress);
    for (const StepRecord& record : event.records) state->append(record);
    if (state->thinBeyond(kMostKeptSteps / static_cast<std::int64_t>(runs().size()))) emit runThinned(event.run);
    state->nextScale = event.nextScale;
    state->cleanSteps = event.cleanSteps;
    if (event.allocatedBytes > 0) state->info.allocatedBytes = event.allocatedBytes;
    if (event.deviceUsedBytes >= 0) state->info.deviceUsedBytes = event.deviceUsedBytes;
    emit recordsAppended();
}

void RunDataModel::take(const SeriesImported& event) {
    RunState* state = run(event.run);
    if (!state) return;
    state->append(event);
    emit recordsAppended();
}

void RunDataModel::take(const ValuesMeasured& event) {
    RunState* state = run(event.run);
    if (!state) return;
    state->append(event);
    emit recordsAppended();
}

void RunDataModel::take(const TensorsMeasured& event) {
    RunState* state = run(event.run);
    if (!state) return;
    if (!event.wasAskedFor && !event.stats.tensors.empty() && event.stats.step >= state->gaugedStep) {
        state->statsGauges = state->isWatched() ? watchedGauges(event.stats) : statsGauges(state->info.settings, event.stats);
        state->gaugedStep = event.stats.step;
    }
    emit tensorsMeasured(event);
}

void RunDataModel::take(const GaugesRead& event) {
    RunState* state = run(event.run);
    if (!state || event.step < state->gaugedStep) return;
    state->statsGauges = event.gauges;
    state->gaugedStep = event.step;
    emit runChanged(event.run);
}

void RunDataModel::take(const NonFiniteFound& event) {
    RunState* state = run(event.run);
    if (!state) return;
    state->firstNonFinite = event.first;
    emit runChanged(event.run);
}

void RunDataModel::take(const StepExamined& event) {
    RunState* state = run(event.run);
    if (!state) return;
    state->add(event.examination);
    emit runChanged(event.run);  // the finding may be the run's headline
    emit stepExamined(event.run, event.examination.step);
}

void RunDataModel::take(const CheckpointKept& event) {
    RunState* state = run(event.run);
    if (!state) return;
    auto& all = state->checkpoints;
    const auto known = std::find_if(all.begin(), all.end(), [&](const Checkpoint& each) { return each.step == event.step; });
    const bool isByHand = event.commandId != 0;
    known == all.end() ? all.push_back({event.step, isByHand}) : static_cast<void>(known->isByHand |= isByHand);
    emit markersChanged();
}

void RunDataModel::take(const RunStopped& event) {
    RunState* state = run(event.run);
    if (!state) return;
    state->stopReason = QString::fromStdString(event.reason);
    emit runChanged(event.run);
}

void RunDataModel::take(const TextSampled& event) {
    RunState* state = run(event.run);
    if (!state) return;
    state->sample = event;
    emit runChanged(event.run);
}

}  // namespace mantissa::gui
