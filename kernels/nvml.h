// SPDX-License-Identifier: Apache-2.0
// How much of a card's memory is in use, by whomever: NVIDIA's management library, which comes with the driver and is loaded when it is
// first asked. Any thread; throws nothing.
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

/// The same for whoever must not wait for it: what was answered last, to a thread that asks by itself, at most once in `least`.
/// One thread.
class UsedBytes {
public:
    using Ask = std::function<std::optional<std::int64_t>()>;
    /// Of the card with this DeviceInfo::busId; nothing is asked where that is empty.
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
