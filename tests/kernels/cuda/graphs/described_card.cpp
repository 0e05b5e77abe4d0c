// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/cuda/graphs/described_card.h"

#include <cuda_runtime_api.h>

namespace {
int currentCapability = 0;
}

// The two calls of the runtime that cudnn-frontend makes on the way, in place of the runtime's own.
extern "C" {

cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int /*device*/) {
    if (attribute == cudaDevAttrComputeCapabilityMajor) return *value = currentCapability / 10, cudaSuccess;
    if (attribute == cudaDevAttrComputeCapabilityMinor) return *value = currentCapability % 10, cudaSuccess;
    return cudaErrorInvalidValue;
}

}  // extern "C"

namespace mantissa::test {

std::string describedCard(int capability) {
    currentCapability = capability;
    struct Facts {
        const char* name;
        int multiprocessors, sharedMemoryOptin;  // bytes a block
        long long memory, l2Cache;               // bytes
        int clock, memoryClock;                  // kHz
    };
    const Facts card = capability >= 90   ? Facts{"NVIDIA H200", 132, 232448, 150754820096, 62914560, 1980000, 3201000}
                       : capability >= 80 ? Facts{"NVIDIA A100-SXM4-80GB", 108, 166912, 85174583296, 41943040, 1410000, 1593000}
                                          : Facts{"Tesla V100-SXM2-32GB", 80, 98304, 34079899648, 6291456, 1530000, 877000};
    const auto number = [](const char* key, long long value) { return '"' + std::string(key) + "\":" + std::to_string(value) + ','; };
    std::string json = R"({"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],)";
    json += number("regsPerBlock", 65536) + number("multiProcessorCount", card.multiprocessors) + number("warpSize", 32);
    json += number("maxSharedMemoryPerBlock", 49152) + number("maxSharedMemoryPerBlockOptin", card.sharedMemoryOptin);
    json += number("reservedSharedMemoryPerBlock", capability >= 80 ? 1024 : 0) + number("maxRegistersPerSM", 65536);
    json += number("maxCtasPerSM", 32) + number("maxThreadsPerBlock", 1024) + number("maxThreadsPerSM", 2048) + number("pciDeviceId", 0);
    json += number("isTccDriver", 0) + number("supportCoopLaunch", 1) + number("totalGlobalMem", card.memory);
    json += number("smClockRateKHz", card.clock) + number("memClockRateKHz", card.memoryClock) + number("l2CacheSize", card.l2Cache);
    json += number("cudaDeviceId", 0) + number("deviceVer", 10LL * capability) + number("driverVer", 13000);
    return json + R"("deviceName":")" + card.name + "\"}";
}

}  // namespace mantissa::test
