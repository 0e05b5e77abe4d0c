// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>

#include "engine/bench/bench.h"
#include "engine/session/session.h"

namespace mantissa {
namespace {

/// The quickest steps among the bundled experiments.
constexpr const char* kRecordedExperiment = "four-formats";

/// A session that trains the experiment without end, and counts its steps.
class Endless {
public:
    explicit Endless(const std::string& recording) {
        if (!recording.empty()) m_session.recordTo(recording);
        m_session.post({1, LoadExperiment{kRecordedExperiment, ""}});
        m_session.advance(0, 0);
        for (RunId run = 0; run < m_runs; ++run) m_session.post({2, ChangeSetting{run, "/steps", 1'000'000'000}});
        m_session.post({3, Train{}});
        m_session.advance(1, 0);
    }

    /// Seconds a step, of about so many.
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
    Session m_session{createCpuBackend(), [this](Event&& event) {
                          if (const auto* loaded = std::get_if<ExperimentLoaded>(&event)) m_runs = static_cast<RunId>(loaded->runs.size());
                          if (const auto* steps = std::get_if<StepsRecorded>(&event))
                              m_steps += static_cast<std::int64_t>(steps->records.size());
                      }};
};

}  // namespace

std::vector<BenchResult> benchRecording() {
    constexpr std::int64_t kSteps = 2000;  // a second or so: several of the writer's transactions
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("mantissa-bench-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    BenchResult result;
    {
        Endless recorded((folder / "bench.mantissa").string()), bare("");
        result =
            resultOf(runPaired([&] { return recorded.block(kSteps); }, [&] { return bare.block(kSteps); }, 25), "recording",
                     std::string(kRecordedExperiment) + ": steps of a session that is recorded", "the same session, not recorded", 1.02);
    }
    std::filesystem::remove_all(folder);
    return {result};
}

}  // namespace mantissa
