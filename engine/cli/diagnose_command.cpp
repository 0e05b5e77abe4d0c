// SPDX-License-Identifier: Apache-2.0
// diagnose: where the first bad step's non-finite value was made, and what would help.
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/diagnose_output.h"
#include "engine/session/diagnose.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

struct DiagnoseOptions {
    std::string source, device = "auto";
    DiagnoseWish wish;
    std::int64_t steps = -1;
    std::vector<std::string> assignments;
    bool json = false;
};

Diagnosed diagnoseSource(const DiagnoseOptions& options) {
    const std::shared_ptr<Backend> backend = openDevice(options.device);
    if (!options.source.ends_with(".mantissa")) {
        Experiment experiment = loadExperiment(options.source, options.assignments);
        for (RunSettings& run : experiment.runs) {
            if (options.steps >= 0) run.training.steps = options.steps;
        }
        return diagnose(experiment, backend, options.wish);
    }
    if (!options.assignments.empty() || options.steps >= 0)
        throw UsageError("diagnose: --set and --steps are for experiments; a recording is as it is");
    return diagnose(Recording(options.source), backend, options.wish);
}

int diagnoseCommand(const DiagnoseOptions& options) {
    Diagnosed diagnosed;
    try {
        diagnosed = askedOf(options.source, [&] { return diagnoseSource(options); });
    } catch (const InputError&) {
        throw;
    } catch (const UsageError&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw RunError(options.source + ": " + error.what());
    }
    if (diagnosed.run.empty()) {
        if (options.json) {
            std::cout << nlohmann::ordered_json{{"run", nullptr}, {"steps", diagnosed.steps}}.dump() << '\n';
        } else {
            std::cout << "No step was bad: losses and gradients of " << groupedText(diagnosed.steps) << " steps are finite.\n";
        }
    } else if (options.json) {
        std::cout << examinationJson(diagnosed.run, diagnosed.examination).dump() << '\n';
    } else {
        std::cout << examinationText(diagnosed.run, diagnosed.examination);
    }
    return kExitDone;
}

}  // namespace

void addDiagnose(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("diagnose", "Say where a step's first non-finite value was made, why, and what would help");
    auto o = std::make_shared<DiagnoseOptions>();
    command->add_option("SOURCE", o->source, "an experiment (file or bundled name) or a recording (.mantissa)")->required();
    command->add_option("--run", o->wish.run, "of this run alone");
    command->add_option("--step", o->wish.step, "this step, bad or not; without it, the first bad one")->check(CLI::NonNegativeNumber);
    command->add_option("--steps", o->steps, "steps of every run, at most")->check(CLI::NonNegativeNumber);
    command->add_option("--device", o->device, "auto, cpu or cuda:0")->capture_default_str();
    command->add_option("--set", o->assignments, "/json/pointer=VALUE, over the file (repeatable)")->allow_extra_args(false);
    command->add_flag("--json", o->json, "one JSON object on standard output");
    command->callback([&work, o] { work = [o] { return diagnoseCommand(*o); }; });
}

}  // namespace mantissa
