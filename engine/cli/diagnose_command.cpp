// SPDX-License-Identifier: Apache-2.0
// diagnose: the origin of the first non-finite step's value, and remedies.
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/diagnose_output.h"
#include "engine/diagnosis/verdict.h"
#include "engine/session/diagnose.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

struct DiagnoseOptions {
    std::string source, device = "auto";
    DiagnoseRequest request;
    std::int64_t steps = -1;
    std::vector<std::string> assignments;
    bool json = false, isAll = false;
};

/// Reports that no step was found non-finite. `isChanged`: steps do not repeat as recorded, so the end could not be judged. `missing`:
/// steps of watched runs that were not received.
void writeNone(const DiagnoseOptions& options, std::int64_t steps, bool isAll, bool isChanged = false, std::int64_t missing = 0) {
    const std::string of = groupedText(steps) + (steps == 1 ? " step" : " steps");
    if (options.json) {
        nlohmann::ordered_json json{{"run", nullptr}, {"steps", steps}, {"complete", isAll && missing == 0}};
        if (missing > 0) json["missing_steps"] = missing;
        if (isChanged) json["reproduced"] = false;
        std::cout << json.dump() << '\n';
    } else if (isChanged) {
        std::cout << "No non-finite step was recorded among " << of
                  << ", but the run does not repeat as it was recorded: the data or program changed "
                  << "since. What is lost at its end is not known.\n";
    } else if (isAll) {
        std::cout << "No step was bad: losses and gradients of " << of << " are finite"
                  << (missing > 0 ? ", and " + groupedText(missing) + " more never came." : ".") << '\n';
    } else {
        std::cout << "No non-finite step is among the " << of << " that could be read; there were more, or may have been.\n";
    }
}

std::string normalText(std::int64_t others) {
    return groupedText(others) +
           (others == 1 ? " other non-finite step was examined and is" : " other non-finite steps were examined and are") +
           " normal: a dynamic scaler was looking for its scale.";
}

/// `reproduced`: null if there is nothing to compare with; nullopt: omitted.
void writeFound(const DiagnoseOptions& options, const Diagnosed& diagnosed, const std::optional<nlohmann::ordered_json>& reproduced) {
    if (!options.json) {
        std::cout << examinationText(diagnosed.run, diagnosed.examination);
        if (!diagnosed.others.empty()) std::cout << "\nThe same step of other runs\n";
        for (const auto& [run, verdict] : diagnosed.others) std::cout << "  " << run << ": " << verdict.headline.english() << "\n";
        const bool isOneOfThem = diagnosed.examination.verdict.isNormalProbing;
        const std::int64_t others = diagnosed.normal - (isOneOfThem ? 1 : 0);
        if (others > 0) std::cout << "\n" << normalText(others) << "\n";
        return;
    }
    nlohmann::ordered_json json = examinationJson(diagnosed.run, diagnosed.examination);
    if (reproduced) json["reproduced"] = *reproduced;
    json["normal_steps"] = diagnosed.normal;
    for (const auto& [run, verdict] : diagnosed.others)
        json["others"].push_back({{"run", run}, {"verdict", verdictName(verdict.kind)}, {"headline", verdict.headline.english()}});
    const std::int64_t others = diagnosed.normal - (diagnosed.examination.verdict.isNormalProbing ? 1 : 0);
    if (others > 0) json["note"] = normalText(others);
    std::cout << json.dump() << '\n';
}

/// Writes the non-empty sentences to standard error; returns the exit code.
int sayTrouble(const DiagnoseOptions& options, int code, const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) {
        if (sentence.empty()) continue;
        std::cout.flush();
        complain(options.source + ": " + sentence);
        code = kExitCouldNotGoOn;
    }
    return code;
}

void writeList(const DiagnoseOptions& options, const ListedSteps& listed, bool isWhole) {
    if (listed.groups.empty() && !options.json) return writeNone(options, listed.steps, isWhole, false, listed.missing);
    std::cout << (options.json ? listJson(listed).dump() + "\n" : listText(listed));
}

