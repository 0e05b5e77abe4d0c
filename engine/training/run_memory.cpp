// SPDX-License-Identifier: Apache-2.0
#include "engine/training/run_memory.h"

#include <span>
#include <stdexcept>

#include "kernels/out_of_memory.h"

namespace mantissa {
namespace {

/// Arenas that a run allocates, in addition to its plans' control blocks.
constexpr std::array kRunHomes{Arena::Masters,    Arena::Gradients, Arena::Moment1,   Arena::Moment2,    Arena::Compensation,
                               Arena::Statistics, Arena::Scales,    Arena::Transient, Arena::TensorStats};

/// State that a step takes from the step before.
constexpr std::array kLastingArenas{Arena::Masters, Arena::Moment1, Arena::Moment2, Arena::Compensation, Arena::Statistics, Arena::Scales};

/// Transient memory is shared by all plans, the rest follows the training plan.
std::int64_t bytesNeeded(const RunPlans& plans, Arena arena) {
    return arena == Arena::Transient ? plans.transientBytes : plans.training.bytesOf(arena);
}

/// The format of an arena of parameters, their gradients or moments.
Dtype formatIn(const Plan& plan, Arena arena) {
    return arena == Arena::Moment1 || arena == Arena::Moment2 ? plan.moments : plan.policy.weights;
}

/// The tensors whose fp8 scales a plan keeps from step to step.
std::vector<std::string> scaledTensors(const Plan& plan) {
    std::vector<std::string> names;
    for (const int scale : plan.delayedScales) names.push_back(plan.buffers[static_cast<std::size_t>(scale)].name);
    return names;
}

/// "weights 1.0 MiB, gradients 1.0 MiB, activations 3.2 MiB, ..."
std::string ledgerText(const MemoryLedger& ledger) {
    std::string text;
    for (const auto& [name, bytes] : {std::pair("weights", ledger.weights),
                                      {"master weights", ledger.masterWeights},
                                      {"gradients", ledger.gradients},
                                      {"optimizer", ledger.optimizer},
                                      {"activations", ledger.activations},
                                      {"workspace", ledger.workspace}}) {
        if (bytes > 0) text += (text.empty() ? "" : ", ") + std::string(name) + " " + memoryText(bytes);
    }
    return text;
}

/// Purpose of an arena, after "no memory for".
const char* purposeOf(Arena arena) {
    switch (arena) {
        case Arena::Masters:
            return "the weights";
        case Arena::Gradients:
            return "the gradients";
        case Arena::Moment1:
        case Arena::Moment2:
        case Arena::Compensation:
            return "the optimizer's state";
        case Arena::Statistics:
            return "the running statistics";
        case Arena::Scales:
            return "the scales of fp8 tensors";
        case Arena::Transient:
            return "activations and workspaces";
        case Arena::TensorStats:
            return "tensor statistics";
        case Arena::Control:
            return "a step's control values";
        case Arena::Inputs:
        case Arena::Labels:
            break;
    }
    return "the samples";
}

/// A backend may refuse memory that it reported as available, since others use the device, too.
DeviceMemory take(Backend& backend, Arena arena, std::int64_t bytes) {
    try {
        return {backend, bytes, purposeOf(arena)};
    } catch (const OutOfMemory& error) {
        throw std::invalid_argument(error.what());
    }
}

template <typename T>
T readValue(const ReadyPlan& ready, int buffer, Backend& backend, Queue& queue) {
    T value{};
    backend.copyOut(queue, &value, ready.executor->address(buffer), sizeof value);
    queue.wait();
    return value;
}

}  // namespace

ResidentSamples::ResidentSamples(Backend& backend, Queue& queue, const Dataset& dataset, Part part) {
    const bool trains = part == Part::Train;
    const auto place = [&](DeviceMemory& memory, std::span<const std::byte> bytes) {
        memory = take(backend, Arena::Inputs, static_cast<std::int64_t>(bytes.size()));
        backend.copyIn(queue, memory.data(), bytes.data(), bytes.size());
    };
    if (dataset.kind == DataKind::Tokens) {
        const std::span stream = trains ? dataset.tokens.train : dataset.tokens.validation;
        place(inputs, std::as_bytes(stream));
        place(labels, std::as_bytes(stream.subspan(1)));
    } else {
        place(inputs, std::as_bytes(std::span(trains ? dataset.trainInputs : dataset.validationInputs)));
        if (dataset.kind == DataKind::Classification)
            place(labels, std::as_bytes(std::span(trains ? dataset.trainLabels : dataset.validationLabels)));
        if (dataset.kind == DataKind::Regression)
            place(labels, std::as_bytes(std::span(trains ? dataset.trainTargets : dataset.validationTargets)));
    }
}

ResidentSamples::ResidentSamples(Backend& backend, Queue& queue, std::int64_t context)
    : inputs(take(backend, Arena::Inputs, context * static_cast<std::int64_t>(sizeof(std::int32_t)))),
      labels(take(backend, Arena::Labels, inputs.bytes())) {
    for (const DeviceMemory* memory : {&inputs, &labels})
        backend.fillZero(queue, memory->data(), static_cast<std::size_t>(memory->bytes()));
}

void ReadyPlan::writeIndices(Backend& backend, Queue& queue, const std::vector<std::int32_t>& indices) const {
    backend.copyIn(queue, executor->address(plan->indices), indices.data(), indices.size() * sizeof(std::int32_t));
}
float ReadyPlan::readLoss(Backend& backend, Queue& queue) const {
    return readValue<float>(*this, plan->loss, backend, queue);
}
std::int32_t ReadyPlan::readCorrect(Backend& backend, Queue& queue) const {
    return readValue<std::int32_t>(*this, plan->correct, backend, queue);
}

RunMemory::RunMemory(Backend& backend, Queue& queue, const Dataset& dataset)
    : m_backend(backend),
      m_queue(queue),
      m_trainSamples(backend, queue, dataset, Part::Train),
      m_validationSamples(backend, queue, dataset, Part::Validation),
      m_window(backend, queue, dataset.tokens.context) {}

ReadyPlan RunMemory::makeReady(const Plan& plan, std::int64_t rows, const ResidentSamples& samples, ArenaPointers arenas) {
    ReadyPlan ready{
        .plan = &plan, .rows = rows, .control = take(m_backend, Arena::Control, plan.bytesOf(Arena::Control)), .executor = nullptr};
    const auto at = [&](Arena arena) -> void*& { return arenas[static_cast<std::size_t>(arena)]; };
    at(Arena::Control) = ready.control.data();
    at(Arena::Inputs) = samples.inputs.data();
    at(Arena::Labels) = samples.labels.data();
    ready.executor = std::make_unique<Executor>(plan, m_backend, arenas);
    return ready;
}

/// Whether an arena can be used unchanged for the next plan.
bool RunMemory::keeps(Arena arena, const RunPlans& next) const {
    if (!m_plans || this->arena(arena).bytes() != bytesNeeded(next, arena)) return false;
    const Plan &before = m_plans->training, &after = next.training;
    if (arena == Arena::Transient || arena == Arena::Statistics) return true;
    if (arena == Arena::Scales) return scaledTensors(before) == scaledTensors(after);  // otherwise they are learnt again
    return formatIn(before, arena) == formatIn(after, arena);
}

/// Converts an arena's values to the storage format of the next plan.
void RunMemory::convert(Arena arena, const Plan& next, void* to) const {
    const Dtype from = formatIn(m_plans->training, arena);
    const std::array<void*, 2> operands{this->arena(arena).data(), to};
    const std::int64_t count = next.bytesOf(arena) / static_cast<std::int64_t>(facts(formatIn(next, arena)).storageBytes());
    m_backend.prepare(CastDesc{count, from, formatIn(next, arena)})->enqueue(m_queue, operands);
}

void RunMemory::checkFits(const RunPlans& next) const {
    const bool isFirst = m_plans == nullptr;
    std::int64_t need = next.training.bytesOf(Arena::Control);
    for (const Plan& evaluation : next.evaluation) need += evaluation.bytesOf(Arena::Control);
    if (next.sampling) need += next.sampling->bytesOf(Arena::Control);
    for (const Arena arena : kRunHomes) need += keeps(arena, next) ? 0 : bytesNeeded(next, arena);
    // initial weights in fp32 during the upload: by tensor, in one piece, and in one piece in the backend
    const std::int64_t onTheWay = isFirst ? 3 * static_cast<std::int64_t>(sizeof(float)) * next.training.segments.back() : 0;
    need += onTheWay;
    const std::int64_t available = m_backend.availableBytes();
    if (need <= available) return;
    const std::string ledger = ledgerText(next.training.memory), had = ", and " + memoryText(available) + " can be had here";
    throw std::invalid_argument(
        isFirst ? "the run needs " + memoryText(need) + " of memory (" + ledger + ", on the way in " + memoryText(onTheWay) + ")" + had
                : "the change needs " + memoryText(need) + " more memory" + had + "; the run would then have " + ledger);
}

void RunMemory::adopt(RunPlans plans) {
    auto next = std::make_unique<RunPlans>(std::move(plans));
    checkFits(*next);
    // All steps that can fail come first, so that a run without memory for its new plan continues with the old one.
    std::array<DeviceMemory, kArenaCount> renewed;
    ArenaPointers arenas{};
    for (const Arena arena : kRunHomes) {
        const auto index = static_cast<std::size_t>(arena);
        if (!keeps(arena, *next)) renewed[index] = take(m_backend, arena, bytesNeeded(*next, arena));
        arenas[index] = keeps(arena, *next) ? m_arenas[index].data() : renewed[index].data();
        const bool holdsNumbers = arena == Arena::Masters || arena == Arena::Moment1 || arena == Arena::Moment2;
        if (holdsNumbers && m_arenas[index].bytes() > 0 && renewed[index].bytes() > 0) convert(arena, next->training, arenas[index]);
    }
    ReadyPlan training = makeReady(next->training, 0, m_trainSamples, arenas);
    std::vector<ReadyPlan> evaluation;
    for (std::size_t i = 0; i < next->evaluation.size(); ++i) {
        evaluation.push_back(makeReady(next->evaluation[i], next->evaluationRows[i], m_validationSamples, arenas));
    }
    ReadyPlan sampling;
    if (next->sampling) sampling = makeReady(*next->sampling, 1, m_window, arenas);
    m_queue.wait();  // conversions still read the old memory
    for (std::size_t index = 0; index < kArenaCount; ++index) {
        if (!keeps(static_cast<Arena>(index), *next)) m_arenas[index] = std::move(renewed[index]);
    }
    m_training = std::move(training);
    m_evaluation = std::move(evaluation);
    m_sampling = std::move(sampling);
    m_plans = std::move(next);
}

std::int64_t RunMemory::allocatedBytes() const {
    const auto ofPlan = [](const ReadyPlan& ready) {
        return ready.control.bytes() + (ready.executor != nullptr ? ready.executor->operationBytes() : 0);
    };
    std::int64_t bytes = ofPlan(m_training) + ofPlan(m_sampling);
    for (const ReadyPlan& evaluation : m_evaluation) bytes += ofPlan(evaluation);
    for (const DeviceMemory& arena : m_arenas) bytes += arena.bytes();
    for (const ResidentSamples* samples : {&m_trainSamples, &m_validationSamples, &m_window})
        bytes += samples->inputs.bytes() + samples->labels.bytes();
    return bytes;
}

std::vector<Arena> RunMemory::lastingArenas() const {
    std::vector<Arena> arenas(kLastingArenas.begin(), kLastingArenas.end());
    if (m_plans->training.gradientsBefore >= 0) arenas.push_back(Arena::Gradients);
    return arenas;
}

std::int64_t RunMemory::lastingBytes() const {
    std::int64_t bytes = 0;
    for (const Arena each : lastingArenas()) bytes += arena(each).bytes();
    return bytes;
}

std::vector<std::byte> RunMemory::lasting() const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(lastingBytes()));
    std::byte* next = bytes.data();
    for (const Arena each : lastingArenas()) {
        const auto count = static_cast<std::size_t>(arena(each).bytes());
        if (count > 0) m_backend.copyOut(m_queue, next, arena(each).data(), count);
        next += count;
    }
    m_queue.wait();
    return bytes;
}

