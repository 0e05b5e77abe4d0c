// SPDX-License-Identifier: Apache-2.0
// A plan: graph + policy + shapes compiled to a flat list of instructions over buffers laid out ahead of time.
// So a step allocates nothing, memory is known by category before the first step, and a live toggle is a recompile and a swap.
//
// Making one: `lowerGraph` (forward and backward), then the trainer appends the optimizer, then `layOut`.
// Pure values; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/diagnosis/tensor_stats.h"
#include "engine/graph/graph.h"
#include "engine/precision/policy.h"
#include "engine/telemetry/record.h"
#include "kernels/backend.h"

namespace mantissa {

enum class BufferCategory : std::uint8_t { Weights, MasterWeights, Gradients, Optimizer, Activations, Workspace };
std::string_view categoryName(BufferCategory category);

/// The memory a buffer lies in. The trainer owns all of it; only `Transient` is laid out anew by each plan.
enum class Home : std::uint8_t {
    Masters,       // parameters, flat, in Policy::weights: fp32 but for pure policies; survives a swap of plans
    Gradients,     // likewise, same segments
    Moment1,       // m of Adam, AdamW and Lion, SGD's momentum buffer; survives
    Moment2,       // v of Adam and AdamW; survives
    Compensation,  // what Kahan's update has lost so far; survives
    Statistics,    // running ones of batch norms; survive
    Scales,        // of fp8 tensors with delayed scaling, and their histories; survives
    Control,       // StepScalars, loss, counts, sample indices
    Inputs,        // the resident data set's inputs
    Labels,        // and its labels or targets
    Transient,     // activations, low-precision weight copies, scratch
    Looks,         // what was seen of tensors, and what that takes; beside the ledger, as it is not the run's own
};
inline constexpr std::size_t kHomeCount = 12;

/// A cache line, and the widest vector register.
inline constexpr std::int64_t kBufferAlignment = 64;
constexpr std::int64_t aligned(std::int64_t bytes) {
    return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

struct Buffer {
    std::string name;  // "layers.0.output", "layers.0.weight as fp16"
    Shape shape{};
    std::optional<Dtype> dtype{};  // nothing: not floating point (labels, indices, control)
    BufferCategory category = BufferCategory::Activations;
    Home home = Home::Transient;
    std::int64_t offset = 0;  // bytes from the start of its home
    std::int64_t bytes = 0;
    bool isCounted = true;                   // false: a view of memory that other buffers, or the data set, account for
    ValueRole role = ValueRole::Activation;  // of what stands for a value of the graph
    int whole = -1;                          // the buffer whose rows have these columns, so that they do not lie side by side; -1: none
    std::int64_t firstByte = 0;              // of the whole
    int turnedOf = -1;                       // the buffer that this is the transpose of, written with it; -1: none
    bool isScratch = false;                  // an operation's own workspace
};

struct Instruction {
    OperationDesc operation;
    std::string name;   // "linear", "cast", "cross_entropy_grad", ...
    std::string layer;  // "layers.0"
    Phase phase = Phase::Forward;
    std::vector<int> operands;    // buffer indices, in the operation's order; -1: null
    int output = -1;              // the buffer it writes, for the audit; -1: control values only
    std::vector<int> others{};    // further ones that it writes
    Dtype compute = Dtype::F32;   // what products are taken in
    double flops = 0, bytes = 0;  // arithmetic, and memory touched
    bool isLook = false;          // for measured steps alone (looks.h)
};

/// A tensor that a plan looks at, and the buffer with what is seen: an ElementStats, or an UpdateStats of an update.
struct LookedAt {
    std::string tensor, layer, operation;
    Phase phase = Phase::Forward;
    TensorRole role = TensorRole::Value;
    Dtype storage = Dtype::F32;
    std::int64_t elements = 0;
    double passedPerScale = 0;  // of a loss's gradient: see TensorStats::passed
    int slot = -1;
};

struct Plan {
    Policy policy;
    std::vector<Buffer> buffers;
    std::vector<Instruction> instructions;  // prologue, forward, backward, optimizer, in order
    // ends of the parts, as instruction indices
    std::int64_t prologueEnd = 0;  // weight copies: once a step
    std::int64_t forwardEnd = 0;   // forward and backward: once a micro-batch
    std::int64_t backwardEnd = 0;
    std::int64_t unscaleEnd = 0;  // unscale and check; what follows updates the weights
    std::array<std::int64_t, kHomeCount> homeBytes{};
    std::int64_t bytesOf(Home home) const { return homeBytes[static_cast<std::size_t>(home)]; }
    MemoryLedger memory;
    Segments segments;                  // where each parameter begins in the flat homes, in elements
    std::vector<int> parameterBuffers;  // masters, in the graph's parameter order
    std::vector<int> statisticBuffers;  // in the graph's order, side by side
    int statisticsBefore = -1;          // all of them, as they were when the step began
    int gradientsBefore = -1;           // likewise, where they add up from step to step
    std::vector<int> delayedScales;     // fp8 scales that are renewed once a step, in the order of their home
    std::vector<Dtype> delayedFormats;  // and what each of them scales to
    std::vector<LookedAt> looks;        // in the order of their instructions
    // buffers that the trainer reads or writes between instructions
    int scalars = -1, loss = -1, indices = -1, foundInf = -1;
    int correct = -1;  // where there are classes
    int logits = -1;   // as the cross-entropy takes them, in the format of their buffer: its last reader, so they stay until the next pass

    /// The buffer that all of a buffer's elements lie in, side by side.
    int wholeOf(int buffer) const {
        const int whole = buffers[static_cast<std::size_t>(buffer)].whole;
        return whole < 0 ? buffer : whole;
    }
    int addBuffer(Buffer buffer);  // sets `bytes` from shape and dtype when it is 0
    /// Places a buffer at the end of its home, 64-byte aligned. Not for Transient.
    int placeBuffer(Buffer buffer);
};

struct LoweringOptions {
    bool isTraining = true;       // false: forward only
    bool accumulates = false;     // several micro-batches a step, or several steps: gradients are added up
    bool keepsGradients = false;  // over steps: so the step begins with what they were, for whoever repeats it
    std::uint64_t seed = 0;       // of dropout
};

/// Forward (and backward) instructions under a policy: casts inserted where autocast would, each once.
/// Throws std::invalid_argument with the backend's reason when it cannot do an operation.
Plan lowerGraph(const Graph& graph, const Policy& policy, const Backend& backend, LoweringOptions options);

/// Has casts to fp8 write transposed copies too, for products that the backend reads along k (`Backend::readsAlongK`).
void turnCopies(Plan& plan, const Backend& backend);

/// Appends one instruction, and its workspace where the backend wants one. Throws as `lowerGraph`.
void appendInstruction(Plan& plan, const Backend& backend, Instruction instruction);

/// Gives every transient buffer its place, sharing memory between buffers that are not alive together, and fills the ledger.
void layOut(Plan& plan);

}  // namespace mantissa
