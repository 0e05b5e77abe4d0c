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

struct Looks {
    std::string experiment;
    Instrumentation level = Instrumentation::Full;
    double limit = 1.15;
    int steps = kMeasuredSteps, pairs = 25;
};

BenchResult timeLooks(const Looks& looks, const RunSettings& run, const OpenBackend& open) {
    const auto looking = endless(run.training, looks.level, open), off = endless(run.training, Instrumentation::Off, open);
    const std::string often(instrumentationName(looks.level));
    const std::string seen = looks.level == Instrumentation::Blocks ? "one block in eight" : often;
    const PairedTimes times = runPaired(meanStep(*looking, looks.steps), meanStep(*off, looks.steps), looks.pairs);
    return resultOf(times, "diagnosis-" + often + "-" + (looks.experiment == kEndlessExperiment ? run.name : looks.experiment),
                    looks.experiment + ", " + run.name + ": steps with looks at every tensor, " + seen, "the same steps without",
                    looks.limit);
}

}  // namespace

std::vector<BenchResult> benchDiagnosis(const OpenBackend& open) {
    std::vector<BenchResult> results;
    for (const RunSettings& run : runsOf(kEndlessExperiment)) {
        results.push_back(timeLooks({.experiment = kEndlessExperiment, .level = Instrumentation::Sampled, .limit = 1.05}, run, open));
        results.push_back(timeLooks({.experiment = kEndlessExperiment}, run, open));
        results.push_back(
            timeLooks({.experiment = kEndlessExperiment, .level = Instrumentation::Blocks, .steps = 5 * kSampledPeriod}, run, open));
    }
    for (const char* larger : {"a-small-resnet", "a-small-gpt"}) {
        const RunSettings run = runsOf(larger).front();
        results.push_back(timeLooks({.experiment = larger, .steps = 10, .pairs = 15}, run, open));
        results.push_back(timeLooks({.experiment = larger, .level = Instrumentation::Blocks, .steps = 10, .pairs = 15}, run, open));
    }
    constexpr std::int64_t kSteps = 4000;  // at least half a second: several statistics are emitted
    Endless looking("", Instrumentation::Sampled, true, open()), off("", Instrumentation::Off, true, open());
    results.push_back(
        resultOf(runPaired([&] { return looking.block(kSteps); }, [&] { return off.block(kSteps); }, 15), "diagnosis-served",
                 std::string(kEndlessExperiment) + ": steps of a session that looks, sampled, and makes it ready for the wire",
                 "the same session without", 1.05));
    return results;
}

}  // namespace mantissa
