// SPDX-License-Identifier: Apache-2.0
// Where a graph's values lie while it is lowered to a plan: as they were made, cast, or quantised, each copy made once.
// A part of lowering.cpp, which derives from it. One thread.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/plan/plan.h"

namespace mantissa {

class ValueBuffers {
protected:
    ValueBuffers(const Graph& graph, const Policy& policy, const Backend& backend, LoweringOptions options);

    const Value& value(int index) const { return m_graph.values[static_cast<std::size_t>(index)]; }
    const Buffer& buffer(int index) const { return m_plan.buffers[static_cast<std::size_t>(index)]; }
    int stored(int valueIndex) const { return m_stored[static_cast<std::size_t>(valueIndex)]; }
    Dtype storedDtype(int valueIndex) const { return *buffer(stored(valueIndex)).dtype; }
    /// The format a value has in the framework: that of its operation's result, which may be rounded early for its readers. Its gradient
    /// comes in this format.
    Dtype resultDtype(int valueIndex) const {
        const auto found = m_results.find(valueIndex);
        return found == m_results.end() ? storedDtype(valueIndex) : found->second;
    }
    std::int64_t batch() const { return value(m_graph.input).shape[0]; }
    /// All leading extents together.
    std::int64_t rowsOf(int valueIndex) const { return elementCount(value(valueIndex).shape) / value(valueIndex).shape.back(); }

    /// Parameters, their gradients and the control block, which outlive a step.
    void placePersistent();
    /// input[b] = table[indices[b]], and the labels likewise.
    void gatherBatch();
    void append(Instruction instruction);

    /// The buffer that holds a value in `dtype`, cast once. Casts of parameters go to the prologue: once a step, as autocast's cache.
    int as(int valueIndex, Dtype dtype, const Node& node);
    /// The same for operations that read any format: a value is cast only where it is wider than `dtype`, as else nothing is lost.
    int atMost(int valueIndex, Dtype dtype, const Node& node);

    /// The fp8 operand that holds a value, quantised once: parameters from where they are kept, other tensors as the policy stores them.
    struct Quantized {
        int values, scale;  // buffers
    };
    Quantized quantized(int valueIndex, Dtype dtype, const Node& node);

    int newOutput(int valueIndex, Dtype dtype, Phase phase);
    /// A value that is some columns of another one's buffer, from `firstColumn` on.
    void placePart(int valueIndex, int whole, std::int64_t firstColumn);
    /// A value whose operation's result is `result`, written in `written`.
    int newRoundedOutput(int valueIndex, Dtype result, Dtype written, Phase phase) {
        m_results[valueIndex] = result;
        return newOutput(valueIndex, written, phase);
    }
    int newIndices(int valueIndex);  // of int32, for the backward pass
    /// A value lies in a buffer that is there already.
    void place(int valueIndex, int bufferIndex) { m_stored[static_cast<std::size_t>(valueIndex)] = bufferIndex; }

    const Graph& m_graph;
    const Backend& m_backend;
    LoweringOptions m_options;
    Plan m_plan;
    std::vector<Instruction> m_prologue;

private:
    void keepStatistics();
    void keepGradients();
    /// Copies what lies in one place of a home to another one of it, at the beginning of each step.
    void copyAtBegin(const char* name, const char* layer, int from, int to);
    /// Validation uses the scales that training has found, and teaches them nothing.
    ScaleSource scaleSource() const;
    int addScale(int valueIndex, Dtype dtype);
    /// A place for a value in another format than it was made in.
    int addCopy(int valueIndex, Dtype dtype, const Node& node);
    void appendCopying(int valueIndex, const Node& node, Instruction copying);

    std::vector<int> m_stored;                      // value -> buffer that holds it as it was made
    std::map<int, Dtype> m_results;                 // value -> its operation's result, where it was rounded as it was written
    std::map<std::pair<int, Dtype>, int> m_copies;  // (value, dtype) -> buffer of its cast
    std::map<std::pair<int, Dtype>, Quantized> m_quantized;
};

}  // namespace mantissa
