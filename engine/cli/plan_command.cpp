// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/experiment/experiment.h"
#include "engine/training/build_plan.h"

namespace mantissa {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string dtypeText(const Plan& plan, int buffer) {
    if (buffer < 0) return "-";
    const Buffer& b = plan.buffers[static_cast<std::size_t>(buffer)];
    return b.dtype ? std::string(facts(*b.dtype).name) : "int32";
}

OrderedJson memoryJson(const MemoryLedger& m) {
    return {{"weights", m.weights},         {"master_weights", m.masterWeights}, {"gradients", m.gradients}, {"optimizer", m.optimizer},
            {"activations", m.activations}, {"workspace", m.workspace},          {"total", m.total()}};
}

OrderedJson planJson(const RunSettings& run, const Dataset& dataset, const Plan& plan) {
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
    OrderedJson entry{{"name", run.name}, {"data", dataText(dataset)}, {"precision", plan.policy.name}};
    if (const std::string detail = precisionDetail(run.training.precision); !detail.empty()) entry["precision_detail"] = detail;
    if (!plan.policy.reason.empty()) entry["reason"] = plan.policy.reason;
    entry["scaler"] = run.training.scaler.preset;
    entry["memory"] = memoryJson(plan.memory);
    entry["instructions"] = std::move(instructions);
    return entry;
}

void printPlan(const RunSettings& run, const Dataset& dataset, const Plan& plan) {
    const std::string detail = precisionDetail(run.training.precision);
    std::cout << run.name << ": " << plan.policy.name << (plan.policy.reason.empty() ? "" : " (" + plan.policy.reason + ")")
              << (detail.empty() ? "" : ", " + detail) << ", scaler " << run.training.scaler.preset << "\n  " << dataText(dataset) << '\n';
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
    const MemoryLedger& m = plan.memory;
    std::cout << alignedTable({{"memory", "bytes"},
                               {"weights", std::to_string(m.weights)},
                               {"master weights", std::to_string(m.masterWeights)},
                               {"gradients", std::to_string(m.gradients)},
                               {"optimizer", std::to_string(m.optimizer)},
                               {"activations", std::to_string(m.activations)},
                               {"workspace", std::to_string(m.workspace)},
                               {"total", std::to_string(m.total())}})
              << '\n';
}

struct PlanOptions {
    std::string experiment, run;
    std::vector<std::string> patches;
    bool json = false;
};

int showPlan(const PlanOptions& options) {
    const Experiment experiment = loadExperiment(options.experiment, options.patches);
    const auto backend = createCpuBackend();
    OrderedJson list = OrderedJson::array();
    bool isFound = false;
    for (const RunSettings& each : experiment.runs) {
        if (!options.run.empty() && each.name != options.run) continue;
        const RunSettings run = settledOn(*backend, each);
        isFound = true;
        const auto dataset = loadDataset(run.training.data);
        const RunPlans plans = buildPlans(run.training, shapeOf(*dataset), *backend);
        if (options.json) {
            list.push_back(planJson(run, *dataset, plans.training));
        } else {
            printPlan(run, *dataset, plans.training);
        }
    }
    if (!isFound) throw UsageError("plan: --run: the experiment has no run '" + options.run + "'");
    if (options.json) std::cout << OrderedJson{{"runs", list}}.dump() << '\n';
    return kExitDone;
}

}  // namespace

void addPlan(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("plan", "Show a run's instructions, formats, flops and memory, without training");
    auto options = std::make_shared<PlanOptions>();
    command->add_option("EXPERIMENT", options->experiment, "a JSON file or the name of a bundled experiment")->required();
    command->add_option("--run", options->run, "one run alone");
    command->add_option("--set", options->patches, "/json/pointer=VALUE")->allow_extra_args(false);
    command->add_flag("--json", options->json, "one JSON object on standard output");
    command->callback([&work, options] { work = [options] { return showPlan(*options); }; });
}

}  // namespace mantissa
