// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/tensor_statistics.h"

#include <algorithm>
#include <utility>

namespace mantissa {
namespace {

/// A parameter's gradient that is cast to, or added to, the stored one.
bool isTemporaryGradient(const Buffer& buffer) {
    return buffer.role == ValueRole::ParameterGradient && buffer.arena != Arena::Gradients;
}

class StatisticsInserter {
public:
    StatisticsInserter(Plan& plan, const Backend& backend, bool isPartial)
        : m_plan(plan), m_backend(backend), m_isPartial(isPartial), m_before(std::exchange(plan.instructions, {})) {}

    /// Moves the plan's instructions up to `end`, with statistics of what they write.
    void take(std::int64_t end, bool measures) {
        for (; m_taken < end; ++m_taken) {
            m_plan.instructions.push_back(std::move(m_before[static_cast<std::size_t>(m_taken)]));
            if (!measures) continue;
            const Instruction made = m_plan.instructions.back();
            if (made.output >= 0 && made.output != m_plan.loss) measure(made.output, made);
            for (const int other : made.others) measure(other, made);
        }
    }
    void takeRest() { take(static_cast<std::int64_t>(m_before.size()), false); }
    std::int64_t count() const { return static_cast<std::int64_t>(m_plan.instructions.size()); }

    void measure(int index, const Instruction& made) {
        const Buffer buffer = bufferAt(index);  // a copy: adding buffers may move this one
        if (!buffer.dtype) return;
        if (isTemporaryGradient(buffer) && !isAdded(index)) return;  // it is cast to the stored gradient, which has statistics
        MeasuredTensor seen = seenIn(buffer, tensorRoleOf(buffer), made, sizeof(ElementStats));
        append(StatsDesc{seen.elements, *buffer.dtype, m_isPartial}, made, {index, m_isPartial ? m_plan.scalars : -1, seen.slot});
        m_plan.measured.push_back(std::move(seen));
    }

    /// Copies the weights before the update, or the part with statistics.
    void keepWeights() {
        const Dtype dtype = m_plan.policy.weights;
        const std::int64_t count = m_plan.segments.back();
        m_weightsBefore = place({.name = "weights before the update", .shape = {count}, .dtype = dtype});
        const int weights = viewOf(Arena::Masters, dtype, 0, count);
        const Instruction kept{.layer = "optimizer", .phase = Phase::Optimizer};
        if (m_isPartial)
            append(KeepSeenDesc{m_plan.segments, dtype}, kept, {weights, m_plan.scalars, m_weightsBefore});
        else
            append(CastDesc{count, dtype, dtype}, kept, {weights, m_weightsBefore});
    }

    /// Adds statistics of a parameter's weights and of their update.
    void measureUpdate(std::size_t parameter, const Instruction& made, bool decays) {
        const int weights = m_plan.parameterBuffers[parameter];
        measure(weights, made);
        const std::int64_t first = m_plan.segments[parameter], count = m_plan.segments[parameter + 1] - first;
        const Dtype dtype = m_plan.policy.weights;
        const int before = m_plan.addBuffer({.name = "weights before the update",
                                             .shape = {count},
                                             .dtype = dtype,
                                             .arena = Arena::TensorStats,
                                             .offset = bufferAt(m_weightsBefore).offset + bytesOf(first),
                                             .isCounted = false});
        const int moment = m_plan.bytesOf(Arena::Moment1) > 0 ? viewOf(Arena::Moment1, m_plan.moments, first, count) : -1;
        MeasuredTensor seen = seenIn(bufferAt(weights), TensorRole::Update, made, sizeof(UpdateStats));
        append(UpdateStatsDesc{count, dtype, decays, m_isPartial, m_plan.moments}, made,
               {before, weights, viewOf(Arena::Gradients, dtype, first, count), moment, m_plan.scalars, seen.slot});
        m_plan.measured.push_back(std::move(seen));
    }

private:
    Plan& m_plan;
    const Backend& m_backend;
    bool m_isPartial;
    std::vector<Instruction> m_before;
    std::int64_t m_taken = 0;
    int m_weightsBefore = -1;

    /// Whether a later instruction adds this buffer to another one.
    bool isAdded(int index) const {
        return std::any_of(m_before.begin() + m_taken + 1, m_before.end(), [index](const Instruction& each) {
            return std::holds_alternative<AccumulateDesc>(each.operation) && each.operands.front() == index;
        });
    }

    const Buffer& bufferAt(int index) const { return m_plan.buffers[static_cast<std::size_t>(index)]; }
    std::int64_t bytesOf(std::int64_t elements) const {
        return elements * static_cast<std::int64_t>(facts(m_plan.policy.weights).storageBytes());
    }

