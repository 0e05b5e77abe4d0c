// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: one GPU. Numerics and threads: kernels/backend.h.
#pragma once

#include <memory>

#include "kernels/backend.h"

namespace mantissa::cuda {

/// Creates the backend of GPU `device` in the driver's numbering. Throws DeviceError.
std::shared_ptr<Backend> createBackend(int device);

}  // namespace mantissa::cuda
