// SPDX-License-Identifier: Apache-2.0
// Training in block formats: to what each operand of a linear layer's three products is quantised. Plain values; any thread.
//
// With y = x w^T, the products are y (forward), dx = dy w (input gradient) and dw = dy^T x (weight gradient). Each reads its operands in
// blocks along the dimension that it sums over, so x and dy are quantised twice, both times from the bf16 tensor; w too, unless its blocks
// are squares, which serve both products. If the input is requantised, dw's x comes from the numbers of y's x instead. Sums are in fp32,
// results in bf16; master weights and their gradients stay fp32. Biases, norms, embeddings, attention's own products and the last linear
// layer before the loss (the head) keep the bf16 policy's formats.
//
// Sources: Transformer Engine d0067d0 (MXFP8BlockScaling, NVFP4BlockScaling, Float8BlockScaling); torchao 36027d8 (rowwise); DeepSeek-V3,
// arXiv 2412.19437, section 3.3; NVFP4 pretraining, arXiv 2509.25149.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"
#include "kernels/dtype/block_format.h"

namespace mantissa {

/// A run's changes to the recipe of its policy: the `blocks` key of a precision. What is empty stays as the policy has it.
struct BlockSettings {
    std::optional<ScaleRule> scaleRule;        // one of policyScaleRules()
    std::optional<Nvfp4Dialect> dialect;       // of nvfp4
    std::optional<std::string> gradients;      // the element format of dy: one of gradientElements()
    std::optional<bool> hasSquareWeights;      // weights in square blocks, one quantisation for forward and input gradient
    std::optional<bool> rotates;               // the weight gradient's operands are rotated (kernels/dtype/hadamard.h)
    std::optional<bool> roundsStochastically;  // dy, in both products that read it
    std::optional<bool> requantizesInput;      // the weight gradient's input is quantised from its rows in blocks, not from bf16
    std::optional<double> keepLast;            // share of the model's blocks, from the end, that stay in bf16: 0 to 1
    bool operator==(const BlockSettings&) const = default;
};

/// A policy's recipe with the run's changes.
struct BlockRecipe {
    BlockFormat forward, gradient;  // of x and w, and of dy; with blocks along rows
    bool hasWholeRows = false;      // a scale for each row (fp8-rowwise) instead of each block
    bool hasSquareWeights = false, rotates = false, roundsStochastically = false, requantizesInput = false;
    double keepLast = 0;
};

/// The policies in block formats: names as in files, "mxfp8", and for display, "MXFP8".
struct BlockPolicy {
    std::string_view name, screenName;
};
std::span<const BlockPolicy> blockPolicies();
bool isBlockPolicy(std::string_view policy);

/// The recipe of a block policy. Requires settings without refusalOf().
BlockRecipe blockRecipe(std::string_view policy, const BlockSettings& settings);
/// The possible element formats of gradients, "e4m3" "e5m2", the policy's default first.
std::vector<std::string> gradientElements(std::string_view policy);
/// The possible rules of a policy's scales, its default first; none if there is no choice.
std::span<const ScaleRule> policyScaleRules(std::string_view policy);

/// A setting that its policy does not have: its key in the `blocks` object, and the reason.
struct BlockRefusal {
    std::string key, sentence;
};
std::optional<BlockRefusal> refusalOf(std::string_view policy, const BlockSettings& settings);

/// What a product's operand is quantised to.
struct OperandFormat {
    BlockFormat format;  // its block lies along the product's sum
    bool isRotated = false;
    Rounding rounding = Rounding::NearestEven;
    std::optional<BlockFormat> source{};  // the format whose numbers are quantised; empty: the tensor itself
    bool operator==(const OperandFormat&) const = default;
};

enum class LinearOperand : std::uint8_t { Input, Weight, OutputGradient };

/// The format of an operand, a matrix of `shape` as the graph stores it (x [rows, in], w [out, in], dy [rows, out]), in the product of a
/// direction.
OperandFormat operandFormat(const BlockRecipe& recipe, Direction product, LinearOperand operand, MatrixShape shape);

/// The linear layers of a graph that the recipe quantises, in the order of the forward pass: all but the head and the last `keepLast` of
/// the model's blocks, rounded to whole blocks. A block is the part of a layer's path up to its first number: "blocks.3", "layers.1".
std::vector<std::string> quantizedLayers(const BlockRecipe& recipe, const Graph& graph);

}  // namespace mantissa
