// SPDX-License-Identifier: Apache-2.0
// Precision policies: which dtype each operation computes in and each tensor is stored in. Data, carried by the run.
//
// `fp32 tf32 fp16 bf16` are mixed policies with fp32 weights. What an operation computes in follows an autocast list, a table of data:
// PyTorch's for CUDA unless another is asked for. An override is stronger than the list. tf32 is a compute dtype only: products round their
// operands to it, tensors stay fp32. `fp8` is the bf16 policy whose linear layers multiply quantised tensors: e4m3 on the way forward, e5m2
// for gradients that come back (Transformer Engine's HYBRID), each tensor with a scale of its own. `pure-fp16 pure-bf16` keep weights,
// gradients and optimizer state in that format too.
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
#include "kernels/dtype/accumulator.h"
#include "kernels/dtype/dtype.h"
#include "kernels/dtype/rounding_mode.h"

namespace mantissa {

class Backend;

std::string_view directionName(Direction direction);  // "forward" "input_grad" "weight_grad": the keys of an override

/// Forces the dtype of a place, in every direction that has one.
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

/// Whether a place names a layer, or something that stands above it.
bool coversLayer(std::string_view place, std::string_view layer);

/// How the scales of fp8 tensors are found: Transformer Engine's recipes, by its names and with its defaults.
struct Fp8Recipe {
    std::string scaling = "delayed";      // delayed: from the magnitudes of past steps; current: from the tensor itself
    std::int64_t margin = 0;              // scales are 2^-margin of what just fits
    std::int64_t amaxHistoryLen = 1024;   // steps that delayed scaling looks back, this one included
    std::string amaxComputeAlgo = "max";  // over those steps; or most_recent
    bool operator==(const Fp8Recipe&) const = default;
};

/// How products round their operands and form their sums; see MatmulDesc. Each part concerns the formats it names.
struct ProductSettings {
    Rounding tf32Rounding = Rounding::NearestEven;  // cuBLAS; nearest-away: cvt.rna; toward-zero: what raw tensor cores do
    Accumulator accumulator = Accumulator::Fp32;
    std::int64_t promoteEvery = 0;
    bool operator==(const ProductSettings&) const = default;
};

/// How a pure policy writes its weights; the arithmetic stands in kernels/backend.h.
enum class WeightUpdate : std::uint8_t;
std::string_view weightUpdateName(WeightUpdate update);  // "nearest-even" "stochastic" "kahan"
std::vector<std::string> weightUpdateNames();
std::optional<WeightUpdate> weightUpdateFromName(std::string_view name);

/// What a user asks for: the `precision` key of a run.
struct PrecisionSettings {
    std::string policy = "fp32";            // one of policyNames()
    std::string autocast = "pytorch-cuda";  // an AutocastList's name
    std::vector<PrecisionOverride> overrides;
    Fp8Recipe fp8;
    ProductSettings products;
    WeightUpdate weightUpdate{};  // nearest even
    bool operator==(const PrecisionSettings&) const = default;
};

/// The names that `PrecisionSettings::policy` may take, "auto" among them.
const std::vector<std::string>& policyNames();

/// A policy's name for the screen: "FP16", "pure BF16", "auto".
std::string policyScreenName(std::string_view policy);
/// Whether the policy of that name keeps its weights in its own format.
bool isPure(std::string_view policy);

/// What linear layers under that policy compute in; nothing for "auto", which is not decided yet.
std::vector<Dtype> productDtypes(std::string_view policy);

/// Settings resolved against a backend: `auto` decided, with the reason in words.
struct Policy {
    Dtype compute = Dtype::F32;  // for operations of the low-precision list, and for tensors between fp8 products
    bool hasFp8Products = false;
    std::string name = "fp32";  // what is written to files: never "auto"
    std::string reason;         // why `auto` chose it; empty otherwise
    std::string autocast = "pytorch-cuda";
    std::vector<PrecisionOverride> overrides;
    Fp8Recipe fp8;
    ProductSettings products;
    Dtype weights = Dtype::F32;  // what parameters, their gradients and the optimizer's state are stored in
    WeightUpdate weightUpdate{};
    bool isPure = false;        // the whole model is in `compute`, as after model.half(): no autocast list but that of losses
    bool widensLogits = false;  // cross-entropy in fp32 whatever the list says, as of code that writes logits.float()
};
Policy resolvePolicy(const PrecisionSettings& settings, const Backend& backend);

/// How autocast treats an operation kind. InputType: in the widest of what comes in.
enum class AutocastRule : std::uint8_t { LowPrecision, Fp32, InputType };

/// A framework's rules for the forward operations that exist here; a gradient follows its forward operation.
struct AutocastList {
    std::string_view name;
    std::string_view summary;                      // a sentence for the screen
    std::span<const OpKind> lowPrecision, inFp32;  // the others: InputType
};
std::span<const AutocastList> autocastLists();
std::vector<std::string> autocastListNames();
AutocastRule autocastRule(std::string_view list, OpKind kind);

/// The dtype that an operation of `kind` at `layer` computes in, given the widest storage dtype of its inputs.
/// Of the overrides that hold for the operation's direction, the longest layer path wins ("layers.1" also covers "layers.1.weight"); then
/// the operation kind; then the list.
Dtype computeDtype(const Policy& policy, OpKind kind, std::string_view layer, Dtype input);
/// The dtype that an override forces there, if any.
std::optional<Dtype> forcedDtype(const Policy& policy, OpKind kind, std::string_view layer);

/// What an operation that computes in `compute` stores its result in: itself, F32 for TF32, and what the policy's other tensors are in for
/// fp8, which only the operands of products are.
Dtype storageDtype(const Policy& policy, Dtype compute);

}  // namespace mantissa
