// SPDX-License-Identifier: Apache-2.0
// A session model filled with events by hand, as the engine would.
#pragma once

#include <cmath>
#include <functional>

#include "gui/link/session_model.h"

namespace mantissa::gui {

inline RunInfo makeRun(RunId id, const std::string& name, const std::string& scaler = "none") {
    RunInfo info;
    info.id = id;
    info.settings.name = name;
    info.policy = name;
    info.scalerPreset = scaler;
    info.memory = {100'000, 0, 100'000, 200'000, 80'000, 60'000};
    return info;
}

inline void loadRuns(SessionModel& session, std::vector<RunInfo> runs) {
    ExperimentLoaded event;
    event.name = "test";
    event.runs = std::move(runs);
    session.handle(Event(event));
}

/// Appends steps [first, last) to a run; `change` edits each record before it is sent.
inline void appendSteps(SessionModel& session, RunId run, std::int64_t first, std::int64_t last,
                        const std::function<void(StepRecord&)>& change = {}) {
    StepsRecorded event;
    event.run = run;
    for (std::int64_t step = first; step < last; ++step) {
        StepRecord record;
        record.step = step;
        record.epoch = static_cast<double>(step + 1) / 20;
        record.loss = 2.0 + 0.1 * std::sin(static_cast<double>(step));
        record.gradNorm = 1.0;
        record.lr = 0.001;
        record.samplesPerSecond = 100'000;
        record.memoryBytes = 540'000;
        if (change) change(record);
        event.records.push_back(record);
    }
    session.handle(Event(event));
}

inline void applySetting(SessionModel& session, RunId run, std::int64_t step, const char* pointer, const char* label, const char* from,
                         const char* to) {
    SettingApplied event;
    event.run = run;
    event.step = step;
    event.pointer = pointer;
    event.label = label;
    event.from = from;
    event.to = to;
    session.handle(Event(event));
}

}  // namespace mantissa::gui
