// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include "engine/cli/commands.h"
#include "engine/plan/product_rate.h"
#include "engine/plan/roofline.h"
#include "engine/session/card_batch.h"
#include "engine/telemetry/number_format.h"

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
    bool memoryOnly = false;
    bool json = false;
};

/// A run with its data and plan.
struct PlannedRun {
    RunSettings settings;
    std::string data;
    Plan plan;
    std::int64_t largestBatch = 0;       // if device memory was given
    std::vector<InstructionTime> times;  // if a GPU was given
};

/// The rates of a GPU that the command line knows by this name; null: none.
const GpuRates* gpuNamed(std::string_view name) {
    const auto all = gpuRates();
    const auto found = std::find_if(all.begin(), all.end(), [&](const GpuRates& each) { return each.name == name; });
    return found == all.end() ? nullptr : &*found;
}

/// The seconds of a step by what limits them.
using SecondsByLimit = std::array<double, 3>;

double& secondsOf(SecondsByLimit& seconds, RooflineLimit limit) {
    return seconds[static_cast<std::size_t>(limit)];
}

SecondsByLimit secondsByLimit(const std::vector<InstructionTime>& times) {
    SecondsByLimit seconds{};
    for (const InstructionTime& time : times) secondsOf(seconds, time.limit) += time.seconds * static_cast<double>(time.repeats);
    return seconds;
}

double sumOf(const SecondsByLimit& seconds) {
    return seconds[0] + seconds[1] + seconds[2];
}

constexpr std::array kLimits{RooflineLimit::Compute, RooflineLimit::Memory, RooflineLimit::Launch};

OrderedJson rooflineJson(const PlannedRun& run, const PlanOptions& options) {
    SecondsByLimit seconds = secondsByLimit(run.times);
    OrderedJson limits;
    for (const RooflineLimit limit : kLimits) limits[std::string(limitName(limit))] = secondsOf(seconds, limit);
    return {{"gpu", options.roofline},
            {"step_seconds", sumOf(seconds)},
            {"seconds_by_limit", limits},
            {"unaligned_products", unalignedProducts(run.plan)}};
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
    if (!run.times.empty()) entry["roofline"] = rooflineJson(run, options);
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

/// What limits a predicted step, and what would shorten it.
std::string limitText(const PlannedRun& run, const GpuRates& gpu) {
    SecondsByLimit seconds = secondsByLimit(run.times);
    const double all = sumOf(seconds);
    const auto percent = [&](RooflineLimit limit) { return fixedText(100 * secondsOf(seconds, limit) / all, 0) + " %"; };
    std::string text = "Limited by compute: " + percent(RooflineLimit::Compute) + ", by memory: " + percent(RooflineLimit::Memory) +
                       ", by the launch of kernels: " + percent(RooflineLimit::Launch) + ".\n";
    if (secondsOf(seconds, RooflineLimit::Launch) > 0.5 * all)
        text +=
            "The tensors are too small for this GPU: a narrower format does not make this step faster. "
            "A larger batch or wider layers use it better.\n";
    else if (secondsOf(seconds, RooflineLimit::Memory) > 0.5 * all)
        text += "Most of the time is spent on reading and writing memory: a narrower format helps as far as it makes tensors smaller.\n";
    double fp32Seconds = 0;
    std::set<Dtype> formats;
    for (std::size_t i = 0; i < run.times.size(); ++i) {
        const Instruction& instruction = run.plan.instructions[i];
        if (!isProductOperation(instruction.operation)) continue;
        formats.insert(instruction.compute);
        if (substitute(gpu, instruction.compute) == Dtype::F32 && run.times[i].limit == RooflineLimit::Compute)
            fp32Seconds += run.times[i].seconds * static_cast<double>(run.times[i].repeats);
    }
    for (const Dtype format : formats) {
        if (const Dtype used = substitute(gpu, format); used != format)
            text += "This GPU has no instructions for products in " + std::string(facts(format).name) +
                    "; the prediction uses the rate of " + std::string(facts(used).name) + ".\n";
    }
    if (fp32Seconds > 0.1 * all)
        text += "Products in fp32 use no tensor cores: " + fixedText(100 * fp32Seconds / all, 0) + " % of the time.\n";
    if (const std::int64_t unaligned = unalignedProducts(run.plan); unaligned > 0)
        text += std::to_string(unaligned) + (unaligned == 1 ? " product has a dimension" : " products have a dimension") +
                " that is not a multiple of 8 (16 in fp8). Tensor cores pad it; the prediction does not include this.\n";
    return text;
}

/// The predicted time of a step by operation, the longest first.
void printRoofline(const PlannedRun& run, const PlanOptions& options) {
    struct Part {
        std::int64_t runs = 0;
        double bytes = 0;
        SecondsByLimit seconds{};
    };
    std::map<std::string, Part> parts;
    for (std::size_t i = 0; i < run.times.size(); ++i) {
        const InstructionTime& time = run.times[i];
        const Instruction& instruction = run.plan.instructions[i];
        if (time.repeats == 0) continue;
        Part& part = parts[instruction.name];
        part.runs += time.repeats;
        part.bytes += instruction.bytes * static_cast<double>(time.repeats);
        secondsOf(part.seconds, time.limit) += time.seconds * static_cast<double>(time.repeats);
    }
    std::vector<std::pair<std::string, Part>> sorted(parts.begin(), parts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return sumOf(a.second.seconds) > sumOf(b.second.seconds); });
    const double all = sumOf(secondsByLimit(run.times));
    std::vector<std::vector<std::string>> rows{{"operation", "runs", "MB", "ms", "share %", "limited by"}};
    Part step;
    for (const auto& [name, part] : sorted) {
        const auto most = std::max_element(part.seconds.begin(), part.seconds.end()) - part.seconds.begin();
        rows.push_back({name, std::to_string(part.runs), fixedText(part.bytes / 1e6, 2), fixedText(1e3 * sumOf(part.seconds), 4),
                        fixedText(100 * sumOf(part.seconds) / all, 1), std::string(limitName(kLimits[static_cast<std::size_t>(most)]))});
        step.runs += part.runs;
        step.bytes += part.bytes;
    }
    rows.push_back({"step", std::to_string(step.runs), fixedText(step.bytes / 1e6, 2), fixedText(1e3 * all, 4), "100.0", ""});
    std::cout << "  predicted on " << options.roofline << ":\n"
              << alignedTable(rows) << limitText(run, *gpuNamed(options.roofline)) << '\n';
}

