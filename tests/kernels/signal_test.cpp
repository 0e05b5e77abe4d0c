// SPDX-License-Identifier: Apache-2.0
// Signals that are taken within products.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "tests/support/operands.h"

namespace mantissa::test {
namespace {

std::atomic<int> g_taken = 0, g_onItsOwnStack = 0;

void take(int) {
    ++g_taken;
    stack_t stack{};
    if (sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0) ++g_onItsOwnStack;
}

/// Sends this thread a signal every so often until it goes.
class Storm {
public:
    Storm() {
        struct sigaction action {};
        action.sa_handler = take;
        action.sa_flags = SA_RESTART | SA_ONSTACK;
        sigaction(SIGUSR1, &action, &m_before);
        g_taken = g_onItsOwnStack = 0;
        m_thread = std::thread([this, target = pthread_self()] {
            while (!m_isEnding) {
                pthread_kill(target, SIGUSR1);
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
        });
    }
    ~Storm() {
        m_isEnding = true;
        m_thread.join();
        sigaction(SIGUSR1, &m_before, nullptr);
    }
    Storm(const Storm&) = delete;
    Storm& operator=(const Storm&) = delete;

private:
    struct sigaction m_before {};
    std::atomic<bool> m_isEnding = false;
    std::thread m_thread;
};

TEST(Signals, WithinAProductOverwriteNothing) {
    // The shapes of a small GPT's step.
    for (const MatmulDesc& desc :
         {MatmulDesc{.m = 1024, .n = 384, .k = 128, .transposeB = true, .hasBias = true},
          MatmulDesc{.m = 512, .n = 128, .k = 1024, .transposeA = true}, MatmulDesc{.m = 128, .n = 384, .k = 1024, .transposeA = true}}) {
        const auto backend = createCpuBackend();
        std::mt19937 random(7);
        std::normal_distribution<float> normal;
        const auto drawn = [&](std::int64_t count) {
            std::vector<float> values(static_cast<std::size_t>(count));
            for (float& value : values) value = normal(random);
            return values;
        };
        const GuardedBuffer a(*backend, stored(desc.a, drawn(desc.m * desc.k))), b(*backend, stored(desc.b, drawn(desc.k * desc.n))),
            bias(*backend, stored(desc.out, drawn(desc.hasBias ? desc.n : 0))),
            c(*backend, stored(desc.out, std::vector<float>(static_cast<std::size_t>(desc.m * desc.n))));
        const auto product = [&] {
            if (desc.hasBias)
                runOperation(*backend, desc, {&a, &b, &bias, &c});
            else
                runOperation(*backend, desc, {&a, &b, &c});
            return valuesOf(desc.out, c);
        };
        const std::vector<double> calm = product();
        const Storm storm;
        for (int i = 0; i < 40; ++i) ASSERT_EQ(product(), calm);
        EXPECT_GT(g_taken, 0);
        EXPECT_EQ(g_onItsOwnStack, g_taken) << "a handler ran on the stack of a product";
    }
}

}  // namespace
}  // namespace mantissa::test
