// SPDX-License-Identifier: Apache-2.0
// Linear interpolation as torch.lerp computes it. For host and device; any thread.
#pragma once

#include "kernels/dtype/host_device.h"

namespace mantissa {

/// from + weight (to - from), computed from the nearer end: weight 0 gives `from` exactly, and 1 gives `to` (ATen/native/Lerp.h).
MANTISSA_HD inline float lerp(float from, float to, float weight) {
    return weight < 0.5f ? from + weight * (to - from) : to - (to - from) * (1 - weight);
}

}  // namespace mantissa
