// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "engine/cli/commands.h"
#include "engine/plan/product_rate.h"
#include "engine/plan/roofline.h"
#include "engine/session/preview.h"
#include "engine/telemetry/number_format.h"
#include "engine/training/measure_times.h"

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
    std::string roofline;        // a name of gpuRates(); empty: not given
    bool isMeasured = false;
    std::string device = "auto";
    bool memoryOnly = false;
    bool json = false;
};

/// A run with its data and plan.
struct PlannedRun {
    RunSettings settings;
    std::string data;
    Plan plan{};
    std::int64_t largestBatch = 0;         // if device memory was given
    std::vector<InstructionTime> times{};  // predicted, if a GPU was given
    std::optional<StepTimes> predicted{}, measured{};
    double fullStatistics = 0, partialStatistics = 0;  // predicted seconds of tensor statistics in a step that measures them
};

/// The rates of a GPU that the command line knows by this name; null: none.
const GpuRates* gpuNamed(std::string_view name) {
    const auto all = gpuRates();
    const auto found = std::find_if(all.begin(), all.end(), [&](const GpuRates& each) { return each.name == name; });
    return found == all.end() ? nullptr : &*found;
}

OrderedJson notesJson(const StepTimes& times) {
    OrderedJson notes = OrderedJson::array();
    for (const Text& note : times.notes) notes.push_back(note.english());
    return notes;
}

OrderedJson rooflineJson(const PlannedRun& run) {
    const SecondsByLimit& limits = run.predicted->byLimit;
    return {{"gpu", run.predicted->device},
            {"step_seconds", run.predicted->seconds},
            {"seconds_by_limit", {{"compute", limits[0]}, {"memory", limits[1]}, {"launch", limits[2]}}},
            {"unaligned_products", unalignedProducts(run.plan)},
            {"statistics_seconds", {{"full", run.fullStatistics}, {"blocks", run.partialStatistics}}},
            {"notes", notesJson(*run.predicted)}};
}

OrderedJson measuredJson(const StepTimes& measured) {
    OrderedJson operations = OrderedJson::array();
    for (const OperationTime& each : measured.operations) {
        operations.push_back(
            {{"operation", each.operation}, {"runs", each.runs}, {"flops", each.flops}, {"bytes", each.bytes}, {"seconds", each.seconds}});
        if (each.kind != OperationKind::Product) continue;
        operations.back()["compute"] = facts(each.compute).name;
        operations.back()["large_product_tflops"] = each.peakTflops;
    }
    return {{"device", measured.device},
            {"step_seconds", measured.stepSeconds},
            {"operation_seconds", measured.seconds},
            {"product_seconds", measured.secondsOf(OperationKind::Product)},
            {"conversion_seconds", measured.secondsOf(OperationKind::Conversion)},
            {"short_seconds", measured.shortSeconds},
            {"operations", std::move(operations)},
            {"notes", notesJson(measured)}};
}

