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

constexpr int kMeasuredSteps = 20 * kSampledPeriod;  // each block has as many looks

std::unique_ptr<Trainer> endless(TrainingSettings settings, Instrumentation level) {
    settings.steps = 1'000'000'000;
    settings.validationInterval = settings.steps;
    auto trainer = std::make_unique<Trainer>(settings, loadDataset(settings.data), createCpuBackend());
    trainer->setInstrumentation(level);
    return trainer;
}

/// Seconds a step, over all of them: a median would not see the few that are measured.
TimedBlock meanStep(Trainer& trainer) {
    return [&trainer] {
        const auto seconds = timeUnits(1, [&] {
            for (int i = 0; i < kMeasuredSteps; ++i) trainer.step();
        });
        return std::vector<double>{seconds[0] / kMeasuredSteps};
    };
}

}  // namespace

std::vector<BenchResult> benchDiagnosis() {
    const std::string name = kEndlessExperiment;
    std::string source;
    std::filesystem::path folder;
    const Experiment experiment = parseExperiment(loadExperimentText(name, source, folder), name);
    std::vector<BenchResult> results;
    for (const RunSettings& run : experiment.runs) {
        for (const auto& [level, limit] : {std::pair(Instrumentation::Sampled, 1.05), {Instrumentation::Full, 1.15}}) {
            const auto looking = endless(run.training, level), off = endless(run.training, Instrumentation::Off);
            const std::string often(instrumentationName(level));
            results.push_back(resultOf(runPaired(meanStep(*looking), meanStep(*off), 25), "diagnosis-" + often + "-" + run.name,
                                       name + ", " + run.name + ": steps with looks at every tensor, " + often, "the same steps without",
                                       limit));
        }
    }
    constexpr std::int64_t kSteps = 4000;  // half a second or more: several censuses on their way out
    Endless looking("", Instrumentation::Sampled, true), off("", Instrumentation::Off, true);
    results.push_back(
        resultOf(runPaired([&] { return looking.block(kSteps); }, [&] { return off.block(kSteps); }, 15), "diagnosis-served",
                 std::string(kEndlessExperiment) + ": steps of a session that looks, sampled, and makes it ready for the wire",
                 "the same session without", 1.05));
    return results;
}

}  // namespace mantissa
