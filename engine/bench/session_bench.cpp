// SPDX-License-Identifier: Apache-2.0
// What tensor statistics and recording cost the steps of trainers and of whole sessions.
#include <filesystem>
#include <memory>
#include <string>

#include "engine/bench/bench.h"
#include "engine/experiment/experiment.h"
#include "engine/recording/temporary_folder.h"
#include "engine/session/session.h"
#include "engine/training/trainer.h"
#include "engine/wire/wire.h"

namespace mantissa {
namespace {

/// The default experiment, whose steps are the fastest of the bundled ones.
constexpr const char* kEndlessExperiment = "four-formats";

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

constexpr int kMeasuredSteps = 20 * kSampledPeriod;  // equally many measured steps in each block

std::unique_ptr<Trainer> endless(TrainingSettings settings, Instrumentation level, const OpenBackend& open) {
    settings.steps = 1'000'000'000;
    settings.validationInterval = settings.steps;
    auto trainer = std::make_unique<Trainer>(settings, loadDataset(settings.data), open());
    trainer->setInstrumentation(level);
    return trainer;
}

/// Mean seconds a step; a median would ignore the few measured steps.
TimedBlock meanStep(Trainer& trainer, int steps) {
    return [&trainer, steps] {
        const auto seconds = timeUnits(1, [&] {
            for (int i = 0; i < steps; ++i) trainer.step();
        });
        return std::vector<double>{seconds[0] / steps};
    };
}

std::vector<RunSettings> runsOf(const std::string& name) {
    std::string source;
    std::filesystem::path folder;
    return parseExperiment(loadExperimentText(name, source, folder), name).runs;
}

struct StatisticsCase {
    std::string experiment;
    Instrumentation level = Instrumentation::Full;
    double limit = 1.15;
    int steps = kMeasuredSteps, pairs = 25;
};

BenchResult timeStatistics(const StatisticsCase& measured, const RunSettings& run, const OpenBackend& open) {
    const auto measuring = endless(run.training, measured.level, open), off = endless(run.training, Instrumentation::Off, open);
    const std::string often(instrumentationName(measured.level));
    const std::string seen = measured.level == Instrumentation::Blocks ? "one block in eight" : often;
    const PairedTimes times = runPaired(meanStep(*measuring, measured.steps), meanStep(*off, measured.steps), measured.pairs);
    return resultOf(times, "diagnosis-" + often + "-" + (measured.experiment == kEndlessExperiment ? run.name : measured.experiment),
                    measured.experiment + ", " + run.name + ": steps with statistics of every tensor, " + seen, "the same steps without",
                    measured.limit);
}

}  // namespace

std::vector<BenchResult> benchDiagnosis(const OpenBackend& open) {
    std::vector<BenchResult> results;
    for (const RunSettings& run : runsOf(kEndlessExperiment)) {
        results.push_back(timeStatistics({.experiment = kEndlessExperiment, .level = Instrumentation::Sampled, .limit = 1.05}, run, open));
        results.push_back(timeStatistics({.experiment = kEndlessExperiment}, run, open));
        results.push_back(
            timeStatistics({.experiment = kEndlessExperiment, .level = Instrumentation::Blocks, .steps = 5 * kSampledPeriod}, run, open));
    }
    for (const char* larger : {"a-small-resnet", "a-small-gpt"}) {
        const RunSettings run = runsOf(larger).front();
        results.push_back(timeStatistics({.experiment = larger, .steps = 10, .pairs = 15}, run, open));
        results.push_back(timeStatistics({.experiment = larger, .level = Instrumentation::Blocks, .steps = 10, .pairs = 15}, run, open));
    }
    constexpr std::int64_t kSteps = 4000;  // at least half a second: several statistics are emitted
    Endless measuring("", Instrumentation::Sampled, true, open()), off("", Instrumentation::Off, true, open());
    results.push_back(
        resultOf(runPaired([&] { return measuring.block(kSteps); }, [&] { return off.block(kSteps); }, 15), "diagnosis-served",
                 std::string(kEndlessExperiment) + ": steps of a session with sampled tensor statistics, encoded for the wire",
                 "the same session without", 1.05));
    return results;
}

std::vector<BenchResult> benchRecording() {
    constexpr std::int64_t kSteps = 2000;  // about a second: several of the writer's transactions
    const TemporaryFolder folder;
    BenchResult result;
    {
        Endless recorded((folder.path() / "bench.mantissa").string()), bare("");
        result =
            resultOf(runPaired([&] { return recorded.block(kSteps); }, [&] { return bare.block(kSteps); }, 25), "recording",
                     std::string(kEndlessExperiment) + ": steps of a session that is recorded", "the same session, not recorded", 1.02);
    }
    return {result};
}

}  // namespace mantissa
