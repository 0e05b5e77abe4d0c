// SPDX-License-Identifier: Apache-2.0
// The way to the cards: a module with CUDA's libraries, loaded at run time, so that no program needs them. It lies in a fixed place beside
// the program, ../lib/mantissa/mantissa_cuda.so, and is never unloaded. Whatever is missing is a reason in words, never an exception. Any
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "kernels/backend.h"

namespace mantissa {

/// What program and module must agree about before a call: the layout of what passes between them.
inline constexpr std::uint64_t kCudaInterface = [] {
    std::uint64_t mixed = 2;  // to be raised by whoever changes a meaning and no size
    for (const std::uint64_t size : {sizeof(OperationDesc), std::variant_size_v<OperationDesc>, sizeof(StepScalars), sizeof(DeviceInfo),
                                     sizeof(ElementStats), sizeof(UpdateStats), sizeof(QuantScale), sizeof(StepLoop), sizeof(StepSlot),
                                     sizeof(BatchedMatmulDesc), sizeof(Convolution2dDesc), sizeof(Support)})
        mixed = mixed * 1'000'003 + size;
    return mixed;
}();

/// What the module exports, under the name kCudaModuleSymbol.
struct CudaModule {
    std::uint64_t interface = kCudaInterface;
    const char* version = MANTISSA_VERSION;
    /// The cards that the driver knows, those that cannot be used with the reason; or one entry, "cuda", with the reason that there is
    /// none.
    std::vector<DeviceInfo> (*devices)() = nullptr;
    /// Throws DeviceError.
    std::shared_ptr<Backend> (*create)(int device) = nullptr;
};
inline constexpr const char* kCudaModuleSymbol = "mantissaCudaModule";

/// A module, or why there is none.
struct LoadedCudaModule {
    const CudaModule* module = nullptr;
    std::string reason;
};
LoadedCudaModule loadCudaModule(const std::filesystem::path& file);

/// Cards as CudaModule::devices has them; without a driver the module is not even loaded. Asked once, then remembered.
const std::vector<DeviceInfo>& cudaDevices();

/// Of one that is available: "cuda:0". Throws DeviceError.
std::shared_ptr<Backend> createCudaBackend(const std::string& name);

}  // namespace mantissa