void RunMemory::restoreLasting(const std::vector<std::byte>& bytes) const {
    if (lastingBytes() != static_cast<std::int64_t>(bytes.size()))
        throw std::invalid_argument("the snapshot has " + std::to_string(bytes.size()) + " bytes, and the run " +
                                    std::to_string(lastingBytes()));
    const std::byte* next = bytes.data();
    for (const Arena each : lastingArenas()) {
        const auto count = static_cast<std::size_t>(arena(each).bytes());
        if (count > 0) m_backend.copyIn(m_queue, arena(each).data(), next, count);
        next += count;
    }
    m_queue.wait();
}

void RunMemory::writeSample(Arena arena, std::size_t at, float value) {
    const DeviceMemory& samples = arena == Arena::Inputs ? m_trainSamples.inputs : m_trainSamples.labels;
    m_backend.copyIn(m_queue, static_cast<float*>(samples.data()) + at, &value, sizeof value);
    m_queue.wait();
}

std::vector<RunMemory::Kept> RunMemory::kept() const {
    const Plan& plan = m_plans->training;
    std::vector<Kept> all;
    const auto add = [&](int before, Arena arena) {  // copies its beginning
        if (before < 0) return;
        const Buffer& buffer = plan.buffers[static_cast<std::size_t>(before)];
        all.push_back({m_training.executor->address(before), this->arena(arena).data(), elementCount(buffer.shape), *buffer.dtype});
    };
    add(plan.statisticsBefore, Arena::Statistics);
    add(plan.gradientsBefore, Arena::Gradients);
    return all;
}

void RunMemory::restoreStatistics() const {
    for (const Kept& each : kept()) {
        const std::array<void*, 2> operands{each.before, each.now};
        m_backend.prepare(CastDesc{each.elements, each.dtype, each.dtype})->enqueue(m_queue, operands);
    }
}

}  // namespace mantissa