    int place(Buffer buffer) {
        buffer.arena = Arena::TensorStats;
        buffer.isCounted = false;
        return m_plan.placeBuffer(std::move(buffer));
    }

    int viewOf(Arena arena, Dtype dtype, std::int64_t first, std::int64_t count) {
        return m_plan.addBuffer({.name = "measured weights",
                                 .shape = {count},
                                 .dtype = dtype,
                                 .arena = arena,
                                 .offset = first * static_cast<std::int64_t>(facts(dtype).storageBytes()),
                                 .isCounted = false});
    }

    /// Describes the statistics of `buffer` and reserves memory for them.
    MeasuredTensor seenIn(const Buffer& buffer, TensorRole role, const Instruction& made, std::size_t bytes) {
        MeasuredTensor seen = writtenBy(made, buffer);
        seen.role = role;
        seen.passedPerScale = passedPerScale(m_plan.policy, made);
        Buffer slot{.name = "statistics of " + buffer.name};
        slot.bytes = static_cast<std::int64_t>(bytes);
        seen.slot = place(std::move(slot));
        return seen;
    }

    void append(OperationDesc operation, const Instruction& made, std::vector<int> operands) {
        Instruction statistics{.operation = std::move(operation), .name = "statistics", .layer = made.layer, .phase = made.phase};
        statistics.operands = std::move(operands);
        statistics.isStatistics = true;
        for (const int operand : statistics.operands) {  // appendInstruction adds the bytes of whole operands
            if (operand < 0 || !bufferAt(operand).dtype) continue;
            const std::int64_t count = elementCount(bufferAt(operand).shape), unread = count - seenPart(count, m_isPartial, 0).size();
            statistics.bytes -= static_cast<double>(unread) * static_cast<double>(facts(*bufferAt(operand).dtype).storageBytes());
        }
        appendInstruction(m_plan, m_backend, std::move(statistics));
    }
};

}  // namespace

double passedPerScale(const Policy& policy, const Instruction& made) {
    const auto* loss = std::get_if<SoftmaxCrossEntropyGradDesc>(&made.operation);
    const bool isNarrow = loss != nullptr && computeDtype(policy, OpKind::CrossEntropyGrad, made.layer, Dtype::F16) != Dtype::F32;
    return isNarrow ? lossGradientPerScale(*loss) : 0;
}

MeasuredTensor writtenBy(const Instruction& made, const Buffer& buffer) {
    MeasuredTensor seen{
        .tensor = buffer.name, .layer = made.layer, .operation = made.name, .phase = made.phase, .role = tensorRoleOf(buffer)};
    // one instruction covers all parameters: the buffer's name gives the layer
    if (made.layer == "optimizer") seen.layer = buffer.name.substr(0, buffer.name.rfind('.'));
    if (isTemporaryGradient(buffer)) seen.tensor += " of a micro-batch";
    seen.storage = *buffer.dtype;
    seen.elements = elementCount(buffer.shape);
    return seen;
}

TensorRole tensorRoleOf(const Buffer& buffer) {
    if (buffer.arena == Arena::Statistics) return TensorRole::Statistic;
    switch (buffer.role) {
        case ValueRole::ParameterGradient:
            return isTemporaryGradient(buffer) ? TensorRole::Gradient : TensorRole::WeightGradient;
        case ValueRole::Gradient:
            return TensorRole::Gradient;
        case ValueRole::Parameter:
            return TensorRole::Weight;
        default:
            return TensorRole::Value;
    }
}

void addTensorStatistics(Plan& plan, const Backend& backend, const std::vector<bool>& decays, bool isPartial) {
    StatisticsInserter inserter(plan, backend, isPartial);
    inserter.take(plan.prologueEnd, false);
    inserter.take(plan.forwardEnd, true);
    const std::int64_t forwardEnd = inserter.count();
    inserter.take(plan.backwardEnd, true);
    const std::int64_t backwardEnd = inserter.count();
    inserter.take(plan.unscaleEnd, false);
    const std::int64_t unscaleEnd = inserter.count();
    inserter.keepWeights();
    inserter.takeRest();
    const Instruction updated{.name = "update", .layer = "optimizer", .phase = Phase::Optimizer};
    for (std::size_t i = 0; i < plan.parameterBuffers.size(); ++i) inserter.measureUpdate(i, updated, decays[i]);
    plan.forwardEnd = forwardEnd;
    plan.backwardEnd = backwardEnd;
    plan.unscaleEnd = unscaleEnd;
}

}  // namespace mantissa