int diagnoseExperiment(const DiagnoseOptions& options, std::shared_ptr<Backend> backend) {
    const auto experiment = [&] { return loadExperiment(options.source, options.assignments, options.steps); };
    if (options.isAll) {
        const ListedSteps listed = askedOf(options.source, [&] { return listNonFiniteSteps(experiment(), backend, options.request); });
        writeList(options, listed, true);
        return sayTrouble(options, kExitDone, {listed.trouble});
    }
    const Diagnosed diagnosed = askedOf(options.source, [&] { return diagnose(experiment(), backend, options.request); });
    if (diagnosed.run.empty())
        writeNone(options, diagnosed.steps, true);
    else
        writeFound(options, diagnosed, std::nullopt);
    return kExitDone;
}

int diagnoseRecording(const DiagnoseOptions& options, std::shared_ptr<Backend> backend) {
    if (!options.assignments.empty() || options.steps >= 0)
        throw UsageError("diagnose: --set and --steps are for experiments; a recording is as it is");
    const Recording recording(options.source);
    Diagnosed diagnosed;
    ListedSteps listed;
    try {
        askedOf(options.source, [&] {
            options.isAll ? void(listed = listNonFiniteSteps(recording, std::move(backend), options.request))
                          : void(diagnosed = diagnose(recording, std::move(backend), options.request));
        });
    } catch (const InputError& error) {
        complainOf(recording, options.source, error);
    } catch (const std::runtime_error& error) {
        if (recording.missing().empty()) throw;
        complainOf(recording, options.source, error);
    }
    int code = sayWhatIsMissing(recording, options.source);
    if (options.isAll) {
        const bool isWhole = code == kExitDone && recording.missing().empty();
        writeList(options, listed, isWhole);
        return sayTrouble(options, isWhole ? code : kExitCouldNotGoOn,
                          {code == kExitDone ? listed.trouble : "", listed.trouble.empty() ? listed.changed : ""});
    }
    if (code == kExitDone) code = sayTrouble(options, code, {diagnosed.trouble});
    const std::string changed = diagnosed.trouble.empty() ? diagnosed.changed : "";  // the trouble is the reason
    if (!diagnosed.run.empty()) {
        const bool isKnown = diagnosed.isCompared || !diagnosed.changed.empty();
        writeFound(options, diagnosed, isKnown ? nlohmann::ordered_json(diagnosed.changed.empty()) : nlohmann::ordered_json());
        return sayTrouble(options, code, {changed});
    }
    const bool isAll = code == kExitDone && recording.missing().empty();
    const bool isChanged = !diagnosed.changed.empty();
    if (diagnosed.steps > 0) writeNone(options, diagnosed.steps, isAll, isChanged, diagnosed.missing);
    if (isChanged) return sayTrouble(options, code, {changed});
    return isAll ? kExitDone : kExitCouldNotGoOn;  // a lost step may have been non-finite
}

int diagnoseCommand(const DiagnoseOptions& options) {
    try {
        const std::shared_ptr<Backend> backend = openDevice(options.device);
        return options.source.ends_with(kRecordingExtension) ? diagnoseRecording(options, backend) : diagnoseExperiment(options, backend);
    } catch (const InputError&) {
        throw;
    } catch (const UsageError&) {
        throw;
    } catch (const RunError&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw RunError(options.source + ": " + error.what());
    }
}

}  // namespace

void addDiagnose(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("diagnose", "Say where a step's first non-finite value was made, why, and what would help");
    auto o = std::make_shared<DiagnoseOptions>();
    command->add_option("SOURCE", o->source, "an experiment (file or bundled name) or a recording (.mantissa)")->required();
    command->add_option("--run", o->request.run, "of this run alone; without it, of any run");
    command->add_option("--step", o->request.step, "this step, bad or not; without it, the first bad one")->check(wholeNumberFrom(0));
    command->add_option("--steps", o->steps, "steps of every run, at most")->check(wholeNumberFrom(0));
    command->add_option("--device", o->device, "auto, cpu or cuda:0")->capture_default_str();
    command->add_option("--set", o->assignments, "/json/pointer=VALUE, over the file (repeatable)")->allow_extra_args(false);
    command->add_flag("--all", o->isAll, "a table of all non-finite steps, instead of one of them")->excludes("--step");
    command->add_flag("--json", o->json, "one JSON object on standard output; with --all, an array");
    command->callback([&work, o] { work = [o] { return diagnoseCommand(*o); }; });
}

}  // namespace mantissa
