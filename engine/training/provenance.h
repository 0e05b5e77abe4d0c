// SPDX-License-Identifier: Apache-2.0
// Fills in the card while a step is repeated: every tensor as it is written, and all there is to say of the first that is not finite.
// One thread at a time.
#pragma once

#include <optional>

#include "engine/diagnosis/examination.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// Counts the micro-batches of a step from the instructions that are looked at.
class MicroBatchCount {
public:
    void take(std::int64_t instruction) {
        m_isAnother = instruction < m_last;
        if (m_isAnother) ++m_count;
        m_last = instruction;
    }
    bool isAnother() const { return m_isAnother; }  // the last instruction began one
    /// That the last instruction belongs to, from 1; 0: none, as for weight copies and the update.
    std::int64_t current(const Plan& plan) const { return m_last >= plan.prologueEnd && m_last < plan.backwardEnd ? m_count : 0; }

private:
    std::int64_t m_last = -1, m_count = 1;
    bool m_isAnother = false;
};

class Provenance {
public:
    /// `brokenBefore`: tensors that are written without being read, as running statistics are in training, and were not finite before the
    /// step: nothing of the step explains them, so they are passed over.
    explicit Provenance(const Plan& plan, std::vector<std::string> brokenBefore = {})
        : m_plan(plan), m_brokenBefore(std::move(brokenBefore)) {}

    /// Trainer::Look::at.
    void look(Executor& executor, Queue& queue, std::int64_t instruction, int buffer, const ElementClasses& classes);

    /// Unscaled gradients, all parameters one after another: which of them are not finite.
    void noteGradients(const std::vector<float>& gradients);

    bool hasFound() const { return m_hasFound; }
    bool isForwardFinite() const { return m_isForwardFinite; }
    bool isBatchFinite() const { return m_isBatchFinite; }
    /// The card; of a step with nothing to be found, without a layer.
    ProvenanceCard card() const { return m_card; }

private:
    const Plan& m_plan;
    std::vector<std::string> m_brokenBefore;
    ProvenanceCard m_card;
    static constexpr int kLinksBeyond = 12;
    MicroBatchCount m_microBatches;
    int m_beyond = 0;  // links after the first that is not finite
    bool m_hasFound = false, m_isForwardFinite = true, m_isBatchFinite = true;

    void fill(Executor& executor, Queue& queue, std::int64_t instruction, int buffer, const ElementClasses& classes);
    void measureCast(const std::vector<float>& values, std::int64_t element);
    std::int64_t nameParameter(const std::vector<float>& all);
    void findRow(Executor& executor, Queue& queue, const Instruction& instruction, int written, std::int64_t element);
    void note(const ElementClasses& classes, const Instruction& instruction);
};

/// A tensor of the step, by what makes it: finds the same one in the plan of another format.
struct TensorKey {
    std::string layer, operation, tensor;
    std::int64_t microBatch = 1;  // 0 and 1: as it is written first
};

/// A step repeated for the values of one tensor.
class TensorReader {
public:
    TensorReader(const Plan& plan, TensorKey key) : m_plan(plan), m_key(std::move(key)) {}
    void look(Executor& executor, Queue& queue, std::int64_t instruction, int buffer);
    /// As it was written in that micro-batch; nothing: there is no such tensor.
    const std::optional<std::vector<float>>& values() const { return m_values; }

private:
    const Plan& m_plan;
    TensorKey m_key;
    MicroBatchCount m_microBatches;
    std::optional<std::vector<float>> m_values;
};

/// What an operation's results are rounded to, where they are stored in something wider.
Dtype resultFormatOf(const OperationDesc& operation, Dtype stored);

/// Row-major: where the element of that number lies.
std::vector<std::int64_t> elementIndex(const std::vector<std::int64_t>& shape, std::int64_t element);

}  // namespace mantissa
