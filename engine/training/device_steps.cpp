// SPDX-License-Identifier: Apache-2.0
#include "engine/training/device_steps.h"

#include <array>

namespace mantissa {
namespace {

template <typename T>
std::int64_t bytesOf(std::int64_t count) {
    return count * static_cast<std::int64_t>(sizeof(T));
}

}  // namespace

DeviceSteps::DeviceSteps(Backend& backend, Queue& queue, Executor& executor, const Plan& plan, const AdvanceStepDesc& rules)
    : m_backend(backend),
      m_rules(rules),
      m_scalars(executor.address(plan.scalars)),
      m_indices(executor.address(plan.indices)),
      m_loop(backend, bytesOf<StepLoop>(1)),
      m_rates(backend, bytesOf<double>(kMost + 1)),
      m_batches(backend, bytesOf<std::int32_t>(kMost * rules.indices)),
      m_outcomes(backend, bytesOf<StepOutcome>(kMost)),
      m_judge(backend.prepare(JudgeStepDesc{})),
      m_advance(backend.prepare(rules)) {
    void* const loss = executor.address(plan.loss);
    const std::array<void*, 3> judged{m_loop.data(), loss, m_scalars};
    const std::array<void*, 7> advanced{m_loop.data(), loss, m_scalars, m_rates.data(), m_batches.data(), m_outcomes.data(), m_indices};
    // What is launched for the first time may have to be loaded, which a capture may refuse: once before, where it changes nothing.
    const StepLoop halted{.isHalted = 1};
    backend.copyIn(queue, m_loop.data(), &halted, sizeof halted);
    m_judge->enqueue(queue, judged);
    m_advance->enqueue(queue, advanced);
    queue.beginCapture();
    executor.enqueue(queue, 0, plan.unscaleEnd, false);
    m_judge->enqueue(queue, judged);
    executor.enqueue(queue, plan.unscaleEnd, static_cast<std::int64_t>(plan.instructions.size()), false);
    m_advance->enqueue(queue, advanced);
    m_step = queue.endCapture();
}

DeviceSteps::Result DeviceSteps::run(Queue& queue, const Start& start) {
    const auto count = static_cast<std::int64_t>(start.batches.size()) / m_rules.indices;
    const auto copyIn = [&](void* to, const auto& values, std::int64_t n) {
        m_backend.copyIn(queue, to, values, static_cast<std::size_t>(n) * sizeof *values);
    };
    copyIn(m_loop.data(), &start.loop, 1);
    copyIn(m_scalars, &start.scalars, 1);
    copyIn(m_rates.data(), start.rates.data(), count + 1);
    copyIn(m_batches.data(), start.batches.data(), count * m_rules.indices);
    copyIn(m_indices, start.batches.data(), m_rules.indices);
    for (std::int64_t step = 0; step < count; ++step) m_step->launch(queue);
    queue.mark(Queue::Mark::End);
    Result result;
    result.outcomes.resize(static_cast<std::size_t>(count));
    m_backend.copyOut(queue, &result.loop, m_loop.data(), sizeof result.loop);
    m_backend.copyOut(queue, result.outcomes.data(), m_outcomes.data(), result.outcomes.size() * sizeof(StepOutcome));
    queue.wait();
    result.outcomes.resize(static_cast<std::size_t>(result.loop.done));
    return result;
}

}  // namespace mantissa
