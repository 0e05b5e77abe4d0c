// SPDX-License-Identifier: Apache-2.0
// Adds transposed copies of quantised tensors, written by their casts, if the backend multiplies faster along k, so that no product
// transposes. The original copy stays: statistics, fault injection and element queries refer to it.
#include <algorithm>

#include "engine/plan/plan.h"

namespace mantissa {
namespace {

class TransposedCopies {
public:
    TransposedCopies(Plan& plan, const Backend& backend) : m_plan(plan), m_backend(backend) {}

    void makeWhereWanted() {
        for (std::size_t i = 0; i < m_plan.instructions.size(); ++i) {
            const auto* desc = std::get_if<MatmulDesc>(&m_plan.instructions[i].operation);
            if (desc != nullptr && desc->isScaled && (desc->transposeA || !desc->transposeB) && m_backend.readsAlongK(*desc)) turn(i);
        }
        for (const int transposed : m_made) settleCategory(transposed);
    }

private:
    Plan& m_plan;
    const Backend& m_backend;
    std::vector<int> m_made;

    Buffer& bufferAt(int index) { return m_plan.buffers[static_cast<std::size_t>(index)]; }

    void turn(std::size_t index) {
        MatmulDesc desc = std::get<MatmulDesc>(m_plan.instructions[index].operation);
        std::vector<int> operands = m_plan.instructions[index].operands;
        if (desc.transposeA) turnOperand(operands[0], desc.transposeA, desc.k);
        if (!desc.transposeB) turnOperand(operands[1], desc.transposeB, desc.k);
        Instruction& product = m_plan.instructions[index];
        product.operation = desc;
        product.operands = std::move(operands);
        const auto scratch = static_cast<std::int64_t>(m_backend.workspaceBytes(desc));
        int& workspace = product.operands.back();
        if (scratch == 0) workspace = -1;
        if (scratch > 0 && workspace < 0) workspace = m_plan.addBuffer({.name = product.layer + " " + product.name + " workspace"});
        if (workspace < 0) return;
        bufferAt(workspace).category = BufferCategory::Workspace;
        bufferAt(workspace).isScratch = true;
        bufferAt(workspace).bytes = scratch;
    }

    /// `rows`: of the stored matrix. An operand that no cast writes, or one of a matrix of other rows, stays unchanged.
    void turnOperand(int& operand, bool& isTransposed, std::int64_t rows) {
        const auto cast = std::find_if(m_plan.instructions.begin(), m_plan.instructions.end(), [&](const Instruction& each) {
            return std::holds_alternative<QuantizeDesc>(each.operation) && each.output == operand;
        });
        if (cast == m_plan.instructions.end()) return;
        auto& desc = std::get<QuantizeDesc>(cast->operation);
        if (desc.transposedRows != 0 && desc.transposedRows != rows) return;
        if (desc.transposedRows == 0) {
            Buffer copy = bufferAt(operand);
            copy.name += ", transposed";
            copy.shape = {desc.count / rows, rows};
            copy.transposeOf = operand;
            cast->bytes += static_cast<double>(copy.bytes);
            cast->operands.push_back(m_plan.addBuffer(std::move(copy)));
            desc.transposedRows = rows;
            m_made.push_back(cast->operands.back());
        }
        operand = cast->operands.back();
        isTransposed = !isTransposed;
    }

    /// An activation has two copies; only one that the backward pass reads counts as saved.
    void settleCategory(int transposed) {
        const int asItLies = bufferAt(transposed).transposeOf;
        if (bufferAt(asItLies).category != BufferCategory::Activations) return;
        const auto readsBackward = [&](const Instruction& each) {
            return each.phase != Phase::Forward && std::find(each.operands.begin(), each.operands.end(), asItLies) != each.operands.end();
        };
        if (std::none_of(m_plan.instructions.begin(), m_plan.instructions.end(), readsBackward))
            bufferAt(asItLies).category = BufferCategory::Workspace;
    }
};

}  // namespace

void turnCopies(Plan& plan, const Backend& backend) {
    TransposedCopies(plan, backend).makeWhereWanted();
}

}  // namespace mantissa
