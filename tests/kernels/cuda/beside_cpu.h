// SPDX-License-Identifier: Apache-2.0
// One operation on the CPU backend and on the emulated card, from the same bytes: what the conformance suite's short cases do not reach.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>
#include <vector>

#include "kernels/conformance/guarded_buffer.h"
#include "kernels/cuda/cuda_backend.h"

namespace mantissa::test {

using conformance::Bytes;
using conformance::GuardedBuffer;
using conformance::stored;
using conformance::valuesOf;

struct Trial {
    OperationDesc desc;
    std::vector<Bytes> operands = {};
    std::size_t offset = 0;  // of each operand, in bytes after a cache line
    bool isInPlace = false;  // the last operand is the first one's memory
    bool isRecorded = false;
    int times = 1;                    // enqueued, or launched, one after the other
    std::vector<Bytes> earlier = {};  // operands that the operation has been run on before
};

/// The operands' bytes afterwards.
inline std::vector<Bytes> resultsOn(Backend& backend, const Trial& trial) {
    std::deque<GuardedBuffer> buffers;
    std::vector<void*> memory;
    for (const Bytes& operand : trial.operands) memory.push_back(buffers.emplace_back(backend, operand.size(), trial.offset).data());
    if (trial.isInPlace) memory.back() = memory.front();
    const std::size_t workspaceBytes = backend.workspaceBytes(trial.desc);
    const GuardedBuffer workspace(backend, workspaceBytes);
    memory = conformance::withWorkspace(trial.desc, memory, workspaceBytes, workspace.data());
    const auto operation = backend.prepare(trial.desc);
    const auto queue = backend.createQueue();
    std::unique_ptr<CapturedWork> recording;
    const auto write = [&](const std::vector<Bytes>& operands) {
        for (std::size_t i = 0; i < operands.size(); ++i) buffers[i].write(operands[i]);
    };
    const auto runOn = [&](const std::vector<Bytes>& operands) {
        write(operands);
        for (int i = 0; i < trial.times; ++i) {
            if (recording != nullptr) {
                recording->launch(*queue);
            } else {
                operation->enqueue(*queue, memory);
            }
        }
        queue->wait();
    };
    if (trial.isRecorded) {
        write(trial.operands);  // a queue that records nothing does it at once
        recording = queue->capture([&] { operation->enqueue(*queue, memory); });
        EXPECT_EQ(queue->captureRefusal(), "");
    }
    if (!trial.earlier.empty()) runOn(trial.earlier);
    runOn(trial.operands);
    EXPECT_TRUE(workspace.isIntact()) << "workspace";
    std::vector<Bytes> results;
    for (const GuardedBuffer& buffer : buffers) {
        EXPECT_TRUE(buffer.isIntact()) << "guards of operand " << results.size();
        results.push_back(buffer.bytes());
    }
    return results;
}

inline std::vector<Bytes> resultsOnCard(const Trial& trial) {
    return resultsOn(*cuda::createBackend(0), trial);
}

/// Every operand is the same afterwards, bit for bit.
inline void expectSameAsCpu(const Trial& trial) {
    const std::vector<Bytes> expected = resultsOn(*createCpuBackend(), trial), actual = resultsOnCard(trial);
    for (std::size_t operand = 0; operand < expected.size(); ++operand) {
        if (expected[operand] == actual[operand]) continue;
        std::size_t at = 0;
        while (expected[operand][at] == actual[operand][at]) ++at;
        ADD_FAILURE() << "operand " << operand << " from byte " << at << " of " << expected[operand].size() << " on";
    }
}

inline std::vector<float> normalNumbers(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    for (float& v : values) v = normal(random);
    return values;
}
inline Bytes normalBytes(Dtype dtype, std::int64_t count, unsigned seed) {
    return stored(dtype, normalNumbers(static_cast<std::size_t>(count), seed));
}

template <typename T>
Bytes bytesOfAll(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}
/// Room for that many elements.
inline Bytes roomFor(Dtype dtype, std::int64_t count) {
    return Bytes(static_cast<std::size_t>(count) * facts(dtype).storageBytes(), std::byte{0x5A});
}

inline constexpr Dtype kStored[] = {Dtype::F32, Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2};

}  // namespace mantissa::test
