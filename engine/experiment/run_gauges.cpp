// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/run_gauges.h"

#include <algorithm>

namespace mantissa {

std::vector<Gauge> runGauges(const RunInfo& info, const StepRecord* last, const StepStats* stats) {
    return runGauges(info, last, stats != nullptr ? statsGauges(info.settings, *stats) : std::vector<Gauge>());
}

std::vector<Gauge> statsGauges(const RunSettings& settings, const StepStats& stats) {
    return gaugesOf({.stats = &stats, .weightUpdate = settings.training.precision.weightUpdate});
}

std::vector<Gauge> runGauges(const RunInfo& info, const StepRecord* last, const std::vector<Gauge>& ofStats) {
    if (info.kind == RunKind::Watched) return ofStats;  // its settings are unknown
    const TrainingSettings& training = info.settings.training;
    GaugeInput input;
    if (training.optimizer.hasSecondMoments()) input.adamEpsilon = training.optimizer.epsilon;
    input.beta2 = training.optimizer.beta2;
    input.moments = training.optimizer.stateFormat(info.policy);
    input.hasSchedule = training.optimizer.schedule.kind != ScheduleSettings{}.kind;
    if (last != nullptr) {
        input.optimizerSteps = last->step + 1 - last->skippedTotal;
        input.scheduleSteps = training.optimizer.schedule.onSkip == "hold" ? input.optimizerSteps : last->step + 1;
        input.lossScale = last->lossScale;
    }
    input.clipGradNorm = training.clipGradNorm;
    input.clipsScaled = training.unscale == "after_clip";
    input.asksForFp32 = info.policy == facts(Dtype::F32).name;
    for (const LayerLine& line : info.layers) {
        const auto& named = input.tf32Layers;
        if (line.format == facts(Dtype::TF32).name && std::find(named.begin(), named.end(), line.layer) == named.end())
            input.tf32Layers.push_back(line.layer);
    }
    std::vector<Gauge> gauges = gaugesOf(input);
    gauges.insert(gauges.end(), ofStats.begin(), ofStats.end());
    std::stable_sort(gauges.begin(), gauges.end(), [](const Gauge& a, const Gauge& b) { return a.kind < b.kind; });
    return gauges;
}

}  // namespace mantissa
