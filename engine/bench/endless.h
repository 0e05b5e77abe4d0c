// SPDX-License-Identifier: Apache-2.0
// A session for benchmarks. One thread.
#pragma once

#include <string>
#include <vector>

#include "engine/bench/bench.h"
#include "engine/session/session.h"
#include "engine/wire/wire.h"

namespace mantissa {

/// The default experiment, whose steps are the fastest of the bundled ones.
inline constexpr const char* kEndlessExperiment = "four-formats";

/// A session that trains the experiment without end and counts its steps. `encodes`: also encodes its events for the wire.
class Endless {
public:
    explicit Endless(const std::string& recording, Instrumentation level = Instrumentation::Off, bool encodes = false,
                     std::shared_ptr<Backend> backend = createCpuBackend())
        : m_encodes(encodes), m_backend(std::move(backend)) {
        if (!recording.empty()) m_session.recordTo(recording);
        m_session.measureTensors(level);
        m_session.post({1, LoadExperiment{kEndlessExperiment, ""}});
        m_session.advance(0, 0);
        for (RunId run = 0; run < m_runs; ++run) m_session.post({2, ChangeSetting{run, "/steps", 1'000'000'000}});
        m_session.post({3, Train{}});
        m_session.advance(1, 0);
    }

    /// Seconds per step, measured over about this many steps.
    std::vector<double> block(std::int64_t steps) {
        const std::int64_t before = m_steps;
        const auto seconds = timeUnits(1, [&] {
            while (m_steps - before < steps) m_session.advance(4, 0);
        });
        return {seconds[0] / static_cast<double>(m_steps - before)};
    }

private:
    std::int64_t m_steps = 0;
    RunId m_runs = 0;
    bool m_encodes = false;
    std::size_t m_bytes = 0;
    std::shared_ptr<Backend> m_backend;
    Session m_session{m_backend, [this](Event&& event) {
                          if (const auto* loaded = std::get_if<ExperimentLoaded>(&event)) m_runs = static_cast<RunId>(loaded->runs.size());
                          if (const auto* steps = std::get_if<StepsRecorded>(&event))
                              m_steps += static_cast<std::int64_t>(steps->records.size());
                          if (m_encodes) m_bytes += encode(event).size();
                      }};
};

}  // namespace mantissa
