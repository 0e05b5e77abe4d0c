// SPDX-License-Identifier: Apache-2.0
// Precision policies: the dtype in which each operation computes and each tensor is stored. Data, carried by the run.
//
// `fp32 tf32 fp16 bf16` are mixed policies with fp32 weights. An autocast list, a table of data, defines what an operation computes in:
// PyTorch's for CUDA by default. An override takes precedence over the list. tf32 is a compute dtype only: products round their operands to
// it, tensors stay fp32. `fp8` is the bf16 policy whose linear layers multiply quantised tensors: e4m3 in the forward pass, e5m2 for
// gradients (Transformer Engine's HYBRID), each tensor with its own scale. `fp8-block fp8-rowwise mxfp8 mxfp6 mxfp4 nvfp4` are bf16
// policies whose linear layers multiply tensors in block formats (block_recipe.h). `pure-fp16 pure-bf16` also store weights, gradients and
// optimizer state in that format.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/precision/block_recipe.h"
#include "kernels/dtype/accumulator.h"
#include "kernels/dtype/dtype.h"
#include "kernels/dtype/rounding_mode.h"

namespace mantissa {

class Backend;

std::string_view directionName(Direction direction);  // "forward" "input_grad" "weight_grad": the keys of an override

/// Sets the dtype of a layer or operation kind, for each direction that has one.
struct PrecisionOverride {
    std::string place;  // a layer path ("layers.2"), or the name of a forward operation kind ("linear")
    std::array<std::optional<Dtype>, kAllDirections.size()> dtypes;

    PrecisionOverride(std::string where, Dtype everywhere) : place(std::move(where)) { dtypes.fill(everywhere); }
    PrecisionOverride(std::string where, Direction direction, Dtype dtype) : place(std::move(where)) { force(direction, dtype); }

    const std::optional<Dtype>& in(Direction direction) const { return dtypes[static_cast<std::size_t>(direction)]; }
    void force(Direction direction, Dtype dtype) { dtypes[static_cast<std::size_t>(direction)] = dtype; }
    bool isSameEverywhere() const { return dtypes[0] && dtypes[0] == dtypes[1] && dtypes[0] == dtypes[2]; }
    bool operator==(const PrecisionOverride&) const = default;
};

/// Whether a place is a layer's path or a prefix of it.
bool coversLayer(std::string_view place, std::string_view layer);

/// How the scales of fp8 tensors are chosen: Transformer Engine's recipes, with its names and defaults.
struct Fp8Recipe {
    std::string scaling = "delayed";      // delayed: from the magnitudes of past steps; current: from the tensor itself
    std::int64_t margin = 0;              // scales are 2^-margin times the largest that fits
    std::int64_t amaxHistoryLen = 1024;   // steps in the history of delayed scaling, this one included
    std::string amaxComputeAlgo = "max";  // over those steps; or most_recent
    bool operator==(const Fp8Recipe&) const = default;
};

/// How products round their operands and accumulate; see MatmulDesc. Each part applies to the formats in its name.
struct ProductSettings {
    Rounding tf32Rounding = Rounding::NearestEven;  // cuBLAS; nearest-away: cvt.rna; toward-zero: what raw tensor cores do
    Accumulator accumulator = Accumulator::Fp32;
    std::int64_t promoteEvery = 0;
    bool operator==(const ProductSettings&) const = default;

    /// Sets the sums and the operands' rounding of a product, whose `compute` is set.
    template <typename ProductDesc>
    void applyTo(ProductDesc& desc) const {
        desc.accumulator = accumulator;
        desc.promoteEvery = desc.compute == Dtype::F32 ? 0 : promoteEvery;
        if (desc.compute == Dtype::TF32) desc.operandRounding = tf32Rounding;
    }
};

/// How a pure policy writes its weights; for the arithmetic see kernels/operations.h.
enum class WeightUpdate : std::uint8_t;
std::string_view weightUpdateName(WeightUpdate update);  // "nearest-even" "stochastic" "kahan"
std::vector<std::string> weightUpdateNames();
std::optional<WeightUpdate> weightUpdateFromName(std::string_view name);

/// A precision as requested by the user: the `precision` key of a run.
struct PrecisionSettings {
    std::string policy = "fp32";            // one of policyNames()
    std::string autocast = "pytorch-cuda";  // an AutocastList's name
    std::vector<PrecisionOverride> overrides;
    Fp8Recipe fp8;
    BlockSettings blocks;
    ProductSettings products;
    WeightUpdate weightUpdate{};  // nearest even
    bool operator==(const PrecisionSettings&) const = default;
};

/// The valid values of `PrecisionSettings::policy`, including "auto".
const std::vector<std::string>& policyNames();

/// A policy's name for display: "FP16", "pure BF16", "auto".
std::string policyScreenName(std::string_view policy);
/// Whether the named policy stores its weights in its own format.
bool isPure(std::string_view policy);

/// Compute dtypes of linear layers under the named policy; empty for "auto", which is not resolved yet.
std::vector<Dtype> productDtypes(std::string_view policy);

/// Settings resolved for a backend: `auto` is replaced, with the reason.
struct Policy {
    Dtype compute = Dtype::F32;  // of operations on the low-precision list, and of tensors between fp8 products
    bool hasFp8Products = false;
    std::string name = "fp32";  // as written to files: never "auto"
    std::string reason;         // why `auto` chose it; empty otherwise
    std::string autocast = "pytorch-cuda";
    std::vector<PrecisionOverride> overrides;
    Fp8Recipe fp8;
    std::optional<BlockRecipe> blocks;  // of a policy in a block format
    ProductSettings products;
    Dtype weights = Dtype::F32;  // storage of parameters, their gradients and the optimizer's state
    WeightUpdate weightUpdate{};
    bool isPure = false;  // the whole model is in `compute`, as after model.half(); of the autocast list only the losses' entries apply
    bool widensLogits = false;  // cross-entropy in fp32 regardless of the list, as in code with logits.float()
};
Policy resolvePolicy(const PrecisionSettings& settings, const Backend& backend);

/// How autocast treats an operation kind. InputType: the widest dtype of its inputs.
enum class AutocastRule : std::uint8_t { LowPrecision, Fp32, InputType };

/// A framework's rules for the existing forward operations; a gradient follows its forward operation.
struct AutocastList {
    std::string_view name;
    std::string_view summary;                      // a sentence for display
    std::span<const OpKind> lowPrecision, inFp32;  // all others: InputType
};
std::span<const AutocastList> autocastLists();
std::vector<std::string> autocastListNames();
AutocastRule autocastRule(std::string_view list, OpKind kind);

/// The dtype that an operation of `kind` at `layer` computes in, given the widest storage dtype of its inputs.
/// Of the overrides for the operation's direction, the longest layer path wins ("layers.1" also covers "layers.1.weight"); then the
/// operation kind; then the list.
Dtype computeDtype(const Policy& policy, OpKind kind, std::string_view layer, Dtype input);
/// The dtype that an override sets for the operation, if any.
std::optional<Dtype> forcedDtype(const Policy& policy, OpKind kind, std::string_view layer);

/// The storage dtype of a result computed in `compute`: the same dtype; F32 for TF32; the policy's other tensors' dtype for fp8, in which
/// only operands of products are stored.
Dtype storageDtype(const Policy& policy, Dtype compute);

}  // namespace mantissa
