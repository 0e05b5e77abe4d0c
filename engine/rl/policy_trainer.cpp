// SPDX-License-Identifier: Apache-2.0
#include "engine/rl/policy_trainer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/training/optimizer_plan.h"
#include "kernels/dtype/rounding.h"

namespace mantissa {
namespace {

/// AdamW without decay: nothing pulls the weights while the gradient of the policy is 0.
TrainingSettings adamSettings() {
    TrainingSettings settings;
    settings.optimizer = {.kind = "adamw", .weightDecay = 0};
    return settings;
}

std::int64_t lossGradientOf(const Plan& plan) {
    const auto found = std::find_if(plan.instructions.begin(), plan.instructions.end(), [](const Instruction& instruction) {
        return std::holds_alternative<SoftmaxCrossEntropyGradDesc>(instruction.operation);
    });
    return found - plan.instructions.begin();
}

/// Forward, backward, unscaling and AdamW without weight decay.
Plan trainerPlan(const PolicySettings& settings, const std::string& format, const Backend& backend) {
    Graph graph = buildModel(settings.model, settings.sequences, shapeOf(settings));
    appendBackward(graph);
    Plan plan = lowerGraph(graph, policyFormat(format, backend), backend, {.isTraining = true});
    appendOptimizer(plan, graph, adamSettings(), backend, false);
    layOut(plan);
    return plan;
}

}  // namespace

PolicyTrainer::PolicyTrainer(const PolicySettings& settings, const std::string& format, Backend& backend, Queue& queue, void* weights)
    : m_task(settings.task),
      m_backend(backend),
      m_queue(queue),
      m_network(trainerPlan(settings, format, backend), settings.task, settings.sequences, backend, queue, weights),
      m_scaler(defaultScaler(format)),
      m_lossGradient(lossGradientOf(m_network.plan())) {}

LogProbabilities PolicyTrainer::score(const Episodes& episodes) {
    m_network.takeWeights();
    return m_network.score(episodes);
}

void PolicyTrainer::backward(const Episodes& episodes, const LogProbabilities& scored, std::span<const double> weights) {
    const Plan& plan = m_network.plan();
    const int buffer = plan.instructions[static_cast<std::size_t>(m_lossGradient)].output;
    const Dtype dtype = *plan.buffers[static_cast<std::size_t>(buffer)].dtype;
    const std::size_t bytes = facts(dtype).storageBytes(), vocabulary = DigitTask::kVocabulary;
    const double factor = lossScale() / static_cast<double>(weights.size());
    // [sequences, context, vocabulary]; rows without a symbol of an answer stay 0
    std::vector<std::byte> gradient(episodes.tokens.size() * vocabulary * bytes);
    for (std::size_t position = 0; position < weights.size(); ++position) {
        const auto digits = static_cast<std::size_t>(m_task.digits);
        const std::size_t row = position / digits * static_cast<std::size_t>(m_task.context()) + digits + position % digits;
        for (std::size_t symbol = 0; symbol < vocabulary; ++symbol) {
            const double chosen = static_cast<std::size_t>(episodes.answers[position]) == symbol ? 1 : 0;
            const double value = factor * weights[position] * (std::exp(scored.at(position)[symbol]) - chosen);
            const std::uint32_t code = encodeBits(dtype, static_cast<float>(value));
            std::memcpy(gradient.data() + (row * vocabulary + symbol) * bytes, &code, bytes);
        }
    }
    m_backend.copyIn(m_queue, m_network.address(buffer), gradient.data(), gradient.size());
    m_network.executor().run(m_queue, m_lossGradient + 1, plan.backwardEnd);
}

void PolicyTrainer::writeScalars(double learningRate) {
    StepScalars scalars;
    scalars.inverseScale = m_scaler.inverseScale();
    scalars.lr = learningRate;
    scalars.maxGradNorm = 1;  // as GRPO's reference code and verl clip
    scalars.skipOnFoundInf = m_scaler.skipsOnFoundInf() ? 1 : 0;
    scalars.overflowTest = m_scaler.overflowTest();
    scalars.optimizerStep = m_updates - m_skipped;
    scalars.step = m_updates;
    m_backend.copyIn(m_queue, m_network.address(m_network.plan().scalars), &scalars, sizeof scalars);
}

bool PolicyTrainer::update(double learningRate) {
    const Plan& plan = m_network.plan();
    writeScalars(learningRate);
    m_network.executor().run(m_queue, plan.backwardEnd, static_cast<std::int64_t>(plan.instructions.size()));
    StepScalars scalars;
    m_backend.copyOut(m_queue, &scalars, m_network.address(plan.scalars), sizeof scalars);
    m_queue.wait();
    m_scaler.update({scalars.foundInf != 0, scalars.gradAbsMax});
    m_gradNorm = static_cast<double>(scalars.gradNorm);
    const bool isSkipped = scalars.skipped != 0;
    ++m_updates;
    m_skipped += isSkipped ? 1 : 0;
    return !isSkipped;
}

std::vector<float> PolicyTrainer::gradients() {
    const Plan& plan = m_network.plan();
    std::vector<float> gradients(static_cast<std::size_t>(plan.segments.back()));
    for (std::size_t i = 0; i < plan.parameterBuffers.size(); ++i) {
        const std::string name = plan.buffers[static_cast<std::size_t>(plan.parameterBuffers[i])].name + ".grad";
        const auto buffer = std::find_if(plan.buffers.begin(), plan.buffers.end(), [&](const Buffer& each) { return each.name == name; });
        const std::vector<float> values = m_network.executor().values(m_queue, static_cast<int>(buffer - plan.buffers.begin()));
        std::copy(values.begin(), values.end(), gradients.begin() + plan.segments[i]);
    }
    const auto scale = static_cast<float>(lossScale());
    for (float& gradient : gradients) gradient /= scale;
    return gradients;
}

}  // namespace mantissa
