// SPDX-License-Identifier: Apache-2.0
// Loads the CUDA backend, a module with CUDA's libraries, at run time, so that no program links them. Its fixed path beside the program is
// ../lib/mantissa/mantissa_cuda.so; it is never unloaded. A failure to load is reported as a reason, never as an exception. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "kernels/backend.h"

namespace mantissa {

/// Version of the binary interface between program and module, compared before any call: a hash of the layouts that cross it.
inline constexpr std::uint64_t kCudaInterface = [] {
    std::uint64_t mixed = 2;  // increment it if a meaning changes and no size does
    for (const std::uint64_t size : {sizeof(OperationDesc), std::variant_size_v<OperationDesc>, sizeof(StepScalars), sizeof(DeviceInfo),
                                     sizeof(ElementStats), sizeof(UpdateStats), sizeof(QuantScale), sizeof(StepLoop), sizeof(StepSlot),
                                     sizeof(BatchedMatmulDesc), sizeof(Convolution2dDesc), sizeof(Support), sizeof(BlockMultiplication)})
        mixed = mixed * 1'000'003 + size;
    return mixed;
}();

/// The module's exported table, under the name kCudaModuleSymbol.
struct CudaModule {
    std::uint64_t interface = kCudaInterface;
    const char* version = MANTISSA_VERSION;
    /// The GPUs known to the driver, unusable ones with the reason; or one entry "cuda" with the reason why there is none.
    std::vector<DeviceInfo> (*devices)() = nullptr;
    /// Creates the backend of GPU `device`. Throws DeviceError.
    std::shared_ptr<Backend> (*create)(int device) = nullptr;
};
inline constexpr const char* kCudaModuleSymbol = "mantissaCudaModule";

/// A loaded module, or the reason why it could not be loaded.
struct LoadedCudaModule {
    const CudaModule* module = nullptr;
    std::string reason;
};
LoadedCudaModule loadCudaModule(const std::filesystem::path& file);

/// The GPUs of CudaModule::devices; without a driver the module is not loaded. The first call's result is kept.
const std::vector<DeviceInfo>& cudaDevices();

/// Creates the backend of an available GPU by its name, "cuda:0". Throws DeviceError.
std::shared_ptr<Backend> createCudaBackend(const std::string& name);

}  // namespace mantissa
