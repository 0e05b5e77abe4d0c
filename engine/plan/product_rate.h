// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a step, and a device's measured peak rate, to which a run's speed is compared. Counts products only, including
// convolutions and attention: 2 m n k each, for causal attention the unmasked half, as in the plan's instructions.
#pragma once

#include <optional>

#include "engine/plan/plan.h"

namespace mantissa {

struct ProductWork {
    double flops = 0;            // of one micro-batch, forward and backward
    Dtype compute = Dtype::F32;  // of most of them; fp8 formats count as one, E4M3
};
ProductWork productWork(const Plan& plan);
/// Whether an operation counts: a product, a convolution, attention, or a gradient of these.
bool isProductOperation(const OperationDesc& operation);

/// Whether the plan has products of operands in block formats, and whether the backend decodes the operands of one before it multiplies.
bool hasBlockProducts(const Plan& plan);
bool decodesBlocks(const Plan& plan, const Backend& backend);

/// Measures the rate of one large product of zeros (which draws too little power to be throttled) in this format, in TFLOP/s; 0 if it
/// cannot be measured. Takes a few dozen ms at first; the process keeps the result by the device's name. Any thread, while nothing else
/// runs on the device.
double measurePeak(Backend& backend, Dtype compute);
/// The rate measured earlier; nothing: not measured yet.
std::optional<double> knownPeak(const Backend& backend, Dtype compute);

}  // namespace mantissa
