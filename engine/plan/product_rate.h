// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a step, and how fast a device does it at best: what a run's speed is held against. Products alone count, convolutions
// and attention among them: 2 m n k each, of causal attention the half that is not masked, as the plan's instructions have it.
#pragma once

#include <optional>

#include "engine/plan/plan.h"

namespace mantissa {

struct ProductWork {
    double flops = 0;            // of one micro-batch, forward and backward
    Dtype compute = Dtype::F32;  // that most of them are in; fp8 formats count as one, E4M3
};
ProductWork productWork(const Plan& plan);

/// The rate of one large product of zeros, which no limit of power slows, in this format on this device, in TFLOP/s; 0 where it could not
/// be measured. Takes a few dozen ms the first time, and is then remembered by the device's name for as long as the process lives. Any
/// thread, while nothing else runs on the device.
double measureCeiling(Backend& backend, Dtype compute);
/// What has been measured; nothing: it has not been.
std::optional<double> knownCeiling(const Backend& backend, Dtype compute);

}  // namespace mantissa