OrderedJson instructionsJson(const PlannedRun& run) {
    const Plan& plan = run.plan;
    OrderedJson instructions = OrderedJson::array();
    for (std::size_t index = 0; index < plan.instructions.size(); ++index) {
        const Instruction& i = plan.instructions[index];
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
        if (i.group >= 0) instructions.back()["group"] = i.group;
        if (run.times.empty()) continue;
        instructions.back()["predicted_seconds"] = run.times[index].seconds;
        instructions.back()["limit"] = limitName(run.times[index].limit);
        instructions.back()["repeats"] = run.times[index].repeats;
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
    if (run.predicted) entry["roofline"] = rooflineJson(run);
    if (run.measured) entry["measured"] = measuredJson(*run.measured);
    if (!options.memoryOnly) entry["instructions"] = instructionsJson(run);
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

/// The time of a step by operation, the longest first. `predicted`: the prediction beside it; for a predicted step, itself.
void printTimes(const StepTimes& times, const StepTimes* predicted) {
    const bool isMeasured = times.isMeasured();
    const auto ms = [](double seconds) { return fixedText(1e3 * seconds, 4); };
    const auto percent = [](double share) { return fixedText(100 * share, 1); };
    std::vector<std::vector<std::string>> rows{{"operation", "format", "calls", "MB", "ms", "share %"}};
    if (isMeasured) rows[0].insert(rows[0].end(), {"TFLOP/s", "% of GEMM", "GB/s"});
    if (isMeasured && predicted) rows[0].push_back(predicted->device + " ms");
    if (predicted) rows[0].emplace_back("limited by");
    OperationTime step;
    for (const OperationTime& each : times.operations) {
        const bool isProduct = each.kind == OperationKind::Product;
        std::vector<std::string>& row =
            rows.emplace_back(std::vector{each.operation, isProduct ? std::string(facts(each.compute).name) : "", std::to_string(each.runs),
                                          fixedText(each.bytes / 1e6, 2), ms(each.seconds), percent(each.seconds / times.seconds)});
        const double tflops = each.flops / each.seconds / 1e12;
        if (isMeasured)
            row.insert(row.end(), {isProduct ? numberText(tflops, 3) : "", each.peakTflops > 0 ? percent(tflops / each.peakTflops) : "",
                                   isProduct ? "" : numberText(each.bytes / each.seconds / 1e9, 3)});
        if (const OperationTime* const prediction = predicted ? predicted->find(each) : nullptr) {
            if (isMeasured) row.push_back(ms(prediction->seconds));
            row.emplace_back(limitName(prediction->limit));
        }
        step.runs += each.runs;
        step.bytes += each.bytes;
    }
    rows.push_back({"step", "", std::to_string(step.runs), fixedText(step.bytes / 1e6, 2), ms(times.seconds), "100.0"});
    if (isMeasured) rows.back().insert(rows.back().end(), 3, "");
    if (isMeasured && predicted) rows.back().push_back(ms(predicted->seconds));
    if (predicted) rows.back().emplace_back();
    std::cout << "  "
              << (isMeasured ? "measured on " + times.device + ": a step takes " + ms(times.stepSeconds) + " ms; its operations:\n"
                             : "predicted on " + times.device + ":\n")
              << alignedTable(rows, {0, 1});
    const auto share = [&](double seconds) { return percent(seconds / times.seconds) + " %"; };
    if (isMeasured)
        std::cout << "Products: " << share(times.secondsOf(OperationKind::Product))
                  << ", conversions: " << share(times.secondsOf(OperationKind::Conversion))
                  << ", other operations: " << share(times.secondsOf(OperationKind::Other))
                  << ". Operations shorter than 5 µs: " << share(times.shortSeconds) << ".\n";
    else
        std::cout << "Limited by compute: " << share(times.byLimit[0]) << ", by memory: " << share(times.byLimit[1])
                  << ", by the launch of kernels: " << share(times.byLimit[2]) << ".\n";
    for (const Text& note : times.notes) std::cout << note.english() << '\n';
    if (isMeasured && predicted && !predicted->notes.empty()) {
        std::cout << "On " << predicted->device << ":\n";
        for (const Text& note : predicted->notes) std::cout << "  " << note.english() << '\n';
    }
}

void printPlan(const PlannedRun& run, const PlanOptions& options) {
    const Plan& plan = run.plan;
    const std::string detail = precisionDetail(run.settings.training.precision);
    std::cout << run.settings.name << ": " << plan.policy.name << (plan.policy.reason.empty() ? "" : " (" + plan.policy.reason + ")")
              << (detail.empty() ? "" : ", " + detail) << ", scaler " << run.settings.training.scaler.preset << "\n  " << run.data << '\n';
    if (run.measured || run.predicted) {
        printTimes(run.measured ? *run.measured : *run.predicted, run.predicted ? &*run.predicted : nullptr);
        if (run.predicted)
            std::cout << "On " << run.predicted->device << ", tensor statistics are predicted to add "
                      << fixedText(100 * run.fullStatistics / run.predicted->seconds, 1) << " % to a step that measures all elements, and "
                      << fixedText(100 * run.partialStatistics / run.predicted->seconds, 1)
                      << " % to one that measures one block in eight.\n";
        std::cout << '\n';
        return;
    }
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

PlannedRun plannedRun(RunSettings wanted, const std::shared_ptr<Backend>& backend, const GpuRates* gpu, const PlanOptions& options) {
    if (gpu && !options.isMeasured && wanted.training.precision.policy == "auto")
        wanted.training.precision.policy = gpu->hasBf16 ? "bf16" : "fp16";
    const RunSettings settings = resolvedOn(*backend, wanted);
    const auto dataset = loadDataset(settings.training.data);
    PlannedRun planned{.settings = settings, .data = dataText(*dataset)};
    if (options.isMeasured) {
        Trainer trainer(settings.training, dataset, backend);
        planned.measured = measureStepTimes(trainer, *backend);
    }
    planned.plan = buildPlans(settings.training, shapeOf(*dataset), *backend).training;
    if (options.cardBytes > 0) planned.largestBatch = batchForCard(settings, *dataset, *backend, options.cardBytes);
    if (gpu) {
        planned.times = predictTimes(planned.plan, *gpu, settings.training.accumulate);
        planned.predicted = predictStep(planned.plan, *gpu, settings.training.accumulate);
        const auto statistics = [&](Instrumentation level) {
            return predictStatistics(buildPlans(settings.training, shapeOf(*dataset), *backend, false, level).training, *gpu);
        };
        planned.fullStatistics = statistics(Instrumentation::Full);
        planned.partialStatistics = statistics(Instrumentation::Blocks);
    }
    return planned;
}

int showPlan(const PlanOptions& options) {
    const Experiment experiment = loadExperiment(options.experiment, options.patches);
    const std::shared_ptr<Backend> backend = options.isMeasured ? openDevice(options.device) : createCpuBackend();
    const GpuRates* const gpu = gpuNamed(options.roofline);
    std::vector<PlannedRun> runs;
    for (std::size_t i = 0; i < experiment.runs.size(); ++i) {
        if (!options.run.empty() && experiment.runs[i].name != options.run) continue;
        try {
            runs.push_back(plannedRun(experiment.runs[i], backend, gpu, options));
        } catch (const std::invalid_argument& error) {  // a model that cannot be planned for these data
            throw InputError(options.experiment, "/runs/" + std::to_string(i), error.what());
        }
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
    CLI::App* command = app.add_subcommand("plan", "Show a run's instructions, formats, flops and memory, or the time of a step");
    auto options = std::make_shared<PlanOptions>();
    command->add_option("EXPERIMENT", options->experiment, "a JSON file or the name of a bundled experiment")->required();
    command->add_option("--run", options->run, "one run alone");
    command->add_option("--set", options->patches, "/json/pointer=VALUE")->allow_extra_args(false);
    command->add_option("--card", options->cardBytes, "also find the largest batch that fits a card of that memory, as 24GiB or 80GB")
        ->transform(CLI::Validator(wholeBytes, "SIZE"));
    std::vector<std::string> gpus;
    for (const GpuRates& gpu : gpuRates()) gpus.emplace_back(gpu.name);
    command->add_option("--roofline", options->roofline, "predict each operation's time on a GPU, and what limits it")
        ->check(CLI::IsMember(gpus))
        ->excludes("--card");
    CLI::Option* const measure =
        command->add_flag("--measure", options->isMeasured, "measure each operation's time on this machine, and say what limits the step")
            ->excludes("--card");
    command->add_option("--device", options->device, "where to measure: auto, cpu or cuda:0")->capture_default_str()->needs(measure);
    command->add_flag("--memory", options->memoryOnly, "the memory of all runs side by side, without the instructions")
        ->excludes("--roofline")
        ->excludes(measure);
    command->add_flag("--json", options->json, "one JSON object on standard output");
    command->callback([&work, options] { work = [options] { return showPlan(*options); }; });
}

}  // namespace mantissa
