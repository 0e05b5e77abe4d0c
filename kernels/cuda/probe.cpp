// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/probe.h"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <string>

namespace mantissa::cuda {
namespace {

/// 13000 gives "13.0".
std::string versionText(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string capabilityText(int capability) {
    return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

/// Why the driver reports no GPUs.
std::string reasonOf(cudaError_t status) {
    if (status == cudaErrorNoDevice || status == cudaSuccess) return "the NVIDIA driver finds no GPU";
    if (status != cudaErrorInsufficientDriver) return std::string("the NVIDIA driver answers: ") + cudaGetErrorString(status);
    int driver = 0, needed = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&needed);
    if (driver == 0) return "no NVIDIA driver";
    return "the NVIDIA driver is too old: it knows CUDA " + versionText(driver) + ", and this build needs " + versionText(needed);
}

DeviceInfo infoOf(int device) {
    DeviceInfo info{.name = "cuda:" + std::to_string(device), .description = "", .reason = ""};
    cudaDeviceProp properties;
    const cudaError_t status = cudaGetDeviceProperties(&properties, device);
    if (status != cudaSuccess) {
        info.available = false;
        info.reason = std::string("the GPU does not answer: ") + cudaGetErrorString(status);
        return info;
    }
    const int capability = 10 * properties.major + properties.minor;
    info.description = descriptionOf(properties.name, capability, properties.totalGlobalMem);
    info.threads = properties.multiProcessorCount;
    info.busId = busIdOf(properties.pciDomainID, properties.pciBusID, properties.pciDeviceID);
    info.available = capability >= kLowestCapability;
    if (!info.available)
        info.reason = "the GPU is of capability " + capabilityText(capability) +
                      ", too old for bf16 and tf32: " + capabilityText(kLowestCapability) + " is needed";
    return info;
}

}  // namespace

std::string descriptionOf(const char* name, int capability, std::size_t memoryBytes) {
    return std::string(name) + ", capability " + capabilityText(capability) + ", " + std::to_string(memoryBytes >> 30) + " GiB" +
           (capability < kFp8Capability ? ", fp8 products emulated" : "");
}

std::string busIdOf(int domain, int bus, int device) {
    char text[32];
    std::snprintf(text, sizeof text, "%08X:%02X:%02X.0", static_cast<unsigned>(domain), static_cast<unsigned>(bus),
                  static_cast<unsigned>(device));
    return text;
}

std::vector<DeviceInfo> devices() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0)
        return {{.name = "cuda", .description = "", .available = false, .reason = reasonOf(status), .threads = 0}};
    std::vector<DeviceInfo> all;
    for (int device = 0; device < count; ++device) all.push_back(infoOf(device));
    return all;
}

}  // namespace mantissa::cuda
