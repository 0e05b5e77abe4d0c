// SPDX-License-Identifier: Apache-2.0
// blocks: what quantisation to a block format does to the operands of a step.
#include <cmath>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/precision/policy.h"
#include "engine/session/trained_run.h"
#include "engine/telemetry/joined.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

struct BlocksOptions {
    std::string source, device = "auto", run, asPolicy;
    std::int64_t step = 0;
    std::vector<std::string> assignments;
    bool json = false;
};

constexpr const char* kOperandNames[] = {"input", "weight", "gradient"};  // in the order of LinearOperand

/// "nvfp4 16x1, rotated, stochastic"
std::string formatText(const OperandBlocks& operand) {
    return operand.format + " " + blockShapeName({operand.blockRows, operand.blockCols}) + (operand.isRequantized ? ", requantised" : "") +
           (operand.isRotated ? ", rotated" : "") + (operand.isStochastic ? ", stochastic" : "");
}

std::string sqnrText(double sqnr) {
    return std::isnan(sqnr) ? "-" : std::isinf(sqnr) ? "exact" : fixedText(sqnr, 2) + " dB";
}

/// "2^-9..2^3", powers of two at or below the smallest and the largest scale.
std::string scalesText(const OperandBlocks& operand) {
    if (operand.scales.empty()) return "-";
    return "2^" + std::to_string(operand.scales.front().exponent) + "..2^" + std::to_string(operand.scales.back().exponent);
}

void writeBlocksTable(const StepBlocks& found) {
    std::cout << "Step " << groupedText(found.step) << " of run '" << found.run << "', " << found.policy << "\n\n";
    std::vector<std::vector<std::string>> rows{
        {"layer", "tensor", "product", "format", "SQNR", "flushed", "saturated", "zero blocks", "scales"}};
    for (const OperandBlocks& each : found.operands) {
        rows.push_back({each.layer, each.tensor, joined(each.products, ", ", directionName), formatText(each), sqnrText(each.sqnr),
                        fixedText(100 * each.flushedShare(), 2) + " %", fixedText(100 * each.saturatedShare(), 2) + " %",
                        groupedText(each.zeroBlocks) + " of " + groupedText(each.blocks), scalesText(each)});
    }
    std::cout << alignedTable(rows, {0, 1, 2, 3});
}

nlohmann::ordered_json blocksJson(const OperandBlocks& each) {
    using OrderedJson = nlohmann::ordered_json;
    OrderedJson products = OrderedJson::array(), scales = OrderedJson::array(), map = OrderedJson::array(), lost = OrderedJson::array();
    for (const Direction product : each.products) products.push_back(directionName(product));
    for (const ScaleBin& bin : each.scales) scales.push_back({{"exponent", bin.exponent}, {"blocks", bin.blocks}});
    for (const float sqnr : each.map.sqnr) map.push_back(jsonNumber(static_cast<double>(sqnr)));
    for (const float share : each.map.flushed) lost.push_back(jsonNumber(static_cast<double>(share)));
    return {{"layer", each.layer},
            {"tensor", each.tensor},
            {"products", std::move(products)},
            {"operand", kOperandNames[static_cast<std::size_t>(each.operand)]},
            {"format", each.format},
            {"shape", {each.rows, each.cols}},
            {"block", {each.blockRows, each.blockCols}},
            {"requantised", each.isRequantized},
            {"rotated", each.isRotated},
            {"stochastic", each.isStochastic},
            {"sqnr_db", jsonNumber(each.sqnr)},
            {"non_zero", each.nonZero},
            {"flushed", each.flushed},
            {"flushed_share", each.flushedShare()},
            {"saturated", each.saturated},
            {"saturated_share", each.saturatedShare()},
            {"blocks", each.blocks},
            {"zero_blocks", each.zeroBlocks},
            {"zero_scales", each.zeroScales},
            {"nan_scales", each.nanScales},
            {"scales", std::move(scales)},
            {"smallest_scale", each.smallestScale},
            {"largest_scale", each.largestScale},
            {"factor", jsonNumber(each.factor)},
            {"largest", each.largest},
            {"largest_rotated", each.isRotated ? OrderedJson(each.largestRotated) : OrderedJson()},
            {"map",
             {{"rows", each.map.rows},
              {"cols", each.map.cols},
              {"block_rows_per_cell", each.map.blockRowsPerCell},
              {"block_cols_per_cell", each.map.blockColsPerCell},
              {"sqnr_db", std::move(map)},
              {"flushed_share", std::move(lost)}}}};
}

/// "mxfp8, mxfp6, ..."
std::string blockPolicyNames() {
    return joined(blockPolicies(), ", ", &BlockPolicy::name);
}

int blocksCommand(const BlocksOptions& options) {
    if (!options.asPolicy.empty() && !isBlockPolicy(options.asPolicy))
        throw UsageError("blocks: --as: '" + options.asPolicy + "' is no block policy (" + blockPolicyNames() + ")");
    const std::shared_ptr<Backend> backend = openDevice(options.device);
    const Experiment experiment = loadExperiment(options.source, options.assignments);
    const StepBlocks found = askedOf(options.source, [&] {
        try {
            return readStepBlocks(experiment, backend, options.run, options.step, options.asPolicy);
        } catch (const InputError&) {
            throw;
        } catch (const std::runtime_error& error) {
            throw RunError(options.source + ": " + error.what());
        }
    });
    if (!options.json) {
        writeBlocksTable(found);
        return kExitDone;
    }
    nlohmann::ordered_json json{
        {"run", found.run}, {"step", found.step}, {"precision", found.policy}, {"operands", nlohmann::ordered_json::array()}};
    for (const OperandBlocks& each : found.operands) json["operands"].push_back(blocksJson(each));
    std::cout << json.dump() << '\n';
    return kExitDone;
}

}  // namespace

void addBlocks(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("blocks", "Show what a block format does to the operands of a step's products");
    auto o = std::make_shared<BlocksOptions>();
    command->add_option("EXPERIMENT", o->source, "a JSON file or a bundled experiment")->required();
    command->add_option("--run", o->run, "of this run; without it, of the first one in a block format");
    command->add_option("--step", o->step, "of this step; the run is trained up to it")->check(wholeNumberFrom(0))->capture_default_str();
    command->add_option("--as", o->asPolicy, "as if the run switched to this block policy at that step: " + blockPolicyNames());
    command->add_option("--device", o->device, "auto, cpu or cuda:0")->capture_default_str();
    command->add_option("--set", o->assignments, "/json/pointer=VALUE, over the file (repeatable)")->allow_extra_args(false);
    command->add_flag("--json", o->json, "one JSON object on standard output");
    command->callback([&work, o] { work = [o] { return blocksCommand(*o); }; });
}

}  // namespace mantissa
