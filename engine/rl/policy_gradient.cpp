// SPDX-License-Identifier: Apache-2.0
#include "engine/rl/policy_gradient.h"

#include <algorithm>
#include <stdexcept>

namespace mantissa {
namespace {

// Streams of random numbers under a run's seed: updates by reward, from 0; supervised updates; a matrix.
constexpr std::uint32_t kWarmUpStreams = 0x40000000, kMatrixStream = 0x80000000;

std::int64_t weightBytes(const std::vector<ParameterShape>& shapes) {
    std::int64_t count = 0;
    for (const ParameterShape& each : shapes) count += elementCount(each.shape);
    return count * static_cast<std::int64_t>(sizeof(float));
}

std::size_t sizeOf(const ParameterShape& each) {
    return static_cast<std::size_t>(elementCount(each.shape));
}

}  // namespace

PolicyWeights::PolicyWeights(const PolicySettings& settings, Backend& backend, Queue& queue)
    : m_shapes(parameterShapes(settings.model, shapeOf(settings))),
      m_backend(backend),
      m_queue(queue),
      m_memory(backend, weightBytes(m_shapes), "the weights") {}

void PolicyWeights::drawFrom(std::uint64_t seed) {
    std::vector<NamedTensor> drawn;
    for (std::size_t i = 0; i < m_shapes.size(); ++i)
        drawn.push_back({m_shapes[i].name, m_shapes[i].shape, initialValues(m_shapes, i, seed)});
    set(drawn);
}

void PolicyWeights::set(const std::vector<NamedTensor>& tensors) {
    std::vector<float> flat;
    for (const ParameterShape& each : m_shapes) {
        const auto found =
            std::find_if(tensors.begin(), tensors.end(), [&](const NamedTensor& tensor) { return tensor.name == each.name; });
        if (found == tensors.end() || found->shape != each.shape)
            throw std::invalid_argument("the weights lack '" + each.name + "' of shape " + shapeText(each.shape));
        flat.insert(flat.end(), found->values.begin(), found->values.end());
    }
    m_backend.copyIn(m_queue, m_memory.data(), flat.data(), flat.size() * sizeof(float));
}

std::vector<NamedTensor> PolicyWeights::values() const {
    std::vector<float> flat(static_cast<std::size_t>(m_memory.bytes()) / sizeof(float));
    m_backend.copyOut(m_queue, flat.data(), m_memory.data(), flat.size() * sizeof(float));
    m_queue.wait();
    std::vector<NamedTensor> tensors;
    auto next = flat.begin();
    for (const ParameterShape& each : m_shapes) {
        const auto end = next + static_cast<std::ptrdiff_t>(sizeOf(each));
        tensors.push_back({each.name, each.shape, {next, end}});
        next = end;
    }
    return tensors;
}

PolicyGradient::PolicyGradient(const RlSettings& settings, std::shared_ptr<Backend> backend, const std::vector<NamedTensor>* given)
    : m_settings(settings),
      m_backend(std::move(backend)),
      m_queue(m_backend->createQueue()),
      m_weights(settings.policy(), *m_backend, *m_queue),
      m_sampler(samplerPlan(settings.policy(), settings.samplerAttention, settings.sampler, *m_backend), settings.task,
                settings.policy().sequences, *m_backend, *m_queue, m_weights.data()),
      m_trainer(settings.policy(), settings.trainer, *m_backend, *m_queue, m_weights.data()) {
    if (given != nullptr) {
        m_weights.set(*given);
    } else {
        m_weights.drawFrom(settings.seed);
        warmUp();
    }
}

/// Learns correct answers: a policy gradient with weight 1 for each symbol is the gradient of the cross-entropy.
void PolicyGradient::warmUp() {
    PolicyTrainer trainer(m_settings.policy(), "fp32", *m_backend, *m_queue, m_weights.data());
    const DigitTask& task = m_settings.task;
    const std::vector<double> ones(static_cast<std::size_t>(m_settings.policy().sequences * task.digits), 1.0);
    for (std::int64_t i = 0; i < m_settings.warmUp; ++i) {
        Episodes episodes = task.draw(m_settings.seed, kWarmUpStreams + static_cast<std::uint32_t>(i), m_settings.policy().sequences, 1);
        task.answerCorrectly(episodes);
        trainer.backward(episodes, trainer.score(episodes), ones);
        trainer.update(m_settings.warmUpRate);
    }
}

/// The weight of each symbol's log-probability: its sequence's advantage, times the importance weight if ratios are corrected.
std::vector<double> PolicyGradient::symbolWeights(const std::vector<double>& rewards, const std::vector<double>& logRatios) const {
    const std::vector<double> advantage = advantages(rewards, m_settings.answers);
    std::vector<double> weights;
    for (std::size_t i = 0; i < logRatios.size(); ++i) {
        const double importance = m_settings.corrects ? importanceWeight(logRatios[i]) : 1;
        weights.push_back(importance * advantage[i / static_cast<std::size_t>(m_settings.task.digits)]);
    }
    return weights;
}

RlUpdate PolicyGradient::update() {
    const DigitTask& task = m_settings.task;
    const auto stream = static_cast<std::uint32_t>(m_next);
    Episodes episodes = task.draw(m_settings.seed, stream, m_settings.prompts, m_settings.answers);
    m_sampler.takeWeights();
    const LogProbabilities sampled = m_sampler.write(episodes, drawing(task, m_settings.seed, stream));
    const LogProbabilities scored = m_trainer.score(episodes);
    const std::vector<double> rewards = task.rewards(episodes);
    RlUpdate outcome{
        .number = m_next++, .reward = 0, .mismatch = mismatchOf(sampled, scored, episodes.answers), .lossScale = m_trainer.lossScale()};
    for (const double reward : rewards) outcome.reward += reward / static_cast<double>(rewards.size());
    m_trainer.backward(episodes, scored, symbolWeights(rewards, logRatios(sampled, scored, episodes.answers)));
    outcome.isSkipped = !m_trainer.update(m_settings.learningRate);
    outcome.gradNorm = m_trainer.gradNorm();
    return outcome;
}

std::vector<NamedTensor> trainedInFp32(RlSettings settings, std::shared_ptr<Backend> backend) {
    settings.trainer = settings.sampler = "fp32";
    settings.samplerAttention = settings.model.attention;
    PolicyGradient training(settings, std::move(backend));
    for (std::int64_t i = 0; i < settings.updates; ++i) training.update();
    return training.weights();
}

std::vector<MatrixCell> precisionMatrix(const RlSettings& settings, const std::vector<std::string>& formats,
                                        const std::vector<NamedTensor>& given, const std::shared_ptr<Backend>& backend) {
    const PolicySettings policy{settings.model, settings.task, kMatrixPrompts};
    const std::unique_ptr<Queue> queue = backend->createQueue();
    PolicyWeights weights(policy, *backend, *queue);
    weights.set(given);
    const auto samplerIn = [&](const std::string& format) {
        auto sampler = std::make_unique<PolicyNetwork>(samplerPlan(policy, settings.samplerAttention, format, *backend), policy.task,
                                                       policy.sequences, *backend, *queue, weights.data());
        sampler->takeWeights();
        return sampler;
    };
    Episodes episodes = policy.task.draw(settings.seed, kMatrixStream, kMatrixPrompts, 1);
    samplerIn("fp32")->write(episodes, drawing(policy.task, settings.seed, kMatrixStream));
    std::vector<LogProbabilities> sampled, scored;
    for (const std::string& format : formats) {
        sampled.push_back(samplerIn(format)->rewrite(episodes));
        scored.push_back(PolicyTrainer(policy, format, *backend, *queue, weights.data()).score(episodes));
    }
    std::vector<MatrixCell> cells;
    for (std::size_t trainer = 0; trainer < formats.size(); ++trainer)
        for (std::size_t sampler = 0; sampler < formats.size(); ++sampler)
            cells.push_back({formats[trainer], formats[sampler], mismatchOf(sampled[sampler], scored[trainer], episodes.answers)});
    return cells;
}

}  // namespace mantissa
