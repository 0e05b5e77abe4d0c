// SPDX-License-Identifier: Apache-2.0
// Precision policies: which dtype each operation computes in and each tensor is stored in. Data, carried by the run.
//
// `fp32 tf32 fp16 bf16` are mixed policies with fp32 weights. What an operation computes in follows PyTorch's CUDA autocast list
// (aten/src/ATen/autocast_mode.h): matrix products in the low dtype, losses in fp32, activations in the dtype of their input.
// tf32 is a compute dtype only: products round their operands to it, tensors stay fp32.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/graph/graph.h"
#include "kernels/dtype/dtype.h"

namespace mantissa {

class Backend;

/// What a user asks for: the `precision` key of a run.
struct PrecisionSettings {
    std::string policy = "fp32";                           // fp32 tf32 fp16 bf16 auto
    std::vector<std::pair<std::string, Dtype>> overrides;  // layer path ("layers.2") -> compute dtype
    bool operator==(const PrecisionSettings&) const = default;
};

/// The names that `PrecisionSettings::policy` may take.
const std::vector<std::string>& policyNames();

/// Settings resolved against a backend: `auto` decided, with the reason in words.
struct Policy {
    Dtype compute = Dtype::F32;  // for operations of the low-precision list
    std::string name = "fp32";   // what is written to files: never "auto"
    std::string reason;          // why `auto` chose it; empty otherwise
    std::vector<std::pair<std::string, Dtype>> overrides;
};
Policy resolvePolicy(const PrecisionSettings& settings, const Backend& backend);

/// How autocast treats an operation kind.
enum class AutocastRule : std::uint8_t { LowPrecision, Fp32, InputType };
AutocastRule autocastRule(OpKind kind);

/// The dtype that an operation of `kind` at `layer` computes in, given the widest storage dtype of its inputs.
/// An override names a layer path; the longest matching one wins ("layers.1" also covers "layers.1.weight").
Dtype computeDtype(const Policy& policy, OpKind kind, std::string_view layer, Dtype input);

/// Where results of that compute dtype are stored: itself, or F32 for TF32.
Dtype storageDtype(Dtype compute);

}  // namespace mantissa
