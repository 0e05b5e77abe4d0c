// SPDX-License-Identifier: Apache-2.0
// A watched run that a test feeds with messages.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/attach/watched_run.h"
#include "tests/engine/attach/probe_script.h"

namespace mantissa::test {

/// A watched run with all its events.
struct Watched {
    std::vector<Event> events;
    WatchedRun run{5, "script", std::get<ProbeHello>(decoded("probe_hello", helloBody())), "unix:/x",
                   [this](Event&& event) { events.push_back(std::move(event)); }};

    Watched() { run.take(decoded("tensors_described", tensorsBody())); }
    void step(std::int64_t number, const ScriptStep& script = {}) { run.take(decoded("probe_step", stepBody(number, script))); }
    std::vector<StepRecord> records() {
        run.flush();
        std::vector<StepRecord> all;
        for (const Event& event : events)
            if (const auto* steps = std::get_if<StepsRecorded>(&event)) all.insert(all.end(), steps->records.begin(), steps->records.end());
        return all;
    }
    template <class T>
    std::vector<T> all() const {
        std::vector<T> found;
        for (const Event& event : events)
            if (const T* one = std::get_if<T>(&event)) found.push_back(*one);
        return found;
    }
    SkipVerdict verdictOf(const ScriptStep& script) {
        step(run.nextStep(), script);
        return all<StepExamined>().back().examination.verdict;
    }
};

inline Json bad(const char* name, const char* module, const char* role, const char* cls, Json evidence = Json::object(),
                Json tensor = nullptr) {
    return {{"tensor", tensor}, {"name", name}, {"module", module}, {"role", role}, {"class", cls}, {"evidence", std::move(evidence)}};
}
inline const Json kAllFinite{{"inputs_finite", true}, {"weights_finite", true}, {"buffers_finite", nullptr}, {"has_children", false}};
inline const ScriptStep kSkip{.next = 32768, .skipped = true, .foundInf = true};

}  // namespace mantissa::test
