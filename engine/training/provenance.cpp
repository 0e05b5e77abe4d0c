// SPDX-License-Identifier: Apache-2.0
#include "engine/training/provenance.h"

#include <algorithm>
#include <cmath>

#include "engine/training/audit.h"

namespace mantissa {
namespace {

const Buffer& bufferOf(const Plan& plan, int index) {
    return plan.buffers[static_cast<std::size_t>(index)];
}

std::int64_t nonFiniteOf(const ElementClasses& classes) {
    return classes.positiveInf + classes.negativeInf + classes.nan;
}

std::string formatOf(const Buffer& buffer) {
    return buffer.dtype ? std::string(facts(*buffer.dtype).name) : "";
}

/// Number of products summed in one element.
std::int64_t productSumOf(const OperationDesc& operation) {
    const auto* matmul = std::get_if<MatmulDesc>(&operation);
    return matmul != nullptr ? matmul->k : 0;
}

/// Whether two buffers share memory: an in-place operation overwrites what it read.
bool overlaps(const Buffer& a, const Buffer& b) {
    return a.arena == b.arena && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

/// Floating-point tensors that an instruction reads, except the whole data set, its own outputs and scratch.
std::vector<int> readsOf(const Plan& plan, const Instruction& instruction) {
    std::vector<int> reads;
    const std::size_t count = instruction.operands.size() - (namesWorkspace(instruction.operation) ? 1 : 0);
    for (std::size_t i = 0; i < count; ++i) {
        if (instruction.operands[i] < 0) continue;
        const int operand = plan.parentOf(instruction.operands[i]);
        if (bufferOf(plan, operand).transposeOf >= 0 && bufferOf(plan, operand).transposeOf == instruction.output) continue;
        if (std::find(reads.begin(), reads.end(), operand) != reads.end()) continue;
        const Buffer& buffer = bufferOf(plan, operand);
        const auto isOver = [&](int written) { return written >= 0 && overlaps(buffer, bufferOf(plan, written)); };
        if (isOver(instruction.output) || std::any_of(instruction.others.begin(), instruction.others.end(), isOver)) continue;
        if (buffer.dtype && buffer.arena != Arena::Inputs && buffer.arena != Arena::Labels) reads.push_back(operand);
    }
    return reads;
}

/// `isMasked`: -Inf marks masked scores and is no fault.
TensorRange rangeOf(const Plan& plan, Executor& executor, Queue& queue, int operand, bool isMasked) {
    const Buffer& buffer = bufferOf(plan, operand);
    TensorRange range{.name = buffer.name, .format = formatOf(buffer), .shape = buffer.shape};
    double smallest = INFINITY;
    for (const float value : executor.values(queue, operand)) {
        const double magnitude = std::abs(static_cast<double>(value));
        if (isMasked && value == -INFINITY) continue;
        if (!std::isfinite(value)) {
            ++range.nonFinite;
        } else if (magnitude > 0) {
            smallest = std::min(smallest, magnitude);
            range.absMax = std::max(range.absMax, magnitude);
        }
    }
    range.absMin = std::isfinite(smallest) ? smallest : 0;
    return range;
}

}  // namespace

std::vector<std::int64_t> elementIndex(const std::vector<std::int64_t>& shape, std::int64_t element) {
    std::vector<std::int64_t> index(shape.size());
    for (std::size_t i = shape.size(); i-- > 0;) {
        index[i] = element % shape[i];
        element /= shape[i];
    }
    return index;
}

Dtype resultFormatOf(const OperationDesc& operation, Dtype stored) {
    return std::visit(
        [&](const auto& desc) {
            if constexpr (requires { desc.result; }) {
                return stored == Dtype::F32 ? desc.result : stored;
            } else {
                return stored;
            }
        },
        operation);
}

void Provenance::observe(Executor& executor, Queue& queue, std::int64_t at, int written, const ElementClasses& classes) {
    const Instruction& instruction = m_plan.instructions[static_cast<std::size_t>(at)];
    const Buffer& output = bufferOf(m_plan, written);
    m_microBatches.take(at);
    if (std::find(m_brokenBefore.begin(), m_brokenBefore.end(), output.name) != m_brokenBefore.end()) return;
    if (m_microBatches.isAnother() && !m_hasFound) m_card.chain.clear();
    // A gradient that is widened has the same name and values as before.
    const bool isCopy = std::holds_alternative<CastDesc>(instruction.operation) && !m_card.chain.empty() &&
                        m_card.chain.back().tensor == output.name && m_card.chain.back().absMax == classes.absMax &&
                        m_card.chain.back().nonFinite == nonFiniteOf(classes);
    if (isCopy || (m_hasFound && ++m_beyond > kLinksBeyond)) return note(classes, instruction);
    m_card.chain.push_back({instruction.layer, instruction.name, std::string(phaseName(instruction.phase)), output.name, formatOf(output),
                            classes.absMax, nonFiniteOf(classes)});
    note(classes, instruction);
    if (!classes.allFinite() && !m_hasFound) fill(executor, queue, at, written, classes);
}

void Provenance::note(const ElementClasses& classes, const Instruction& instruction) {
    if (classes.allFinite()) return;
    if (instruction.phase == Phase::Forward) m_isForwardFinite = false;
    if (std::holds_alternative<GatherRowsDesc>(instruction.operation)) m_isBatchFinite = false;
}

void Provenance::fill(Executor& executor, Queue& queue, std::int64_t at, int written, const ElementClasses& classes) {
    const Instruction& instruction = m_plan.instructions[static_cast<std::size_t>(at)];
    const Buffer& output = bufferOf(m_plan, written);
    m_hasFound = true;
    m_card.layer = instruction.layer;
    m_card.operation = instruction.name;
    m_card.phase = std::string(phaseName(instruction.phase));
    m_card.tensor = output.name;
    const DtypeFacts& format = facts(resultFormatOf(instruction.operation, *output.dtype));
    m_card.format = std::string(format.name);
    m_card.storage = formatOf(output);
    m_card.formatMax = format.maxFinite;
    m_card.shape = output.shape;
    const auto countTo = [&](auto end) {  // observers are not part of the computation
        return static_cast<std::int32_t>(
            std::count_if(m_plan.instructions.begin(), end, [](const Instruction& i) { return !i.isStatistics; }));
    };
    m_card.instruction = countTo(m_plan.instructions.begin() + at + 1);
    m_card.instructions = countTo(m_plan.instructions.end());
    m_card.nonFinite = nonFiniteOf(classes);
    m_card.elements = elementCount(output.shape);
    const std::vector<float> values = executor.values(queue, written);
    const NonFiniteElement first = firstNonFinite(values);
    std::int64_t element = first.index;
    m_card.cls = first.cls;
    m_card.element = elementIndex(output.shape, element);
    m_card.microBatch = m_microBatches.current(m_plan);
    if (instruction.phase == Phase::Optimizer) element = nameParameter(values);
    m_card.bits = executor.bits(queue, written, element);
    findRow(executor, queue, instruction, written, element);
    m_card.productSum = productSumOf(instruction.operation);
    for (const int operand : readsOf(m_plan, instruction)) {
        m_card.operands.push_back(rangeOf(m_plan, executor, queue, operand, std::holds_alternative<SoftmaxDesc>(instruction.operation)));
        m_card.isProducer = m_card.isProducer && m_card.operands.back().nonFinite == 0;
    }
    if (std::holds_alternative<GatherRowsDesc>(instruction.operation)) m_card.isProducer = false;  // only copies from the data set
    if (std::holds_alternative<CastDesc>(instruction.operation))  // its input has the value that did not fit
        enterWide(m_card, executor.values(queue, instruction.operands.front()), element);
}

/// Tensors of the passes start with the batch's samples, with one row for each position. Gradients of parameters and sums over the batch
/// have no such rows.
void Provenance::findRow(Executor& executor, Queue& queue, const Instruction& instruction, int written, std::int64_t element) {
    if (m_card.microBatch == 0 || m_plan.indices < 0) return;
    const Buffer& output = bufferOf(m_plan, written);
    const std::int64_t batch = bufferOf(m_plan, m_plan.indices).bytes / static_cast<std::int64_t>(sizeof(std::int32_t));
    const bool isOfParameter = std::any_of(m_plan.parameterBuffers.begin(), m_plan.parameterBuffers.end(),
                                           [&](int index) { return output.name.starts_with(bufferOf(m_plan, index).name); });
    const bool mixesSamples =
        std::holds_alternative<BatchNormDesc>(instruction.operation) || std::holds_alternative<BatchNormGradDesc>(instruction.operation);
    const bool isOfSamples = !isOfParameter && !mixesSamples && output.transposeOf < 0 && !output.shape.empty() &&
                             output.arena == Arena::Transient && output.shape.front() % batch == 0;
    if (batch > 1 && !isOfSamples) return;
    const std::int64_t sample = batch > 1 ? element / (elementCount(output.shape) / batch) : 0;
    m_card.dataRow = executor.wholeNumber(queue, m_plan.indices, sample);
    m_card.isRowOfText = std::any_of(m_plan.instructions.begin(), m_plan.instructions.end(), [](const Instruction& each) {
        const auto* gather = std::get_if<GatherRowsDesc>(&each.operation);
        return gather != nullptr && gather->stride > 0;
    });
}

void enterWide(ProvenanceCard& card, const std::vector<float>& values, std::int64_t element) {
    card.wide = static_cast<double>(values[static_cast<std::size_t>(element)]);
    const auto largest = std::max_element(values.begin(), values.end(), [](float a, float b) { return std::abs(a) < std::abs(b); });
    card.wideMax = std::abs(static_cast<double>(*largest));
    card.wideMaxAt = elementIndex(card.shape, largest - values.begin());
}

/// The optimizer's instructions process all parameters at once. Names the first non-finite one and returns its element among all.
std::int64_t Provenance::nameParameter(const std::vector<float>& all) {
    const auto found = std::find_if(all.begin(), all.end(), [](float value) { return !std::isfinite(value); }) - all.begin();
    const auto after = std::upper_bound(m_plan.segments.begin(), m_plan.segments.end(), found);
    const auto index = static_cast<std::size_t>(after - m_plan.segments.begin()) - 1;
    if (index >= m_plan.parameterBuffers.size()) return found;
    const Buffer& parameter = bufferOf(m_plan, m_plan.parameterBuffers[index]);
    m_card.layer = parameter.name.substr(0, parameter.name.rfind('.'));
    m_card.tensor = parameter.name + (m_card.operation == "unscale" ? ".grad" : "");
    m_card.shape = parameter.shape;
    m_card.elements = elementCount(parameter.shape);
    const auto first = all.begin() + m_plan.segments[index];
    m_card.nonFinite = std::count_if(first, first + m_card.elements, [](float value) { return !std::isfinite(value); });
    const NonFiniteElement element = firstNonFinite({first, first + m_card.elements});
    m_card.cls = element.cls;
    m_card.element = elementIndex(parameter.shape, element.index);
    return m_plan.segments[index] + element.index;
}

void Provenance::noteGradients(const std::vector<float>& gradients) {
    m_card.parameters = static_cast<std::int64_t>(m_plan.parameterBuffers.size());
    for (std::size_t i = 0; i < m_plan.parameterBuffers.size(); ++i) {
        const auto first = gradients.begin() + m_plan.segments[i], last = gradients.begin() + m_plan.segments[i + 1];
        if (std::all_of(first, last, [](float g) { return std::isfinite(g); })) continue;
        m_card.foundInf.push_back(bufferOf(m_plan, m_plan.parameterBuffers[i]).name);
    }
}

}  // namespace mantissa
