// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/value_buffers.h"

#include <utility>

namespace mantissa {
namespace {

std::string layerOf(const std::string& name) {
    return name.substr(0, name.rfind('.'));
}

}  // namespace

ValueBuffers::ValueBuffers(const Graph& graph, const Policy& policy, const Backend& backend, LoweringOptions options)
    : m_graph(graph), m_backend(backend), m_options(options), m_stored(graph.values.size(), -1) {
    m_plan.policy = policy;
    placePersistent();
    gatherBatch();
}

void ValueBuffers::placePersistent() {
    const Dtype dtype = m_plan.policy.weights;
    const auto elementBytes = static_cast<std::int64_t>(facts(dtype).storageBytes());
    std::int64_t elements = 0;
    for (const int parameter : m_graph.parameters) {
        const Value& v = value(parameter);
        const std::int64_t offset = elements * elementBytes;
        m_plan.segments.push_back(elements);
        elements += elementCount(v.shape);
        Buffer master{.name = v.name,
                      .shape = v.shape,
                      .dtype = dtype,
                      .category = BufferCategory::Weights,
                      .arena = Arena::Masters,
                      .offset = offset,
                      .role = v.role};
        const int index = m_plan.addBuffer(std::move(master));
        m_stored[static_cast<std::size_t>(parameter)] = index;
        m_plan.parameterBuffers.push_back(index);
        const auto gradient = m_graph.gradients.find(parameter);
        if (m_options.isTraining && gradient != m_graph.gradients.end()) {
            m_stored[static_cast<std::size_t>(gradient->second)] = m_plan.addBuffer({.name = v.name + ".grad",
                                                                                     .shape = v.shape,
                                                                                     .dtype = dtype,
                                                                                     .category = BufferCategory::Gradients,
                                                                                     .arena = Arena::Gradients,
                                                                                     .offset = offset,
                                                                                     .role = ValueRole::ParameterGradient});
        }
    }
    m_plan.segments.push_back(elements);
    m_plan.arenaBytes[static_cast<std::size_t>(Arena::Masters)] = elements * elementBytes;
    if (m_options.isTraining) m_plan.arenaBytes[static_cast<std::size_t>(Arena::Gradients)] = elements * elementBytes;
    if (m_options.keepsGradients) keepGradients();

    for (const int statistic : m_graph.statistics) {
        const Value& v = value(statistic);
        m_plan.statisticBuffers.push_back(m_plan.placeBuffer(
            {.name = v.name, .shape = v.shape, .dtype = Dtype::F32, .category = BufferCategory::Weights, .arena = Arena::Statistics}));
        place(statistic, m_plan.statisticBuffers.back());
    }
    if (m_options.isTraining && !m_plan.statisticBuffers.empty()) keepStatistics();

    const auto control = [&](const char* name, std::int64_t bytes) {
        Buffer b{.name = name, .category = BufferCategory::Workspace, .arena = Arena::Control};
        b.bytes = bytes;
        return m_plan.placeBuffer(std::move(b));
    };
    m_plan.scalars = control("step scalars", sizeof(StepScalars));
    m_plan.loss = control("loss", 4);
    m_plan.buffers[static_cast<std::size_t>(m_plan.loss)].dtype = Dtype::F32;
    m_plan.buffers[static_cast<std::size_t>(m_plan.loss)].shape = {1};
    const bool hasLabels = value(m_graph.labels).role == ValueRole::Labels;
    if (hasLabels) m_plan.correct = control("correct", 4);
    m_plan.indices = control("indices", value(m_graph.input).shape[0] * 4);
    if (m_options.isTraining) m_plan.foundInf = control("found_inf", static_cast<std::int64_t>(m_graph.parameters.size()) * 4);
    m_stored[static_cast<std::size_t>(m_graph.loss)] = m_plan.loss;
}

/// Copied at the beginning of a step, with padding, so that an audit repeats the step from equal statistics.
void ValueBuffers::keepStatistics() {
    const std::int64_t count = m_plan.arenaBytes[static_cast<std::size_t>(Arena::Statistics)] / static_cast<std::int64_t>(sizeof(float));
    m_plan.statisticsBefore = m_plan.placeBuffer({.name = "statistics before the step",
                                                  .shape = {count},
                                                  .dtype = Dtype::F32,
                                                  .category = BufferCategory::Workspace,
                                                  .arena = Arena::Statistics});
    copyAtBegin("keep_statistics", "statistics", m_plan.statisticBuffers.front(), m_plan.statisticsBefore);
}

void ValueBuffers::keepGradients() {
    const Dtype dtype = m_plan.policy.weights;
    const int all = m_plan.addBuffer(
        {.name = "gradients so far", .shape = {m_plan.segments.back()}, .dtype = dtype, .arena = Arena::Gradients, .isCounted = false});
    m_plan.gradientsBefore = m_plan.placeBuffer({.name = "gradients before the step",
                                                 .shape = {m_plan.segments.back()},
                                                 .dtype = dtype,
                                                 .category = BufferCategory::Workspace,
                                                 .arena = Arena::Gradients});
    copyAtBegin("keep_gradients", "gradients", all, m_plan.gradientsBefore);
}

void ValueBuffers::copyAtBegin(const char* name, const char* layer, int from, int to) {
    const Dtype dtype = *buffer(to).dtype;
    append({.operation = CastDesc{elementCount(buffer(to).shape), dtype, dtype}, .name = name, .layer = layer, .operands = {from, to}});
    m_prologue.push_back(std::move(m_plan.instructions.back()));
    m_plan.instructions.pop_back();
}

void ValueBuffers::gatherBatch() {
    // windows of a token stream may begin anywhere; other samples are consecutive
    const std::int64_t batch = value(m_graph.input).shape[0], windowStride = m_graph.takesTokens ? 1 : 0;
    const auto gather = [&](int valueIndex, Arena arena, std::optional<Dtype> dtype) {
        const std::int64_t columns = countOf(valueIndex) / batch;
        const Value& v = value(valueIndex);
        const int table = m_plan.addBuffer({.name = "data " + v.name, .dtype = dtype, .arena = arena, .bytes = 4, .isCounted = false});
        const int rows = m_plan.addBuffer({.name = v.name, .shape = v.shape, .dtype = dtype, .category = BufferCategory::Activations});
        m_stored[static_cast<std::size_t>(valueIndex)] = rows;
        append({.operation = GatherRowsDesc{batch, columns, windowStride},
                .name = "gather",
                .layer = v.name,
                .operands = {table, m_plan.indices, rows},
                .output = dtype ? rows : -1});
    };
    gather(m_graph.input, Arena::Inputs, m_graph.takesTokens ? std::nullopt : std::optional(Dtype::F32));
    if (m_graph.labels == m_graph.input) return;
    const bool areTargets = value(m_graph.labels).role == ValueRole::Targets;
    gather(m_graph.labels, Arena::Labels, areTargets ? std::optional(Dtype::F32) : std::nullopt);
}

void ValueBuffers::append(Instruction instruction) {
    appendInstruction(m_plan, m_backend, std::move(instruction));
}

int ValueBuffers::as(int valueIndex, Dtype dtype, const Node& node) {
    if (storedDtype(valueIndex) == dtype) return stored(valueIndex);
    const auto found = m_copies.find({valueIndex, dtype});
    if (found != m_copies.end()) return found->second;
    const int copy = addCopy(valueIndex, dtype, node);
    m_copies[{valueIndex, dtype}] = copy;
    appendCopying(valueIndex, node,
                  {.operation = CastDesc{countOf(valueIndex), storedDtype(valueIndex), dtype},
                   .name = "cast",
                   .operands = {stored(valueIndex), copy},
                   .output = copy,
                   .compute = dtype});
    return copy;
}

int ValueBuffers::atMost(int valueIndex, Dtype dtype, const Node& node) {
    return dtype == Dtype::F32 ? stored(valueIndex) : as(valueIndex, dtype, node);
}

ValueBuffers::Quantized ValueBuffers::quantized(int valueIndex, Dtype dtype, const Node& node) {
    const auto found = m_quantized.find({valueIndex, dtype});
    if (found != m_quantized.end()) return found->second;
    const Value& v = value(valueIndex);
    const int source = v.role == ValueRole::Parameter ? stored(valueIndex) : as(valueIndex, storageDtype(m_plan.policy, dtype), node);
    const Quantized made{addCopy(valueIndex, dtype, node), addScale(valueIndex, dtype)};
    m_quantized[{valueIndex, dtype}] = made;
    const QuantizeDesc desc{elementCount(v.shape), *buffer(source).dtype, dtype, scaleSource(), static_cast<int>(m_plan.policy.fp8.margin)};
    appendCopying(valueIndex, node,
                  {.operation = desc,
                   .name = "quantize",
                   .operands = {source, made.values, made.scale},
                   .output = made.values,
                   .compute = dtype,
                   .flops = static_cast<double>(desc.count)});
    return made;
}

ValueBuffers::Quantized ValueBuffers::quantized(int valueIndex, const OperandFormat& operand, const Node& node) {
    for (const InBlocks& each : m_inBlocks) {
        if (each.valueIndex == valueIndex && each.format == operand) return each.made;
    }
    const Value& v = value(valueIndex);
    const MatrixShape shape{rowsOf(valueIndex), v.shape.back()};
    const int source = operand.source ? quantized(valueIndex, OperandFormat{*operand.source}, node).values : stored(valueIndex);
    const BlockFormat& format = operand.format;
    const int like = addCopy(valueIndex, Dtype::BF16, node);
    Buffer& copy = m_plan.buffers[static_cast<std::size_t>(like)];
    copy.name = v.name + " as " + std::string(format.name) + " in blocks of " + blockShapeName(format.block) +
                (format.hasFp32Scales() ? ", fp32 scales" : "") + (operand.source ? ", requantised" : "") +
                (operand.isRotated ? ", rotated" : "");
    copy.dtype.reset();
    copy.blocks = format;
    copy.bytes = format.storageBytes(shape) - (format.hasTensorScale() ? static_cast<std::int64_t>(sizeof(float)) : 0);
    Buffer scale{.name = v.name + " factor of " + std::string(format.name), .category = BufferCategory::Workspace, .arena = Arena::Control};
    scale.bytes = static_cast<std::int64_t>(quantScaleBytes(0));
    const Quantized made{like, m_plan.placeBuffer(std::move(scale))};
    m_inBlocks.push_back({valueIndex, operand, made});
    const bool isStochastic = operand.rounding == Rounding::Stochastic;
    const QuantizeBlocksDesc desc{
        .shape = shape,
        .from = operand.source ? operand.source->numbers() : storedDtype(valueIndex),
        .format = format,
        .isRotated = operand.isRotated,
        .rounding = operand.rounding,
        .seed = m_options.seed,
        .firstElement = isStochastic ? std::exchange(m_stochasticElements, m_stochasticElements + shape.count()) : 0,
        .source = operand.source};
    appendCopying(valueIndex, node,
                  {.operation = desc,
                   .name = "quantize",
                   .operands = {source, made.values, made.scale, isStochastic ? m_plan.scalars : -1},
                   .compute = Dtype::BF16,
                   .flops = static_cast<double>(shape.count())});
    return made;
}

ScaleSource ValueBuffers::scaleSource() const {
    if (m_plan.policy.fp8.scaling == "current") return ScaleSource::Current;
    return m_options.isTraining ? ScaleSource::Delayed : ScaleSource::Frozen;
}

int ValueBuffers::addScale(int valueIndex, Dtype dtype) {
    const bool isDelayed = m_plan.policy.fp8.scaling != "current";
    Buffer scale{.name = value(valueIndex).name + " scale to " + std::string(facts(dtype).name),
                 .category = BufferCategory::Workspace,
                 .arena = isDelayed ? Arena::Scales : Arena::Control};
    scale.bytes = static_cast<std::int64_t>(quantScaleBytes(isDelayed ? m_plan.policy.fp8.amaxHistoryLen : 0));
    const int index = m_plan.placeBuffer(std::move(scale));
    if (isDelayed) {
        m_plan.delayedScales.push_back(index);
        m_plan.delayedFormats.push_back(dtype);
    }
    return index;
}

int ValueBuffers::addCopy(int valueIndex, Dtype dtype, const Node& node) {
    const Value& v = value(valueIndex);
    const bool isSaved = node.phase == Phase::Forward;  // read again by the backward pass
    const BufferCategory category = v.role == ValueRole::Parameter ? BufferCategory::Weights
                                    : isSaved                      ? BufferCategory::Activations
                                                                   : BufferCategory::Workspace;
    return m_plan.addBuffer(
        {.name = v.name + " as " + std::string(facts(dtype).name), .shape = v.shape, .dtype = dtype, .category = category, .role = v.role});
}

void ValueBuffers::appendCopying(int valueIndex, const Node& node, Instruction copying) {
    const bool isParameter = value(valueIndex).role == ValueRole::Parameter;
    copying.layer = isParameter ? layerOf(value(valueIndex).name) : node.layer;
    copying.phase = isParameter ? Phase::Forward : node.phase;
    append(std::move(copying));
    if (isParameter) {
        m_prologue.push_back(std::move(m_plan.instructions.back()));
        m_plan.instructions.pop_back();
        m_plan.buffers[static_cast<std::size_t>(stored(valueIndex))].category = BufferCategory::MasterWeights;
    }
}

int ValueBuffers::newOutput(int valueIndex, Dtype dtype, Phase phase) {
    const Value& v = value(valueIndex);
    const BufferCategory category = phase == Phase::Forward ? BufferCategory::Activations : BufferCategory::Workspace;
    const int index = m_plan.addBuffer({.name = v.name, .shape = v.shape, .dtype = dtype, .category = category, .role = v.role});
    m_stored[static_cast<std::size_t>(valueIndex)] = index;
    return index;
}

void ValueBuffers::placePart(int valueIndex, int whole, std::int64_t firstColumn) {
    const Buffer all = buffer(whole);  // a copy: adding a buffer may move this one
    const Value& v = value(valueIndex);
    const auto elementBytes = static_cast<std::int64_t>(facts(*all.dtype).storageBytes());
    place(valueIndex, m_plan.addBuffer({.name = v.name,
                                        .shape = v.shape,
                                        .dtype = all.dtype,
                                        .category = all.category,
                                        .isCounted = false,
                                        .role = v.role,
                                        .whole = whole,
                                        .firstByte = firstColumn * elementBytes}));
}

int ValueBuffers::newIndices(int valueIndex) {
    const Value& v = value(valueIndex);
    const int index = m_plan.addBuffer({.name = v.name, .shape = v.shape, .category = BufferCategory::Activations});
    place(valueIndex, index);
    return index;
}

Plan ValueBuffers::finish(std::int64_t forwardEnd) {
    const auto prologue = static_cast<std::int64_t>(m_prologue.size());
    m_plan.instructions.insert(m_plan.instructions.begin(), std::make_move_iterator(m_prologue.begin()),
                               std::make_move_iterator(m_prologue.end()));
    m_plan.prologueEnd = prologue;
    m_plan.forwardEnd = prologue + forwardEnd;
    m_plan.backwardEnd = m_plan.unscaleEnd = static_cast<std::int64_t>(m_plan.instructions.size());
    turnCopies(m_plan, m_backend);
    fuse(m_plan, m_backend);
    return std::move(m_plan);
}

}  // namespace mantissa
