// SPDX-License-Identifier: Apache-2.0
// Buffers of a graph's values during lowering: in their original, cast or quantised form, each made once. The base class of Lowering. One
// thread.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/plan/plan.h"

namespace mantissa {

class ValueBuffers {
public:
    /// Begins the plan with what outlives a step, and the batch.
    ValueBuffers(const Graph& graph, const Policy& policy, const Backend& backend, LoweringOptions options);

    const Graph& graph() const { return m_graph; }
    const Policy& policy() const { return m_plan.policy; }
    const Backend& backend() const { return m_backend; }
    const LoweringOptions& options() const { return m_options; }
    Plan& plan() { return m_plan; }
    const Value& value(int index) const { return m_graph.values[static_cast<std::size_t>(index)]; }
    const Buffer& buffer(int index) const { return m_plan.buffers[static_cast<std::size_t>(index)]; }
    int stored(int valueIndex) const { return m_stored[static_cast<std::size_t>(valueIndex)]; }
    Dtype storedDtype(int valueIndex) const { return *buffer(stored(valueIndex)).dtype; }
    /// The format of a value in the framework: that of its operation's result, which may be rounded early for its readers. Its gradient has
    /// this format.
    Dtype resultDtype(int valueIndex) const {
        const auto found = m_results.find(valueIndex);
        return found == m_results.end() ? storedDtype(valueIndex) : found->second;
    }
    std::int64_t countOf(int valueIndex) const { return elementCount(value(valueIndex).shape); }
    std::int64_t colsOf(int valueIndex) const { return value(valueIndex).shape.back(); }
    /// The product of all leading extents.
    std::int64_t rowsOf(int valueIndex) const { return countOf(valueIndex) / colsOf(valueIndex); }

    void append(Instruction instruction);

    /// The buffer of a value in `dtype`, cast once. Casts of parameters go to the prologue: once per step, as autocast's cache.
    int as(int valueIndex, Dtype dtype, const Node& node);
    /// The buffer of a value in `dtype` or narrower, for operations that read any format: only wider values are cast.
    int atMost(int valueIndex, Dtype dtype, const Node& node);

    /// The fp8 operand of a value, quantised once: parameters from their stored form, other tensors from the policy's storage format.
    struct Quantized {
        int values, scale;  // buffers
    };
    Quantized quantized(int valueIndex, Dtype dtype, const Node& node);
    /// The operand of a value in a block format, quantised once: as stored, or from the numbers of another block format, after rounding to
    /// bf16.
    Quantized quantized(int valueIndex, const OperandFormat& format, const Node& node);

    int newOutput(int valueIndex, Dtype dtype, Phase phase);
    /// Makes a value a view of some columns of another buffer, from `firstColumn` on.
    void placePart(int valueIndex, int whole, std::int64_t firstColumn);
    /// Creates a buffer in `written` for a value whose operation's result is `result`.
    int newRoundedOutput(int valueIndex, Dtype result, Dtype written, Phase phase) {
        m_results[valueIndex] = result;
        return newOutput(valueIndex, written, phase);
    }
    int newIndices(int valueIndex);  // int32, for the backward pass
    /// Assigns an existing buffer to a value.
    void place(int valueIndex, int bufferIndex) { m_stored[static_cast<std::size_t>(valueIndex)] = bufferIndex; }

    /// The plan, when all nodes are lowered. `forwardEnd`: the number of instructions before the backward pass.
    Plan finish(std::int64_t forwardEnd);

private:
    /// Places parameters, their gradients and the control block, which outlive a step.
    void placePersistent();
    /// Appends input[b] = table[indices[b]], and the same for labels.
    void gatherBatch();
    void keepStatistics();
    void keepGradients();
    /// Copies from one place in an arena to another at the beginning of each step.
    void copyAtBegin(const char* name, const char* layer, int from, int to);
    /// Validation uses the scales of training and does not update them.
    ScaleSource scaleSource() const;
    int addScale(int valueIndex, Dtype dtype);
    /// Creates a buffer for a value in another format.
    int addCopy(int valueIndex, Dtype dtype, const Node& node);
    void appendCopying(int valueIndex, const Node& node, Instruction copying);

    const Graph& m_graph;
    const Backend& m_backend;
    LoweringOptions m_options;
    Plan m_plan;
    std::vector<Instruction> m_prologue;
    std::vector<int> m_stored;                      // value -> buffer of its original form
    std::map<int, Dtype> m_results;                 // value -> its operation's result dtype, if it was rounded when written
    std::map<std::pair<int, Dtype>, int> m_copies;  // (value, dtype) -> buffer of its cast
    std::map<std::pair<int, Dtype>, Quantized> m_quantized;
    struct InBlocks {
        int valueIndex;
        OperandFormat format;
        Quantized made;
    };
    std::vector<InBlocks> m_inBlocks;
    std::int64_t m_stochasticElements = 0;  // that are rounded stochastically, so far
};

}  // namespace mantissa
