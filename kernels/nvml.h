// SPDX-License-Identifier: Apache-2.0
// How much of a card's memory is in use, by whomever: NVIDIA's management library, which comes with the driver and is loaded when it is
// first asked. Any thread; throws nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mantissa {

class Nvml {
public:
    explicit Nvml(const char* library = "libnvidia-ml.so.1");
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    /// Of the card with this DeviceInfo::busId, in bytes; nothing where there is no library, or it declines.
    std::optional<std::int64_t> usedBytes(const std::string& busId) const;

private:
    // The library's own types and functions, as its manual has them: a status is 0 when all is well.
    struct Memory {
        unsigned long long total, free, used;
    };
    using Device = void*;
    void* m_library = nullptr;  // null: it is not here, or did not begin
    int (*m_shutdown)() = nullptr;
    int (*m_deviceAt)(const char* busId, Device* device) = nullptr;
    int (*m_memoryOf)(Device device, Memory* memory) = nullptr;
};

/// The same by the library of this machine, loaded once.
std::optional<std::int64_t> usedDeviceBytes(const std::string& busId);

}  // namespace mantissa
