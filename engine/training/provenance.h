// SPDX-License-Identifier: Apache-2.0
// Fills in the provenance card while a step is repeated: the chain of tensors, and all details of the first non-finite one. One thread at a
// time.
#pragma once

#include "engine/diagnosis/examination.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// Counts the micro-batches of a step from the sequence of observed instructions.
class MicroBatchCount {
public:
    void take(std::int64_t instruction) {
        m_isAnother = instruction < m_last;
        if (m_isAnother) ++m_count;
        m_last = instruction;
    }
    bool isAnother() const { return m_isAnother; }  // the last instruction began a new micro-batch
    /// The micro-batch of the last instruction, from 1; 0: none, as for weight copies and the update.
    std::int64_t current(const Plan& plan) const { return m_last >= plan.prologueEnd && m_last < plan.backwardEnd ? m_count : 0; }

private:
    std::int64_t m_last = -1, m_count = 1;
    bool m_isAnother = false;
};

class Provenance {
public:
    /// `brokenBefore`: tensors that are written but not read, like running statistics, and were not finite before the step. The step does
    /// not explain them, so they are ignored.
    explicit Provenance(const Plan& plan, std::vector<std::string> brokenBefore = {})
        : m_plan(plan), m_brokenBefore(std::move(brokenBefore)) {}

    /// The observer for Trainer::Observer::at.
    void observe(Executor& executor, Queue& queue, std::int64_t instruction, int buffer, const ElementClasses& classes);

    /// Enters the parameters with non-finite gradients. `gradients`: unscaled, of all parameters in order.
    void noteGradients(const std::vector<float>& gradients);

    bool hasFound() const { return m_hasFound; }
    bool isForwardFinite() const { return m_isForwardFinite; }
    bool isBatchFinite() const { return m_isBatchFinite; }
    /// The card; without a layer if the step is finite.
    ProvenanceCard card() const { return m_card; }

private:
    const Plan& m_plan;
    std::vector<std::string> m_brokenBefore;
    ProvenanceCard m_card;
    static constexpr int kLinksBeyond = 12;
    MicroBatchCount m_microBatches;
    int m_beyond = 0;  // links after the first non-finite one
    bool m_hasFound = false, m_isForwardFinite = true, m_isBatchFinite = true;

    void fill(Executor& executor, Queue& queue, std::int64_t instruction, int buffer, const ElementClasses& classes);
    std::int64_t nameParameter(const std::vector<float>& all);
    void findRow(Executor& executor, Queue& queue, const Instruction& instruction, int written, std::int64_t element);
    void note(const ElementClasses& classes, const Instruction& instruction);
};

/// Identifies a tensor of the step by its origin, to find it in a plan of another format.
struct TensorKey {
    std::string layer, operation, tensor;
    std::int64_t microBatch = 1;  // 0 and 1: the first value written
};

/// Enters the value at the card's element, from a tensor in FP32, and the largest one.
void enterWide(ProvenanceCard& card, const std::vector<float>& values, std::int64_t element);

/// Returns the format that an operation's results are rounded to, also if they are stored in a wider one.
Dtype resultFormatOf(const OperationDesc& operation, Dtype stored);

/// Converts a row-major element number to an index.
std::vector<std::int64_t> elementIndex(const std::vector<std::int64_t>& shape, std::int64_t element);

}  // namespace mantissa
