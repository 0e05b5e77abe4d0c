// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <string>

#include "engine/bench/bench.h"
#include "engine/bench/endless.h"
#include "engine/experiment/experiment.h"
#include "engine/training/trainer.h"

namespace mantissa {
namespace {

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

}  // namespace mantissa
