// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/session/card_batch.h"

namespace mantissa {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string dtypeText(const Plan& plan, int buffer) {
    if (buffer < 0) return "-";
    const Buffer& b = plan.buffers[static_cast<std::size_t>(buffer)];
    if (b.blocks)
        return std::string(b.blocks->name) + " " + blockShapeName(b.blocks->block) + (b.blocks->hasFp32Scales() ? ", fp32 scales" : "");
    return b.dtype ? std::string(facts(*b.dtype).name) : "int32";
}

OrderedJson memoryJson(const MemoryLedger& m) {
    return {{"weights", m.weights},         {"master_weights", m.masterWeights}, {"gradients", m.gradients}, {"optimizer", m.optimizer},
            {"activations", m.activations}, {"workspace", m.workspace},          {"total", m.total()},       {"scratch", m.scratch}};
}

struct PlanOptions {
    std::string experiment, run;
    std::vector<std::string> patches;
    std::int64_t cardBytes = 0;  // device memory; 0: not given
    bool memoryOnly = false;
    bool json = false;
};

/// A run with its data and plan.
struct PlannedRun {
    RunSettings settings;
    std::string data;
    Plan plan;
    std::int64_t largestBatch = 0;  // if device memory was given
};

OrderedJson instructionsJson(const Plan& plan) {
    OrderedJson instructions = OrderedJson::array();
    for (const Instruction& i : plan.instructions) {
        OrderedJson operands = OrderedJson::array();
        for (const int operand : i.operands) {
            if (operand < 0) continue;
            const Buffer& b = plan.buffers[static_cast<std::size_t>(operand)];
            operands.push_back({{"name", b.name}, {"shape", b.shape}, {"dtype", dtypeText(plan, operand)}});
        }
        instructions.push_back({{"phase", phaseName(i.phase)},
                                {"layer", i.layer},
                                {"operation", i.name},
                                {"compute", facts(i.compute).name},
                                {"flops", i.flops},
                                {"bytes", i.bytes},
                                {"operands", std::move(operands)}});
    }
    return instructions;
}

OrderedJson planJson(const PlannedRun& run, const PlanOptions& options) {
    const TrainingSettings& training = run.settings.training;
    OrderedJson entry{{"name", run.settings.name}, {"data", run.data}, {"precision", run.plan.policy.name}};
    if (const std::string detail = precisionDetail(training.precision); !detail.empty()) entry["precision_detail"] = detail;
    if (!run.plan.policy.reason.empty()) entry["reason"] = run.plan.policy.reason;
    entry["scaler"] = training.scaler.preset;
    entry["memory"] = memoryJson(run.plan.memory);
    if (options.cardBytes > 0) entry["largest_batch"] = run.largestBatch;
    if (!options.memoryOnly) entry["instructions"] = instructionsJson(run.plan);
    return entry;
}

/// A ledger's lines, and the largest batch if device memory was given.
std::vector<std::pair<std::string, std::int64_t>> ledgerLines(const PlannedRun& run, const PlanOptions& options) {
    const MemoryLedger& m = run.plan.memory;
    std::vector<std::pair<std::string, std::int64_t>> lines{{"weights", m.weights},         {"master weights", m.masterWeights},
                                                            {"gradients", m.gradients},     {"optimizer", m.optimizer},
                                                            {"activations", m.activations}, {"workspace", m.workspace},
                                                            {"total", m.total()},           {"without scratch", m.withoutScratch()}};
    if (options.cardBytes > 0) lines.emplace_back("largest batch", run.largestBatch);
    return lines;
}

void printPlan(const PlannedRun& run, const PlanOptions& options) {
    const Plan& plan = run.plan;
    const std::string detail = precisionDetail(run.settings.training.precision);
    std::cout << run.settings.name << ": " << plan.policy.name << (plan.policy.reason.empty() ? "" : " (" + plan.policy.reason + ")")
              << (detail.empty() ? "" : ", " + detail) << ", scaler " << run.settings.training.scaler.preset << "\n  " << run.data << '\n';
    std::vector<std::vector<std::string>> rows{{"phase", "layer", "operation", "compute", "operands", "kflop", "bytes"}};
    for (const Instruction& i : plan.instructions) {
        std::string operands;
        for (const int operand : i.operands) {
            if (operand >= 0) operands += (operands.empty() ? "" : " ") + dtypeText(plan, operand);
        }
        rows.push_back({std::string(phaseName(i.phase)), i.layer, i.name, std::string(facts(i.compute).name), operands,
                        std::to_string(static_cast<std::int64_t>(i.flops / 1000)), std::to_string(static_cast<std::int64_t>(i.bytes))});
    }
    std::cout << alignedTable(rows) << '\n';
    std::vector<std::vector<std::string>> ledger{{"memory", "bytes"}};
    for (const auto& [name, value] : ledgerLines(run, options)) ledger.push_back({name, std::to_string(value)});
    std::cout << alignedTable(ledger) << '\n';
}

/// All ledgers in one table, a column per run.
void printLedgers(const std::vector<PlannedRun>& runs, const PlanOptions& options) {
    std::vector<std::vector<std::string>> rows{{"memory in bytes"}};
    for (const auto& line : ledgerLines(runs.front(), options)) rows.push_back({line.first});
    for (const PlannedRun& run : runs) {
        rows.front().push_back(run.settings.name);
        const auto lines = ledgerLines(run, options);
        for (std::size_t i = 0; i < lines.size(); ++i) rows[i + 1].push_back(std::to_string(lines[i].second));
    }
    std::cout << alignedTable(rows);
}

/// Converts "1.5GiB" to bytes, as digits; returns an error text. CLI11's sizes are whole numbers, so it converts only the unit.
std::string wholeBytes(std::string& text) {
    char* unitBegin = nullptr;
    const double number = std::strtod(text.c_str(), &unitBegin);
    std::string unit = std::string("1") + unitBegin;
    const std::string refusal = "'" + text + "' is no size, as 24GiB or 1.5GB";
    if (unitBegin == text.c_str()) return refusal;
    try {
        if (!CLI::AsSizeValue(true)(unit).empty()) return refusal;
    } catch (const CLI::Error&) {  // an unknown unit
        return refusal;
    }
    const double bytes = std::floor(number * std::stod(unit));
    if (!(bytes >= 1 && bytes < 0x1p63)) return "'" + text + "' is not between 1 byte and 8 EiB";
    if (*unitBegin == '\0' && bytes < 0x1p20) return "'" + text + "' has no unit, as 24GiB or 1.5GB have";
    text = std::to_string(static_cast<std::int64_t>(bytes));
    return "";
}

int showPlan(const PlanOptions& options) {
    const Experiment experiment = loadExperiment(options.experiment, options.patches);
    const auto backend = createCpuBackend();
    std::vector<PlannedRun> runs;
    for (const RunSettings& each : experiment.runs) {
        if (!options.run.empty() && each.name != options.run) continue;
        RunSettings settings = resolvedOn(*backend, each);
        const auto dataset = loadDataset(settings.training.data);
        const DataShape shape = shapeOf(*dataset);
        Plan plan = buildPlans(settings.training, shape, *backend).training;
        const std::int64_t batch = options.cardBytes > 0 ? batchForCard(settings, *dataset, *backend, options.cardBytes) : 0;
        runs.push_back({std::move(settings), dataText(*dataset), std::move(plan), batch});
    }
    if (runs.empty()) throw UsageError("plan: --run: the experiment has no run '" + options.run + "'");
    if (options.json) {
        OrderedJson list = OrderedJson::array();
        for (const PlannedRun& run : runs) list.push_back(planJson(run, options));
        std::cout << OrderedJson{{"runs", list}}.dump() << '\n';
    } else if (options.memoryOnly) {
        printLedgers(runs, options);
    } else {
        for (const PlannedRun& run : runs) printPlan(run, options);
    }
    return kExitDone;
}

}  // namespace

void addPlan(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("plan", "Show a run's instructions, formats, flops and memory, without training");
    auto options = std::make_shared<PlanOptions>();
    command->add_option("EXPERIMENT", options->experiment, "a JSON file or the name of a bundled experiment")->required();
    command->add_option("--run", options->run, "one run alone");
    command->add_option("--set", options->patches, "/json/pointer=VALUE")->allow_extra_args(false);
    command->add_option("--card", options->cardBytes, "also find the largest batch that fits a card of that memory, as 24GiB or 80GB")
        ->transform(CLI::Validator(wholeBytes, "SIZE"));
    command->add_flag("--memory", options->memoryOnly, "the memory of all runs side by side, without the instructions");
    command->add_flag("--json", options->json, "one JSON object on standard output");
    command->callback([&work, options] { work = [options] { return showPlan(*options); }; });
}

}  // namespace mantissa
