// SPDX-License-Identifier: Apache-2.0
// A plan: graph + policy + shapes compiled to a flat list of instructions over buffers that are laid out in advance. So a step allocates
// nothing, memory is known by category before the first step, and a live change of precision is a recompile and a swap.
//
// Making a plan: `lowerGraph` (forward and backward), then the trainer appends the optimizer, then `layOut`. Pure values; any thread.
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

/// The arena of a buffer. The trainer owns all of them; each plan lays out only `Transient`.
enum class Arena : std::uint8_t {
    Masters,       // parameters, flat, in Policy::weights: fp32 except for pure policies; survives a swap of plans
    Gradients,     // parameters' gradients, with the segments of Masters; survives
    Moment1,       // m of Adam, AdamW, Lion and Muon, SGD's momentum buffer, in Plan::moments; survives
    Moment2,       // v of Adam and AdamW, in Plan::moments; without gaps where Muon's matrices have none; survives
    Compensation,  // rounding errors of Kahan's update; survives
    Statistics,    // running statistics of batch norms; survives
    Scales,        // scales of fp8 tensors with delayed scaling, and their histories; survives
    Control,       // StepScalars, loss, counts, sample indices
    Inputs,        // the resident data set's inputs
    Labels,        // and its labels or targets
    Transient,     // activations, low-precision weight copies, scratch
    TensorStats,   // tensor statistics and their scratch; not in the ledger, since they are not part of the run
};
inline constexpr std::size_t kArenaCount = 12;

/// A cache line, and the widest vector register.
inline constexpr std::int64_t kBufferAlignment = 64;
constexpr std::int64_t aligned(std::int64_t bytes) {
    return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

struct Buffer {
    std::string name;  // "layers.0.output", "layers.0.weight as fp16"
    Shape shape{};
    std::optional<Dtype> dtype{};  // nothing: not floating point (labels, indices, control), or in blocks
    BufferCategory category = BufferCategory::Activations;
    Arena arena = Arena::Transient;
    std::int64_t offset = 0;  // bytes from the start of its arena
    std::int64_t bytes = 0;
    bool isCounted = true;                   // false: a view of memory that is counted elsewhere
    ValueRole role = ValueRole::Activation;  // of the graph's value
    int whole = -1;                          // the parent buffer whose rows contain these columns (a strided view); -1: none
    std::int64_t firstByte = 0;              // in the parent buffer
    int transposeOf = -1;                    // the buffer whose transpose this is, written together; -1: none
    bool isScratch = false;                  // an operation's workspace
    std::optional<BlockFormat> blocks{};     // an operand of a product in a block format
};

struct Instruction {
    OperationDesc operation;
    std::string name;   // "linear", "cast", "cross_entropy_grad", ...
    std::string layer;  // "layers.0"
    Phase phase = Phase::Forward;
    std::vector<int> operands;    // buffer indices, in the operation's order; -1: null
    int output = -1;              // the buffer it writes, for audits; -1: control values only
    std::vector<int> others{};    // further outputs
    Dtype compute = Dtype::F32;   // compute dtype of products
    double flops = 0, bytes = 0;  // arithmetic, and memory touched
    bool isStatistics = false;    // tensor statistics, only for measured steps (tensor_statistics.h)
    int group = -1;               // of instructions that the backend computes together, at the first one's place (fuse); -1: none
    bool isFollower = false;      // not the first one of its group
};

/// A tensor with statistics, and the buffer of the result: an ElementStats, or an UpdateStats of an update.
struct MeasuredTensor {
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
    Dtype moments = Dtype::F32;  // storage of the optimizer's moments
    std::vector<Buffer> buffers;
    std::vector<Instruction> instructions;  // prologue, forward, backward, optimizer, in order
    // ends of the parts, as instruction indices
    std::int64_t prologueEnd = 0;  // weight copies: once per step
    std::int64_t forwardEnd = 0;   // forward and backward: once per micro-batch
    std::int64_t backwardEnd = 0;
    std::int64_t unscaleEnd = 0;  // unscale and check; the rest updates the weights
    std::array<std::int64_t, kArenaCount> arenaBytes{};
    std::int64_t bytesOf(Arena arena) const { return arenaBytes[static_cast<std::size_t>(arena)]; }
    MemoryLedger memory;
    Segments segments;                     // offset of each parameter in the flat arenas, in elements
    std::vector<int> parameterBuffers;     // masters, in the graph's parameter order
    std::vector<int> statisticBuffers;     // in the graph's order, contiguous
    int statisticsBefore = -1;             // copy of all statistics from the beginning of the step
    int gradientsBefore = -1;              // copy of the gradients, if they accumulate over steps
    std::vector<int> delayedScales;        // fp8 scales that are updated once per step, in the order of their arena
    std::vector<Dtype> delayedFormats;     // the format of each
    std::vector<MeasuredTensor> measured;  // in the order of their instructions
    // buffers that the trainer reads or writes between instructions
    int scalars = -1, loss = -1, indices = -1, foundInf = -1;
    int correct = -1;  // if there are classes
    int logits =
        -1;  // input of the cross-entropy, in the buffer's format; valid until the next pass, since the cross-entropy is its last reader

    /// The buffer that contains all of a buffer's elements: the parent of a view, or itself.
    int parentOf(int buffer) const {
        const int whole = buffers[static_cast<std::size_t>(buffer)].whole;
        return whole < 0 ? buffer : whole;
    }
    int addBuffer(Buffer buffer);  // sets `bytes` from shape and dtype if it is 0
    /// Places a buffer at the end of its arena, 64-byte aligned. Not for Transient.
    int placeBuffer(Buffer buffer);
};

struct LoweringOptions {
    bool isTraining = true;       // false: forward only
    bool accumulates = false;     // several micro-batches per step, or several steps: gradients accumulate
    bool keepsGradients = false;  // gradients accumulate over steps: the step first copies them, for repetitions
    std::uint64_t seed = 0;       // of dropout
};

/// Compiles a graph: forward (and backward) instructions under a policy, with casts where autocast would insert them, each once. Throws
/// std::invalid_argument with the backend's reason if it does not support an operation.
Plan lowerGraph(const Graph& graph, const Policy& policy, const Backend& backend, LoweringOptions options);

/// Makes casts to fp8 write transposed copies too, for products that the backend reads along k (`Backend::readsAlongK`).
void turnCopies(Plan& plan, const Backend& backend);

/// Groups instructions that the backend computes together: the memory that each touches becomes its part of the group's. A step whose
/// tensors are audited or measured computes the parts, with the same results.
void fuse(Plan& plan, const Backend& backend);

/// Appends one instruction, and its workspace if the backend needs one. Throws as `lowerGraph` does.
void appendInstruction(Plan& plan, const Backend& backend, Instruction instruction);

/// Assigns an offset to every transient buffer, sharing memory between buffers with disjoint lifetimes, and fills the ledger.
void layOut(Plan& plan);

}  // namespace mantissa
