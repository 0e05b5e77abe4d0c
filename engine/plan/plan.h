// SPDX-License-Identifier: Apache-2.0
// A plan: graph + policy + shapes compiled to a flat list of instructions over buffers laid out ahead of time.
// So a step allocates nothing, memory is known by category before the first step, and a live toggle is a recompile and a swap.
// Pure values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/precision/policy.h"
#include "engine/telemetry/record.h"
#include "kernels/backend.h"

namespace mantissa {

enum class BufferCategory : std::uint8_t { Weights, MasterWeights, Gradients, Optimizer, Activations, Workspace };
std::string_view categoryName(BufferCategory category);

/// What keeps a buffer alive. Persistent ones survive a swap of plans; transient ones are laid out by the plan.
enum class BufferHome : std::uint8_t { Masters, GradientsFlat, Moment1, Moment2, Scalars, FoundInf, Inputs, Labels, Loss, Correct, Transient };

struct Buffer {
    std::string name;
    Shape shape;
    Dtype dtype = Dtype::F32;
    BufferCategory category = BufferCategory::Activations;
    BufferHome home = BufferHome::Transient;
    std::int64_t offset = 0;   // bytes from the start of its home
    std::int64_t bytes = 0;
};

struct Instruction {
    OperationDesc operation;
    std::string name;              // "linear", "cast", "cross_entropy_grad", ...
    std::string layer;             // "layers.0"
    Phase phase = Phase::Forward;
    std::vector<int> operands;     // buffer indices, in the operation's order; -1: null
    int output = -1;               // the buffer it writes (the first one), for the audit
    Dtype compute = Dtype::F32;    // what the products are taken in
    double flops = 0, bytes = 0;
    bool isSubstituted = false;    // the backend does it in another way than asked; `note` says how
    std::string note;
};

struct Plan {
    Policy policy;
    std::vector<Buffer> buffers;
    std::vector<Instruction> instructions;   // forward, backward, optimizer, in order
    std::int64_t forwardEnd = 0;             // instructions [0, forwardEnd) are the forward pass
    std::int64_t backwardEnd = 0;            // [forwardEnd, backwardEnd) the backward pass; the rest the optimizer
    std::int64_t transientBytes = 0;
    MemoryLedger memory;
};

}  // namespace mantissa