void printPlan(const PlannedRun& run, const PlanOptions& options) {
    const Plan& plan = run.plan;
    const std::string detail = precisionDetail(run.settings.training.precision);
    std::cout << run.settings.name << ": " << plan.policy.name << (plan.policy.reason.empty() ? "" : " (" + plan.policy.reason + ")")
              << (detail.empty() ? "" : ", " + detail) << ", scaler " << run.settings.training.scaler.preset << "\n  " << run.data << '\n';
    if (!run.times.empty()) return printRoofline(run, options);
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
    const GpuRates* const gpu = gpuNamed(options.roofline);
    std::vector<PlannedRun> runs;
    for (const RunSettings& each : experiment.runs) {
        if (!options.run.empty() && each.name != options.run) continue;
        RunSettings wanted = each;
        if (gpu && wanted.training.precision.policy == "auto") wanted.training.precision.policy = gpu->hasBf16 ? "bf16" : "fp16";
        RunSettings settings = resolvedOn(*backend, wanted);
        const auto dataset = loadDataset(settings.training.data);
        const DataShape shape = shapeOf(*dataset);
        Plan plan = buildPlans(settings.training, shape, *backend).training;
        const std::int64_t batch = options.cardBytes > 0 ? batchForCard(settings, *dataset, *backend, options.cardBytes) : 0;
        std::vector<InstructionTime> times;
        if (gpu) times = predictTimes(plan, *gpu, settings.training.accumulate);
        runs.push_back({std::move(settings), dataText(*dataset), std::move(plan), batch, std::move(times)});
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
    std::vector<std::string> gpus;
    for (const GpuRates& gpu : gpuRates()) gpus.emplace_back(gpu.name);
    command->add_option("--roofline", options->roofline, "predict each operation's time on a GPU, and what limits it")
        ->check(CLI::IsMember(gpus))
        ->excludes("--card");
    command->add_flag("--memory", options->memoryOnly, "the memory of all runs side by side, without the instructions")
        ->excludes("--roofline");
    command->add_flag("--json", options->json, "one JSON object on standard output");
    command->callback([&work, options] { work = [options] { return showPlan(*options); }; });
}

}  // namespace mantissa
