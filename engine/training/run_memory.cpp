// SPDX-License-Identifier: Apache-2.0
#include "engine/training/run_memory.h"

namespace mantissa {
namespace {

std::int64_t bytesOf(const Plan& plan, Home home) {
    return plan.homeBytes[static_cast<std::size_t>(home)];
}

/// Keeps what is there when it is of that size, else starts from zeros.
void ensure(Backend& backend, DeviceMemory& memory, std::int64_t bytes) {
    if (memory.bytes() != bytes) memory = DeviceMemory(backend, bytes);
}

/// The tensors whose fp8 scales a plan keeps from step to step.
std::vector<std::string> scaledTensors(const Plan& plan) {
    std::vector<std::string> names;
    for (const int scale : plan.delayedScales) names.push_back(plan.buffers[static_cast<std::size_t>(scale)].name);
    return names;
}

template <typename T>
T readValue(const ReadyPlan& ready, int buffer, Backend& backend, Queue& queue) {
    T value{};
    backend.copyOut(queue, &value, ready.executor->address(buffer), sizeof value);
    queue.wait();
    return value;
}

}  // namespace

ResidentSamples::ResidentSamples(Backend& backend, Queue& queue, const std::vector<float>& inputValues,
                                 const std::vector<std::int32_t>& labelValues)
    : inputs(backend, static_cast<std::int64_t>(inputValues.size() * sizeof(float))),
      labels(backend, static_cast<std::int64_t>(labelValues.size() * sizeof(std::int32_t))) {
    backend.copyIn(queue, inputs.data(), inputValues.data(), inputValues.size() * sizeof(float));
    backend.copyIn(queue, labels.data(), labelValues.data(), labelValues.size() * sizeof(std::int32_t));
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
      m_trainSamples(backend, queue, dataset.trainInputs, dataset.trainLabels),
      m_validationSamples(backend, queue, dataset.validationInputs, dataset.validationLabels) {}

ReadyPlan RunMemory::makeReady(const Plan& plan, std::int64_t rows, const ResidentSamples& samples, void* scales, void* transient) {
    ReadyPlan ready{.plan = &plan, .rows = rows, .control = DeviceMemory(m_backend, bytesOf(plan, Home::Control)), .executor = nullptr};
    HomePointers homes{};
    const auto at = [&](Home home) -> void*& { return homes[static_cast<std::size_t>(home)]; };
    at(Home::Masters) = m_masters.data();
    at(Home::Gradients) = m_gradients.data();
    at(Home::Moment1) = m_moment1.data();
    at(Home::Moment2) = m_moment2.data();
    at(Home::Scales) = scales;
    at(Home::Control) = ready.control.data();
    at(Home::Inputs) = samples.inputs.data();
    at(Home::Labels) = samples.labels.data();
    at(Home::Transient) = transient;
    ready.executor = std::make_unique<Executor>(plan, m_backend, homes);
    return ready;
}

void RunMemory::adopt(RunPlans plans) {
    auto next = std::make_unique<RunPlans>(std::move(plans));
    const Plan& plan = next->training;
    ensure(m_backend, m_masters, bytesOf(plan, Home::Masters));
    ensure(m_backend, m_gradients, bytesOf(plan, Home::Gradients));
    if (bytesOf(plan, Home::Moment1) > 0) ensure(m_backend, m_moment1, bytesOf(plan, Home::Moment1));
    if (bytesOf(plan, Home::Moment2) > 0) ensure(m_backend, m_moment2, bytesOf(plan, Home::Moment2));
    // Whatever can fail comes first, beside what is in use: a run that gets no memory for its new plan goes on with the old one.
    DeviceMemory transient;
    const bool isOtherSize = m_transient.bytes() != next->transientBytes;
    if (isOtherSize) transient = DeviceMemory(m_backend, next->transientBytes);
    void* const shared = isOtherSize ? transient.data() : m_transient.data();
    // Scales live on where they scale the same tensors; else they are learnt anew.
    DeviceMemory scales;
    const bool keepsScales =
        m_plans && m_scales.bytes() == bytesOf(plan, Home::Scales) && scaledTensors(plan) == scaledTensors(m_plans->training);
    if (!keepsScales) scales = DeviceMemory(m_backend, bytesOf(plan, Home::Scales));
    void* const scalesInUse = keepsScales ? m_scales.data() : scales.data();
    ReadyPlan training = makeReady(plan, 0, m_trainSamples, scalesInUse, shared);
    std::vector<ReadyPlan> evaluation;
    for (std::size_t i = 0; i < next->evaluation.size(); ++i) {
        evaluation.push_back(makeReady(next->evaluation[i], next->evaluationRows[i], m_validationSamples, scalesInUse, shared));
    }
    m_training = std::move(training);
    m_evaluation = std::move(evaluation);
    if (!keepsScales) m_scales = std::move(scales);
    if (isOtherSize) m_transient = std::move(transient);
    if (bytesOf(plan, Home::Moment1) == 0) m_moment1 = {};
    if (bytesOf(plan, Home::Moment2) == 0) m_moment2 = {};
    m_plans = std::move(next);
}

}  // namespace mantissa
