// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/report_run.h"

#include <algorithm>

#include "engine/experiment/run_gauges.h"

namespace mantissa {

void RunTally::add(const StepRecord& record) {
    ++m_steps;
    m_samples = record.samples;
    m_seconds += record.stepMs / 1000;
    if (record.validated()) m_validated = record;
    m_health.add(record);
}

Health healthOf(const ExportedRun& run, const RunTally& tally) {
    const std::optional<FirstNonFinite> first = run.nonFinite.empty() ? std::nullopt : std::optional(run.nonFinite.front());
    const auto matter = silentMatter(gaugesOf(run), tally.health().isLastValidationFinite());
    return tally.health().verdict(run.info, run.nextScale, run.cleanSteps, first, run.stopReason, matter);
}

std::vector<Gauge> gaugesOf(const ExportedRun& run) {
    return runGauges(run.info, run.records.empty() ? nullptr : &run.records.back(),
                     run.statsGauges ? run.statsGauges->gauges : std::vector<Gauge>());
}

ReportRun reportRun(const ExportedRun& run, const RunTally& tally) {
    ReportRun entry;
    entry.name = run.info.settings.name;
    entry.fileStem = fileStem(entry.name);
    const bool isWatched = run.info.kind == RunKind::Watched;  // its settings are not known
    const std::string detail = isWatched ? "" : precisionDetail(run.info.settings.training.precision);
    entry.policy = run.info.policy + (detail.empty() ? "" : ", " + detail);
    entry.scaler = run.info.scalerPreset;
    entry.model = run.info.modelText;
    entry.loss = lossName(run.info.layers);
    if (entry.loss.empty()) entry.loss = "loss";
    entry.isEmulated = run.info.isEmulated;
    entry.products = run.info.products;
    entry.memory = run.info.memory;
    entry.allocatedBytes = run.info.allocatedBytes;
    entry.deviceUsedBytes = run.info.deviceUsedBytes;
    entry.steps = tally.steps();
    entry.missingSteps = run.missingSteps();
    entry.records = &run.records;
    for (const SettingApplied& change : run.changes) {
        entry.markers.push_back({change.step, change.label + " " + change.from + " \u2192 " + change.to});
    }
    for (const Note& note : run.notes) entry.markers.push_back({note.step, note.text});
    entry.samplesPerSecond = tally.meanThroughput();
    const Text health = healthOf(run, tally).sentence;
    entry.health = health.english();
    for (const Gauge& gauge : gaugesOf(run)) {
        const std::vector<TextPart>& parts = gauge.sentence.parts;
        const bool isSaid = std::search(health.parts.begin(), health.parts.end(), parts.begin(), parts.end()) != health.parts.end();
        if (gauge.severity == Severity::Good || isSaid) continue;
        entry.gauges.push_back({std::string(gaugeTitle(gauge.kind)), gauge.sentence.english()});
    }
    if (!run.nonFinite.empty()) entry.firstNonFinite = run.nonFinite.front();
    if (run.sample) entry.text = run.sample->text, entry.textStep = run.sample->step;
    return entry;
}

}  // namespace mantissa
