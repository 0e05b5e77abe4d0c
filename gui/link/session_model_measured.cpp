// SPDX-License-Identifier: GPL-3.0-or-later
// Handles the engine's events about measured and examined steps.
#include "gui/link/session_model.h"

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

void SessionModel::take(const StepExamined& event) {
    RunState* state = run(event.run);
    if (!state) return;
    state->add(event.examination);
    emit runChanged(event.run);  // the finding may be the run's headline
    emit stepExamined(event.run, event.examination.step);
}

void SessionModel::take(const RunsCompared& event) {
    if (run(event.run) && run(event.other)) emit runsCompared(event);
}

void SessionModel::take(const TensorsMeasured& event) {
    RunState* state = run(event.run);
    if (!state) return;
    if (!event.wasAskedFor && !event.stats.tensors.empty() && event.stats.step >= state->gaugedStep) {
        state->statsGauges = state->isWatched() ? watchedGauges(event.stats) : statsGauges(state->info.settings, event.stats);
        state->gaugedStep = event.stats.step;
    }
    emit tensorsMeasured(event);
}

void SessionModel::take(const GaugesRead& event) {
    RunState* state = run(event.run);
    if (!state || event.step < state->gaugedStep) return;
    state->statsGauges = event.gauges;
    state->gaugedStep = event.step;
    emit runChanged(event.run);
}

void SessionModel::take(const ValuesMeasured& event) {
    RunState* state = run(event.run);
    if (!state) return;
    state->append(event);
    emit recordsAppended();
}

void SessionModel::take(const ThresholdsMeasured& event) {
    if (run(event.run)) emit thresholdsMeasured(event);
}

void SessionModel::take(const WatchingChanged& event) {
    m_listensAt = QString::fromStdString(event.place);
    emit watchingChanged();
}

void SessionModel::take(const TimesMeasured& event) {
    if (run(event.run)) emit timesMeasured(event);
}

void SessionModel::take(const ElementsRead& event) {
    if (run(event.run)) emit elementsRead(event);
}

}  // namespace mantissa::gui
