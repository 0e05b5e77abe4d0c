// SPDX-License-Identifier: Apache-2.0
// batches: whether a language model computes the same logits for a prompt at each batch size.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/experiment/fields.h"
#include "engine/session/trained_run.h"
#include "engine/telemetry/number_format.h"
#include "engine/training/batch_invariance.h"

namespace mantissa {
namespace {

struct BatchesOptions {
    std::string source, device = "auto", run, sums = "by-rows";
    std::int64_t step = -1, largest = 64, tokens = 64;
    std::vector<std::string> assignments;
    bool json = false;
};

constexpr std::pair<const char*, SumSplit> kSplits[] = {
    {"by-rows", SumSplit::ByRows}, {"fixed", SumSplit::Fixed}, {"backend", SumSplit::Backend}};

SumSplit splitNamed(const std::string& name) {
    return std::find_if(std::begin(kSplits), std::end(kSplits), [&](const auto& each) { return name == each.first; })->second;
}

/// One line of text, in quotes.
std::string quotedLine(const std::string& text) {
    return '"' + oneLine(text) + '"';
}

void writeBatchesTable(const BatchesOptions& options, const std::string& run, std::int64_t step, const BatchReport& report) {
    std::cout << "Run '" << run << "', " << report.policy << ", after " << groupedText(step) << " steps. Sums: " << options.sums;
    if (report.split != SumSplit::Backend) std::cout << ", " << accumulatorName(report.accumulator);
    std::cout << ". Prompt: " << quotedLine(report.prompt) << "\n\n";
    std::vector<std::vector<std::string>> rows{
        {"batch", "elements in a sum", "logits that differ", "largest difference", "first token that differs"}};
    for (const BatchTrial& each : report.trials) {
        rows.push_back({groupedText(each.batch), each.elementsPerSum == 0 ? "-" : groupedText(each.elementsPerSum),
                        groupedText(each.differing) + " of " + groupedText(report.logits), numberText(each.largest, 3),
                        std::isnan(each.largest) ? "-"
                        : each.firstToken < 0    ? "none of " + groupedText(options.tokens)
                                                 : groupedText(each.firstToken)});
    }
    std::cout << alignedTable(rows, {}) << '\n';
    const BatchTrial& first = report.trials.front();
    std::cout << "batch 1 goes on with " << quotedLine(first.text) << '\n';
    for (const BatchTrial& each : report.trials) {
        if (each.firstToken >= 0) std::cout << "batch " << each.batch << " goes on with " << quotedLine(each.text) << '\n';
    }
}

nlohmann::ordered_json batchesJson(const std::string& run, std::int64_t step, const BatchesOptions& options, const BatchReport& report) {
    nlohmann::ordered_json trials = nlohmann::ordered_json::array();
    for (const BatchTrial& each : report.trials) {
        nlohmann::ordered_json trial{{"batch", each.batch},
                                     {"elements_per_sum", each.elementsPerSum},
                                     {"differing", each.differing},
                                     {"largest_difference", jsonNumber(each.largest)},
                                     {"first_token", each.firstToken},
                                     {"text", each.text}};
        if (each.elementsPerSum == 0) trial["elements_per_sum"] = nullptr;
        if (each.firstToken < 0) trial["first_token"] = nullptr;
        trials.push_back(std::move(trial));
    }
    return {{"run", run},
            {"step", step},
            {"precision", report.policy},
            {"sums", options.sums},
            {"accumulator", accumulatorName(report.accumulator)},
            {"logits", report.logits},
            {"largest_logit", jsonNumber(report.largestLogit)},
            {"tokens", options.tokens},
            {"prompt", report.prompt},
            {"trials", std::move(trials)}};
}

std::int64_t stepOf(const BatchesOptions& options, const RunSettings& run) {
    return options.step < 0 ? run.training.steps : options.step;
}

int batchesCommand(const BatchesOptions& options) {
    const std::shared_ptr<Backend> backend = openDevice(options.device);
    const Experiment experiment = loadExperiment(options.source, options.assignments);
    const auto chosen = options.run.empty() ? experiment.runs.begin()
                                            : std::find_if(experiment.runs.begin(), experiment.runs.end(),
                                                           [&](const RunSettings& each) { return each.name == options.run; });
    const BatchReport report = askedOf(options.source, [&] {
        if (chosen == experiment.runs.end()) throw noSuchRun(options.run, runNames(experiment));
        checkBatches(chosen->training, *backend, splitNamed(options.sums));
        try {
            const std::unique_ptr<LiveRun> run = trainedRun(experiment, *chosen, backend, stepOf(options, *chosen));
            const std::vector<NamedTensor> weights = run->trainer().weights();
            return tryBatches(run->trainer().settings(), *loadDataset(chosen->training.data), *backend, weights, splitNamed(options.sums),
                              options.largest, options.tokens);
        } catch (const InputError&) {
            throw;
        } catch (const std::runtime_error& error) {
            throw RunError(options.source + ": " + error.what());
        }
    });
    const std::int64_t step = stepOf(options, *chosen);
    if (options.json)
        std::cout << batchesJson(chosen->name, step, options, report).dump() << '\n';
    else
        writeBatchesTable(options, chosen->name, step, report);
    return kExitDone;
}

}  // namespace

void addBatches(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("batches", "Show whether a language model's logits depend on the batch size");
    auto o = std::make_shared<BatchesOptions>();
    command->add_option("EXPERIMENT", o->source, "a JSON file or a bundled experiment with a gpt or llama")->required();
    command->add_option("--run", o->run, "the run to train; without it, the first one");
    command->add_option("--step", o->step, "steps to train; without it, all of the run's")->check(wholeNumberFrom(0));
    command->add_option("--sums", o->sums, "how products are summed: by-rows, as libraries do; fixed; backend")
        ->check(CLI::IsMember({"by-rows", "fixed", "backend"}))
        ->capture_default_str();
    command->add_option("--largest", o->largest, "the largest batch size")->check(CLI::Range(1, 4096))->capture_default_str();
    command->add_option("--tokens", o->tokens, "length of the text that continues the prompt")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    command->add_option("--device", o->device, "auto, cpu or cuda:0")->capture_default_str();
    command->add_option("--set", o->assignments, "/json/pointer=VALUE, over the file (repeatable)")->allow_extra_args(false);
    command->add_flag("--json", o->json, "one JSON object on standard output");
    command->callback([&work, o] { work = [o] { return batchesCommand(*o); }; });
}

}  // namespace mantissa
