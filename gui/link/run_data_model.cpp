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

void RunDataModel::take(RunState& run, const StepsRecorded& event) {
    m_lastSentNs = event.sentNs;
    if (const RunState* parent = parentOf(run); parent && run.progress.isEmpty()) run.progress.begin(run.info.firstStep, &parent->progress);
    for (const StepRecord& record : event.records) run.append(record);
    if (run.thinBeyond(kMostKeptSteps / static_cast<std::int64_t>(runs().size()))) emit runThinned(event.run);
    run.nextScale = event.nextScale;
    run.cleanSteps = event.cleanSteps;
    if (event.allocatedBytes > 0) run.info.allocatedBytes = event.allocatedBytes;
    if (event.deviceUsedBytes >= 0) run.info.deviceUsedBytes = event.deviceUsedBytes;
    emit recordsAppended();
}

void RunDataModel::take(RunState& run, const SeriesImported& event) {
    run.append(event);
    emit recordsAppended();
}

void RunDataModel::take(RunState& run, const ValuesMeasured& event) {
    run.append(event);
    emit recordsAppended();
}

void RunDataModel::take(RunState& run, const TensorsMeasured& event) {
    if (!event.wasAskedFor && !event.stats.tensors.empty() && event.stats.step >= run.gaugedStep) {
        run.statsGauges = run.isWatched() ? watchedGauges(event.stats) : statsGauges(run.info.settings, event.stats);
        run.gaugedStep = event.stats.step;
    }
    emit tensorsMeasured(event);
}

void RunDataModel::take(RunState& run, const GaugesRead& event) {
    if (event.step < run.gaugedStep) return;
    run.statsGauges = event.gauges;
    run.gaugedStep = event.step;
    emit runChanged(event.run);
}

void RunDataModel::take(RunState& run, const NonFiniteFound& event) {
    run.firstNonFinite = event.first;
    emit runChanged(event.run);
}

void RunDataModel::take(RunState& run, const StepExamined& event) {
    run.add(event.examination);
    emit runChanged(event.run);  // the finding may be the run's headline
    emit stepExamined(event.run, event.examination.step);
}

void RunDataModel::take(RunState& run, const CheckpointKept& event) {
    auto& all = run.checkpoints;
    const auto known = std::ranges::find(all, event.step, &Checkpoint::step);
    const bool isByHand = event.commandId != 0;
    known == all.end() ? all.push_back({event.step, isByHand}) : static_cast<void>(known->isByHand |= isByHand);
    emit markersChanged();
}

void RunDataModel::take(RunState& run, const RunStopped& event) {
    run.stopReason = QString::fromStdString(event.reason);
    emit runChanged(event.run);
}

void RunDataModel::take(RunState& run, const TextSampled& event) {
    run.sample = event;
    emit runChanged(event.run);
}

}  // namespace mantissa::gui
