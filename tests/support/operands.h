// SPDX-License-Identifier: Apache-2.0
// Runs one operation of a backend on guarded buffers: enqueues, waits, checks the guards. For guarantees of a backend beyond the
// conformance suite.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "kernels/conformance/compare.h"
#include "kernels/conformance/guarded_buffer.h"

namespace mantissa::test {

using conformance::compareExact;
using conformance::GuardedBuffer;
using conformance::stored;
using conformance::toDouble;
using conformance::valuesOf;

/// Prepares and runs one operation, with a workspace of exactly the required size; a null operand stays null.
inline void runOperation(Backend& backend, const OperationDesc& desc, std::initializer_list<const GuardedBuffer*> buffers) {
    const std::size_t workspaceBytes = backend.workspaceBytes(desc);
    const GuardedBuffer workspace(backend, workspaceBytes);
    std::vector<void*> memory;
    for (const GuardedBuffer* buffer : buffers) memory.push_back(buffer != nullptr ? buffer->data() : nullptr);
    const auto queue = backend.createQueue();
    backend.prepare(desc)->enqueue(*queue, conformance::withWorkspace(desc, memory, workspaceBytes, workspace.data()));
    queue->wait();
    EXPECT_TRUE(workspace.isIntact()) << "workspace";
    std::size_t index = 0;
    for (const GuardedBuffer* buffer : buffers) {
        EXPECT_TRUE(buffer == nullptr || buffer->isIntact()) << "guards of operand " << index;
        ++index;
    }
}

}  // namespace mantissa::test
