// SPDX-License-Identifier: Apache-2.0
#include "engine/training/device_steps.h"

#include <atomic>
#include <string>
#include <thread>

namespace mantissa {
namespace {

/// Interval between checks for finished steps. Pending steps keep the device busy meanwhile.
constexpr std::chrono::microseconds kPollInterval(20);

constexpr const char* kPurpose = "steps taken ahead";

template <typename T>
std::int64_t bytesOf(std::int64_t count) {
    return count * static_cast<std::int64_t>(sizeof(T));
}

}  // namespace

DeviceSteps::DeviceSteps(Backend& backend, Queue& queue, const RunMemory& memory, const DeviceStepRules& rules)
    : m_backend(backend),
      m_rules(rules),
      m_loop(backend, bytesOf<StepLoop>(1), kPurpose),
      m_rates(backend, bytesOf<double>(most(rules.indices()) + 1), kPurpose),
      m_batches(backend, bytesOf<std::int32_t>(most(rules.indices()) * rules.indices()), kPurpose),
      m_slots(DeviceMemory::shared(backend, bytesOf<StepSlot>(kMostAhead))),
      m_scales(backend, memory.arena(Arena::Scales).bytes(), kPurpose) {
    const Plan& plan = memory.trainingPlan();
    Executor& executor = *memory.training().executor;
    m_scalars = executor.address(plan.scalars);
    m_indices = executor.address(plan.indices);
    const AdvanceBatchDesc batch{.indices = rules.batchSize, .batches = most(rules.indices()) * rules.microBatches};
    m_begin = backend.prepare(BeginStepsDesc{});
    m_advanceBatch = backend.prepare(batch);
    m_judge = backend.prepare(JudgeStepDesc{});
    m_advance = backend.prepare(AdvanceStepDesc{.scaler = rules.scaler,
                                                .batch = batch,
                                                .microBatches = rules.microBatches,
                                                .slotCount = kMostAhead,
                                                .holdsScheduleOnSkip = rules.holdsScheduleOnSkip,
                                                .usesMomentum = rules.usesMomentum});
    const auto restore = [&](void* before, void* now, std::int64_t bytes) {
        m_restored.push_back({backend.prepare(CopyStateDesc{.bytes = bytes, .onlyWhenHalted = true}), {m_loop.data(), before, now}});
    };
    for (const RunMemory::Kept& kept : memory.kept())
        restore(kept.before, kept.now, kept.elements * static_cast<std::int64_t>(facts(kept.dtype).storageBytes()));
    if (m_scales.bytes() > 0) {  // fp8 scales are restored, so that the host can repeat a step with the same ones
        m_keepScales = backend.prepare(CopyStateDesc{.bytes = m_scales.bytes()});
        restore(m_scales.data(), memory.arena(Arena::Scales).data(), m_scales.bytes());
    }

    void* const loss = executor.address(plan.loss);
    const std::array<void*, 5> nextBatch{m_loop.data(), loss, m_scalars, m_batches.data(), m_indices};
    const std::array<void*, 3> judged{m_loop.data(), loss, m_scalars};
    const std::array<void*, 6> advanced{m_loop.data(), m_scalars, m_rates.data(), m_batches.data(), m_slots.data(), m_indices};
    const std::array<void*, 3> scales{m_loop.data(), memory.arena(Arena::Scales).data(), m_scales.data()};
    const DeviceMemory& gradients = memory.arena(Arena::Gradients);
    const auto restoreAll = [&] {
        for (const Restored& each : m_restored) each.copy->enqueue(queue, each.operands);
    };
    // A first launch may load code, which a capture may refuse: run once before, without effect.
    restoreAll();
    if (m_keepScales != nullptr) m_keepScales->enqueue(queue, scales);
    const StepLoop halted{.isHalted = 1};
    backend.copyIn(queue, m_loop.data(), &halted, sizeof halted);
    m_advanceBatch->enqueue(queue, nextBatch);
    m_judge->enqueue(queue, judged);
    m_advance->enqueue(queue, advanced);
    m_step = queue.capture([&] {
        if (m_keepScales != nullptr) m_keepScales->enqueue(queue, scales);
        if (rules.clearsGradients) backend.fillZero(queue, gradients.data(), static_cast<std::size_t>(gradients.bytes()));
        executor.enqueue(queue, 0, plan.backwardEnd, rules.measures && rules.microBatches == 1);
        for (std::int64_t micro = 1; micro < rules.microBatches; ++micro) {
            m_advanceBatch->enqueue(queue, nextBatch);
            executor.enqueue(queue, plan.prologueEnd, plan.backwardEnd, rules.measures && micro == rules.microBatches - 1);
        }
        executor.enqueue(queue, plan.backwardEnd, plan.unscaleEnd, false);
        m_judge->enqueue(queue, judged);
        executor.enqueue(queue, plan.unscaleEnd, static_cast<std::int64_t>(plan.instructions.size()), rules.measures);
        restoreAll();
        m_advance->enqueue(queue, advanced);
    });
}

/// Returns outcomes that the host has not read. A slot is used again only after it was read.
std::vector<StepOutcome> DeviceSteps::newOutcomes() {
    std::vector<StepOutcome> outcomes;
    auto* const slots = static_cast<StepSlot*>(m_slots.data());
    for (;;) {
        StepSlot& slot = slots[m_reported % kMostAhead];
        if (std::atomic_ref(slot.number).load(std::memory_order_acquire) != m_reported + 1) return outcomes;
        outcomes.push_back(slot.outcome);
        ++m_reported;
    }
}

void DeviceSteps::run(Queue& queue, const Start& start, std::int64_t ahead, const Take& take, std::chrono::seconds patience) {
    using Clock = std::chrono::steady_clock;
    const std::int64_t batches = static_cast<std::int64_t>(start.batches.size()) / m_rules.batchSize;
    const std::int64_t count = batches / m_rules.microBatches;
    const auto copyIn = [&](void* to, const auto& values, std::int64_t n) {
        m_backend.copyIn(queue, to, values, static_cast<std::size_t>(n) * sizeof *values);
    };
    StepLoop loop = start.loop;
    loop.reported = m_reported;
    copyIn(m_loop.data(), &loop, 1);
    copyIn(m_scalars, &start.scalars, 1);
    copyIn(m_rates.data(), start.rates.data(), count + 1);
    copyIn(m_batches.data(), start.batches.data(), batches * m_rules.batchSize);
    copyIn(m_indices, start.batches.data(), m_rules.batchSize);

    const std::array<void*, 1> looped{m_loop.data()};
    m_begin->enqueue(queue, looped);

    const std::int64_t first = m_reported;
    std::int64_t begun = 0;
    bool goesOn = true;
    m_hasHalted = false;
    Clock::time_point heard = Clock::now();
    for (;;) {
        for (; goesOn && begun < count && begun - (m_reported - first) < std::clamp<std::int64_t>(ahead, 1, kMostAhead); ++begun)
            m_step->launch(queue);
        // Queried before the outcomes: an idle device has written all of them, even if this process was stopped in between.
        const bool isIdle = queue.isIdle();
        const Clock::time_point now = Clock::now();
        const std::vector<StepOutcome> outcomes = newOutcomes();
        if (!outcomes.empty()) {
            goesOn = take(outcomes) && goesOn;
            heard = Clock::now();
        } else if (isIdle) {
            m_hasHalted = true;
            return;
        } else if (now - heard > patience) {
            throw SilentDevice{{"no step has ended for " + std::to_string(patience.count()) + " s: work on " + m_backend.device().name +
                                " that does not end"}};
        } else {
            std::this_thread::sleep_for(kPollInterval);
        }
        if (m_reported - first == begun && (!goesOn || begun == count)) return;
    }
}

}  // namespace mantissa
