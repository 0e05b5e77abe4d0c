// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: one card. Numerics and threads: kernels/backend.h.
#pragma once

#include <memory>

#include "kernels/backend.h"

namespace mantissa::cuda {

/// Card `device` of those that the driver counts. Throws DeviceError.
std::shared_ptr<Backend> createBackend(int device);

}  // namespace mantissa::cuda
