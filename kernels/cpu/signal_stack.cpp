// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/signal_stack.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace mantissa::cpu {
namespace {

constexpr long kHandlerBytes = 64 << 10;  // added to the signal frame, whose size depends on the CPU's registers

class SignalStack {
public:
    SignalStack() {
        stack_t present{};
        if (sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
        const auto bytes = static_cast<std::size_t>(std::max(0L, sysconf(_SC_MINSIGSTKSZ)) + kHandlerBytes);
        m_memory = std::make_unique<char[]>(bytes);
        stack_t own{};
        own.ss_sp = m_memory.get();
        own.ss_size = bytes;
        if (sigaltstack(&own, nullptr) != 0) m_memory.reset();
    }
    ~SignalStack() {
        if (!m_memory) return;
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        if (sigaltstack(&none, nullptr) != 0) static_cast<void>(m_memory.release());  // still in use: not freed
    }
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;

private:
    std::unique_ptr<char[]> m_memory;
};

}  // namespace

void ensureSignalStack() {
    thread_local const SignalStack stack;
}

}  // namespace mantissa::cpu
