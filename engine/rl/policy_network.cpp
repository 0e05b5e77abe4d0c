// SPDX-License-Identifier: Apache-2.0
#include "engine/rl/policy_network.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/random/philox.h"

namespace mantissa {

std::vector<std::string> policyFormats() {
    std::vector<std::string> formats;
    for (const std::string& name : policyNames())
        if (name != "auto" && !isPure(name)) formats.push_back(name);
    return formats;
}

DataShape shapeOf(const PolicySettings& settings) {
    return {.classes = DigitTask::kVocabulary, .context = settings.task.context()};
}

Policy policyFormat(const std::string& format, const Backend& backend) {
    const std::vector<std::string> formats = policyFormats();
    if (std::find(formats.begin(), formats.end(), format) == formats.end())
        throw std::invalid_argument("'" + format + "' is no format of a trainer or sampler");
    return resolvePolicy({.policy = format, .overrides = {}, .fp8 = {.scaling = "current"}}, backend);
}

Plan samplerPlan(const PolicySettings& settings, const std::string& attention, const std::string& format, const Backend& backend) {
    ModelSettings model = settings.model;
    model.attention = attention;
    const Graph graph = buildModel(model, settings.sequences, shapeOf(settings));
    Plan plan = lowerGraph(graph, policyFormat(format, backend), backend, {.isTraining = false});
    layOut(plan);
    return plan;
}

PolicyNetwork::PolicyNetwork(Plan plan, const DigitTask& task, std::int64_t sequences, Backend& backend, Queue& queue, void* weights)
    : m_plan(std::move(plan)),
      m_task(task),
      m_sequences(sequences),
      m_backend(backend),
      m_queue(queue),
      m_executor(m_plan, backend, allocate(weights)) {
    std::vector<std::int32_t> starts;
    for (std::int64_t i = 0; i < sequences; ++i) starts.push_back(static_cast<std::int32_t>(i * task.context()));
    backend.copyIn(queue, address(m_plan.indices), starts.data(), starts.size() * sizeof(std::int32_t));
}

/// The windows are the plan's data. Their symbols also serve as labels: the cross-entropy of the plan is computed and not used.
ArenaPointers PolicyNetwork::allocate(void* weights) {
    ArenaPointers pointers{};
    const auto index = [](Arena arena) { return static_cast<std::size_t>(arena); };
    const std::int64_t windowBytes = m_sequences * m_task.context() * static_cast<std::int64_t>(sizeof(std::int32_t));
    for (std::size_t i = 0; i < kArenaCount; ++i) {
        const std::int64_t bytes = i == index(Arena::Inputs) ? windowBytes : m_plan.arenaBytes[i];
        if (i == index(Arena::Masters) || bytes == 0) continue;
        m_arenas[i] = DeviceMemory(m_backend, bytes, "a policy network");
        pointers[i] = m_arenas[i].data();
    }
    pointers[index(Arena::Masters)] = weights;
    pointers[index(Arena::Labels)] = pointers[index(Arena::Inputs)];
    return pointers;
}

void PolicyNetwork::takeWeights() {
    m_executor.run(m_queue, 0, m_plan.prologueEnd);
}

void PolicyNetwork::forward(const Episodes& episodes) {
    void* const windows = m_arenas[static_cast<std::size_t>(Arena::Inputs)].data();
    m_backend.copyIn(m_queue, windows, episodes.tokens.data(), episodes.tokens.size() * sizeof(std::int32_t));
    m_executor.run(m_queue, m_plan.prologueEnd, m_plan.forwardEnd);
}

/// Reads the distributions of symbols [firstAt, firstAt + count) of each answer into their positions of `out`.
void PolicyNetwork::readInto(LogProbabilities& out, std::int64_t firstAt, std::int64_t count) {
    const auto vocabulary = static_cast<std::size_t>(DigitTask::kVocabulary);
    const std::vector<float> logits = m_executor.values(m_queue, m_plan.logits);
    for (std::int64_t i = 0; i < m_sequences * count; ++i) {
        const std::int64_t sequence = i / count, at = firstAt + i % count;
        const auto row = static_cast<std::size_t>(sequence * m_task.context() + m_task.digits + at);
        const auto position = static_cast<std::size_t>(sequence * m_task.digits + at);
        logSoftmax(std::span(logits).subspan(row * vocabulary, vocabulary),
                   std::span(out.values).subspan(position * vocabulary, vocabulary));
    }
}

LogProbabilities PolicyNetwork::score(const Episodes& episodes) {
    LogProbabilities scored{DigitTask::kVocabulary, std::vector<double>(episodes.answers.size() * DigitTask::kVocabulary)};
    forward(episodes);
    readInto(scored, 0, m_task.digits);
    return scored;
}

LogProbabilities PolicyNetwork::write(Episodes& episodes, const Choose& choose) {
    LogProbabilities written{DigitTask::kVocabulary, std::vector<double>(episodes.answers.size() * DigitTask::kVocabulary)};
    for (std::int64_t at = 0; at < m_task.digits; ++at) {
        forward(episodes);
        readInto(written, at, 1);
        for (std::int64_t sequence = 0; sequence < m_sequences; ++sequence) {
            const auto position = static_cast<std::size_t>(sequence * m_task.digits + at);
            m_task.setAnswer(episodes, sequence, at, choose(sequence, at, written.at(position)));
        }
    }
    return written;
}

LogProbabilities PolicyNetwork::rewrite(const Episodes& episodes) {
    Episodes unwritten = episodes;
    for (std::int64_t i = 0; i < episodes.sequences * m_task.digits; ++i)
        m_task.setAnswer(unwritten, i / m_task.digits, i % m_task.digits, 0);
    return write(unwritten, [&](std::int64_t sequence, std::int64_t at, std::span<const double>) {
        return episodes.answers[static_cast<std::size_t>(sequence * m_task.digits + at)];
    });
}

PolicyNetwork::Choose drawing(const DigitTask& task, std::uint64_t seed, std::uint32_t stream) {
    return [=](std::int64_t sequence, std::int64_t at, std::span<const double> logProbabilities) {
        const auto place = static_cast<std::uint64_t>(sequence * task.digits + at);
        double left = static_cast<double>(randomBits(seed, RandomUse::TextSample, stream, place)) * 0x1p-32;
        std::int32_t symbol = 0;
        if (!std::isfinite(logProbabilities.front())) return symbol;
        for (; symbol + 1 < DigitTask::kVocabulary; ++symbol) {
            left -= std::exp(logProbabilities[static_cast<std::size_t>(symbol)]);
            if (left < 0) break;
        }
        return symbol;
    };
}

}  // namespace mantissa
