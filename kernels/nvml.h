// SPDX-License-Identifier: Apache-2.0
// A GPU's memory in use, by all processes, from NVML: NVIDIA's management library, which comes with the driver and is loaded at the first
// query. Any thread; throws nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <string>

namespace mantissa {

class Nvml {
public:
    explicit Nvml(const char* library = "libnvidia-ml.so.1");
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    /// Device memory in use, in bytes, by DeviceInfo::busId; nothing without the library or if it fails.
    std::optional<std::int64_t> usedBytes(const std::string& busId) const;

private:
    // The library's types and functions, from its manual: status 0 is success.
    struct Memory {
        unsigned long long total, free, used;
    };
    using Device = void*;
    void* m_library = nullptr;  // null: not found, or its initialisation failed
    int (*m_shutdown)() = nullptr;
    int (*m_deviceAt)(const char* busId, Device* device) = nullptr;
    int (*m_memoryOf)(Device device, Memory* memory) = nullptr;
};

/// Nvml::usedBytes from this machine's library, loaded once.
std::optional<std::int64_t> usedDeviceBytes(const std::string& busId);

/// Device memory in use, without waiting: returns the last measured value, and starts a new measurement on another thread at most once in
/// `least`. One thread.
class UsedBytes {
public:
    using Ask = std::function<std::optional<std::int64_t>()>;
    /// Measures the GPU with this DeviceInfo::busId; measures nothing if it is empty.
    explicit UsedBytes(const std::string& busId);
    UsedBytes(Ask ask, std::chrono::steady_clock::duration least);

    std::optional<std::int64_t> recent();

private:
    Ask m_ask;
    std::chrono::steady_clock::duration m_least;
    std::optional<std::chrono::steady_clock::time_point> m_asked;
    std::future<std::optional<std::int64_t>> m_answer;
    std::optional<std::int64_t> m_last;
};

}  // namespace mantissa
