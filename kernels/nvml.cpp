// SPDX-License-Identifier: Apache-2.0
#include "kernels/nvml.h"

#include <dlfcn.h>

#include <utility>

namespace mantissa {
namespace {

template <typename Function>
void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

Nvml::Nvml(const char* library) : m_library(dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
    if (m_library == nullptr) return;
    int (*initialise)() = nullptr;
    find(m_library, "nvmlInit_v2", initialise);
    find(m_library, "nvmlShutdown", m_shutdown);
    find(m_library, "nvmlDeviceGetHandleByPciBusId_v2", m_deviceAt);
    find(m_library, "nvmlDeviceGetMemoryInfo", m_memoryOf);
    const bool isWhole = initialise != nullptr && m_shutdown != nullptr && m_deviceAt != nullptr && m_memoryOf != nullptr;
    if (isWhole && initialise() == 0) return;
    dlclose(m_library);
    m_library = nullptr;
}

Nvml::~Nvml() {
    if (m_library == nullptr) return;
    m_shutdown();
    dlclose(m_library);
}

std::optional<std::int64_t> Nvml::usedBytes(const std::string& busId) const {
    Device device = nullptr;
    Memory memory{};
    if (m_library == nullptr || busId.empty() || m_deviceAt(busId.c_str(), &device) != 0 || m_memoryOf(device, &memory) != 0) return {};
    return static_cast<std::int64_t>(memory.used);
}

std::optional<std::int64_t> usedDeviceBytes(const std::string& busId) {
    if (busId.empty()) return {};  // no GPU
    static const Nvml nvml;
    return nvml.usedBytes(busId);
}

UsedBytes::UsedBytes(const std::string& busId) : m_least(std::chrono::milliseconds(250)) {
    if (!busId.empty()) m_ask = [busId] { return usedDeviceBytes(busId); };
}

UsedBytes::UsedBytes(Ask ask, std::chrono::steady_clock::duration least) : m_ask(std::move(ask)), m_least(least) {}

std::optional<std::int64_t> UsedBytes::recent() {
    if (!m_ask) return {};
    if (m_answer.valid()) {
        if (m_answer.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return m_last;
        m_last = m_answer.get();
    }
    const auto now = std::chrono::steady_clock::now();
    if (!m_asked || now - *m_asked >= m_least) {
        m_asked = now;
        m_answer = std::async(std::launch::async, m_ask);
    }
    return m_last;
}

}  // namespace mantissa
