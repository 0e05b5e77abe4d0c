// SPDX-License-Identifier: Apache-2.0
// A recorded operation that is launched again on operands as they were: what its kernels keep from one launch to the next, counters of
// blocks above all, has to be as it was found.
#pragma once

#include "tests/kernels/cuda/beside_cpu.h"

namespace mantissa::test {

inline void expectSameInEveryLaunch(const Trial& trial) {
    const std::vector<Bytes> expected = resultsOnCard(trial);
    const auto backend = cuda::createBackend(0);
    std::deque<GuardedBuffer> buffers;
    std::vector<void*> memory;
    for (const Bytes& operand : trial.operands) memory.push_back(buffers.emplace_back(*backend, operand.size()).data());
    const std::size_t workspaceBytes = backend->workspaceBytes(trial.desc);
    const GuardedBuffer workspace(*backend, workspaceBytes);
    const auto operation = backend->prepare(trial.desc);
    const auto queue = backend->createQueue();
    const auto recording = queue->capture(
        [&] { operation->enqueue(*queue, conformance::withWorkspace(trial.desc, memory, workspaceBytes, workspace.data())); });
    ASSERT_NE(recording, nullptr) << queue->captureRefusal();
    for (int launch = 0; launch < 3; ++launch) {
        for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].write(trial.operands[i]);
        recording->launch(*queue);
        queue->wait();
        for (std::size_t i = 0; i < buffers.size(); ++i)
            EXPECT_EQ(buffers[i].bytes(), expected[i]) << "launch " << launch << ", operand " << i;
    }
}

}  // namespace mantissa::test
