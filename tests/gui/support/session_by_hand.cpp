// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {

RunInfo runInfo(RunId id, const std::string& name, const std::string& policy, const std::string& scaler) {
    RunInfo info;
    info.id = id;
    info.settings.name = name;
    info.settings.training.precision.policy = policy;
    info.settings.training.scaler.preset = scaler;
    info.policy = policy;
    info.isEmulated = policy != "fp32";
    info.scalerPreset = scaler;
    info.scalerIsDynamic = scaler == "pytorch";
    return info;
}

ExperimentLoaded threeRuns() {
    ExperimentLoaded loaded;
    loaded.name = "three";
    loaded.title = "Three runs";
    loaded.steps = 100;
    loaded.runs = {runInfo(0, "fp32", "fp32"), runInfo(1, "fp16", "fp16", "pytorch"), runInfo(2, "bf16", "bf16")};
    return loaded;
}

void loadThreeRuns(SessionModel& session) {
    session.handle(threeRuns());
}

StepsRecorded steps(RunId run, std::int64_t first, std::int64_t count, std::uint32_t flags) {
    StepsRecorded event;
    event.run = run;
    event.nextScale = 65536;
    for (std::int64_t step = first; step < first + count; ++step) {
        StepRecord record;
        record.step = step;
        record.loss = 2;
        record.gradNorm = 1;
        record.lossScale = 65536;
        record.flags = flags;
        event.records.push_back(record);
    }
    return event;
}

}  // namespace mantissa::gui
