// SPDX-License-Identifier: Apache-2.0
#include "engine/precision/block_recipe.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <stdexcept>

namespace mantissa {
namespace {

constexpr ScaleRule kMxRules[] = {ScaleRule::RoundUp, ScaleRule::Floor, ScaleRule::Rceil, ScaleRule::Ceil, ScaleRule::Even};
constexpr ScaleRule kFp8Rules[] = {ScaleRule::PowerOfTwo, ScaleRule::Fp32};

/// A policy's recipe. Gradients have the element of the first format unless the settings choose another of the two.
struct NamedRecipe {
    BlockPolicy policy;
    std::array<std::string_view, 2> formats;  // the second may be empty
    std::span<const ScaleRule> rules{};       // the default first; empty for nvfp4
    bool hasWholeRows = false;
    bool hasSquareWeights = false, rotates = false, roundsStochastically = false;
    double keepLast = 0;
};
constexpr NamedRecipe kRecipes[] = {
    {.policy = {"fp8-block", "block FP8"}, .formats = {"fp8_block_e4m3", "fp8_block_e5m2"}, .rules = kFp8Rules, .hasSquareWeights = true},
    {.policy = {"fp8-rowwise", "rowwise FP8"}, .formats = {"fp8_block_e4m3", "fp8_block_e5m2"}, .rules = kFp8Rules, .hasWholeRows = true},
    {.policy = {"mxfp8", "MXFP8"}, .formats = {"mxfp8_e4m3", "mxfp8_e5m2"}, .rules = kMxRules},
    {.policy = {"mxfp6", "MXFP6"}, .formats = {"mxfp6_e2m3", "mxfp6_e3m2"}, .rules = kMxRules},
    {.policy = {"mxfp4", "MXFP4"}, .formats = {"mxfp4", ""}, .rules = kMxRules},
    {.policy = {"nvfp4", "NVFP4"},
     .formats = {"nvfp4", ""},
     .hasSquareWeights = true,
     .rotates = true,
     .roundsStochastically = true,
     .keepLast = 0.15},
};

const NamedRecipe* recipeOf(std::string_view policy) {
    const auto found =
        std::find_if(std::begin(kRecipes), std::end(kRecipes), [=](const NamedRecipe& r) { return r.policy.name == policy; });
    return found == std::end(kRecipes) ? nullptr : found;
}

/// "e4m3", the short name of a format's element.
std::string elementName(std::string_view format) {
    const std::string_view name = facts(blockFormatFromName(format)->element).name;
    return std::string(name.substr(name.find('_') + 1));
}

/// "blocks.3" of "blocks.3.mlp.up".
std::string blockOf(const std::string& layer) {
    for (std::size_t begin = 0; begin < layer.size();) {
        const std::size_t end = std::min(layer.find('.', begin), layer.size());
        if (std::all_of(layer.begin() + static_cast<std::ptrdiff_t>(begin), layer.begin() + static_cast<std::ptrdiff_t>(end),
                        [](unsigned char c) { return std::isdigit(c) != 0; }))
            return layer.substr(0, end);
        begin = end + 1;
    }
    return layer;
}

}  // namespace

std::span<const BlockPolicy> blockPolicies() {
    static constexpr auto kPolicies = [] {
        std::array<BlockPolicy, std::size(kRecipes)> policies;
        std::transform(std::begin(kRecipes), std::end(kRecipes), policies.begin(), [](const NamedRecipe& r) { return r.policy; });
        return policies;
    }();
    return kPolicies;
}

bool isBlockPolicy(std::string_view policy) {
    return recipeOf(policy) != nullptr;
}

std::vector<std::string> gradientElements(std::string_view policy) {
    const NamedRecipe* named = recipeOf(policy);
    std::vector<std::string> names;
    if (named == nullptr) return names;
    for (const std::string_view format : named->formats) {
        if (!format.empty()) names.push_back(elementName(format));
    }
    return names;
}

std::span<const ScaleRule> policyScaleRules(std::string_view policy) {
    const NamedRecipe* named = recipeOf(policy);
    return named == nullptr ? std::span<const ScaleRule>{} : named->rules;
}

std::optional<BlockRefusal> refusalOf(std::string_view policy, const BlockSettings& settings) {
    const NamedRecipe* named = recipeOf(policy);
    if (settings == BlockSettings{}) return std::nullopt;
    if (named == nullptr) return BlockRefusal{"", "no product of this run is computed in a block format"};
    const std::string name(policy);
    const bool isNvfp4 = blockFormatFromName(named->formats[0])->isNvfp4();
    if (settings.scaleRule && named->rules.empty()) return BlockRefusal{"scale_rule", "the scales of '" + name + "' have one rule"};
    if (settings.scaleRule && std::find(named->rules.begin(), named->rules.end(), *settings.scaleRule) == named->rules.end()) {
        std::string list;
        for (const ScaleRule each : named->rules) list += " " + std::string(scaleRuleName(each));
        return BlockRefusal{"scale_rule", "the scales of '" + name + "' have the rules" + list};
    }
    if (settings.dialect && !isNvfp4) return BlockRefusal{"dialect", "only nvfp4 has dialects"};
    if (settings.dialect == Nvfp4Dialect::LlamaCpp) return BlockRefusal{"dialect", "'llama.cpp' is for stored weights, not for training"};
    if (settings.gradients) {
        const std::vector<std::string> known = gradientElements(policy);
        if (std::find(known.begin(), known.end(), *settings.gradients) == known.end()) {
            std::string list;
            for (const std::string& each : known) list += " " + each;
            return BlockRefusal{"gradients", "the gradients of '" + name + "' have elements of" + list};
        }
    }
    if (settings.requantizesInput.value_or(false) && isNvfp4)
        return BlockRefusal{"requantize_input",
                            "the rows of '" + name + "' have a factor of the whole tensor, so columns are quantised from bf16"};
    if (settings.hasSquareWeights.value_or(false) && named->hasWholeRows)
        return BlockRefusal{"square_weights", "'" + name + "' has a scale for each row, not for blocks"};
    return std::nullopt;
}

BlockRecipe blockRecipe(std::string_view policy, const BlockSettings& settings) {
    const NamedRecipe* named = recipeOf(policy);
    if (named == nullptr) throw std::invalid_argument("precision '" + std::string(policy) + "' is not in a block format");
    const bool takesSecond = settings.gradients && *settings.gradients != elementName(named->formats[0]);
    BlockRecipe recipe{.forward = *blockFormatFromName(named->formats[0]),
                       .gradient = *blockFormatFromName(named->formats[takesSecond ? 1 : 0]),
                       .hasWholeRows = named->hasWholeRows,
                       .hasSquareWeights = settings.hasSquareWeights.value_or(named->hasSquareWeights),
                       .rotates = settings.rotates.value_or(named->rotates),
                       .roundsStochastically = settings.roundsStochastically.value_or(named->roundsStochastically),
                       .requantizesInput = settings.requantizesInput.value_or(false),
                       .keepLast = settings.keepLast.value_or(named->keepLast)};
    for (BlockFormat* format : {&recipe.forward, &recipe.gradient}) {
        if (!named->rules.empty()) *format = withRule(*format, settings.scaleRule.value_or(named->rules.front()));
        format->dialect = settings.dialect.value_or(format->dialect);
    }
    return recipe;
}

OperandFormat operandFormat(const BlockRecipe& recipe, Direction product, LinearOperand operand, MatrixShape shape) {
    const bool isGradient = operand == LinearOperand::OutputGradient;
    OperandFormat result{isGradient ? recipe.gradient : recipe.forward};
    // y sums over the columns of x and w, dx over the columns of dy and the rows of w, dw over the rows of dy and x.
    const bool sumsRows = product == Direction::WeightGrad || (product == Direction::InputGrad && operand == LinearOperand::Weight);
    const std::int64_t size = result.format.blockSize();
    if (recipe.hasWholeRows) {
        result.format.block = sumsRows ? MatrixShape{shape.rows, 1} : MatrixShape{1, shape.cols};
    } else if (operand == LinearOperand::Weight && recipe.hasSquareWeights) {
        result.format.block = {size, size};
    } else {
        result.format.block = sumsRows ? MatrixShape{size, 1} : MatrixShape{1, size};
    }
    result.isRotated = recipe.rotates && product == Direction::WeightGrad;
    if (recipe.requantizesInput && product == Direction::WeightGrad && operand == LinearOperand::Input)
        result.source = operandFormat(recipe, Direction::Forward, operand, shape).format;
    if (isGradient && recipe.roundsStochastically) result.rounding = Rounding::Stochastic;
    return result;
}

std::vector<std::string> quantizedLayers(const BlockRecipe& recipe, const Graph& graph) {
    std::vector<std::string> layers = hiddenLinearLayers(graph), blocks;
    for (const std::string& layer : layers) {
        if (blocks.empty() || blocks.back() != blockOf(layer)) blocks.push_back(blockOf(layer));
    }
    const auto kept = static_cast<std::ptrdiff_t>(std::lround(recipe.keepLast * static_cast<double>(blocks.size())));
    const std::vector<std::string> last(blocks.end() - kept, blocks.end());
    std::erase_if(layers, [&](const std::string& layer) { return std::find(last.begin(), last.end(), blockOf(layer)) != last.end(); });
    return layers;
}

}  // namespace mantissa
