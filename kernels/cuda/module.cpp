// SPDX-License-Identifier: Apache-2.0
// What the program calls: which cards there are, and a backend for one of them.
#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/probe.h"
#include "kernels/cuda_module.h"

extern "C" __attribute__((visibility("default"))) const mantissa::CudaModule* mantissaCudaModule() {
    static const mantissa::CudaModule module{.devices = mantissa::cuda::devices, .create = mantissa::cuda::createBackend};
    return &module;
}
