// SPDX-License-Identifier: Apache-2.0
// The module's exported functions: lists the GPUs, and creates a backend for one.
#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/probe.h"
#include "kernels/cuda_module.h"

extern "C" __attribute__((visibility("default"))) const mantissa::CudaModule* mantissaCudaModule() {
    static const mantissa::CudaModule module{.devices = mantissa::cuda::devices, .create = mantissa::cuda::createBackend};
    return &module;
}
