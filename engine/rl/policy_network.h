// SPDX-License-Identifier: Apache-2.0
// The policy: a small GPT over the symbols of the task, compiled to a plan in one format. Several networks share one set of fp32 weights
// and keep the rest of their memory to themselves. One thread at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/plan/executor.h"
#include "engine/rl/digit_task.h"
#include "engine/rl/mismatch.h"
#include "engine/training/settings.h"

namespace mantissa {

/// The formats that a network can have: all precision policies with fp32 weights.
std::vector<std::string> policyFormats();

/// The model, the task, and the number of sequences in a pass.
struct PolicySettings {
    ModelSettings model{.kind = "gpt", .nLayer = 2, .nHead = 2, .nEmbd = 32};
    DigitTask task;
    std::int64_t sequences = 128;
};

/// The data shape that the model is built for.
DataShape shapeOf(const PolicySettings& settings);

/// The format, resolved for a backend. The fp8 scales are those of the tensor itself (`current`): a sampler has no history of its own.
/// Throws std::invalid_argument for a format that is none of `policyFormats`.
Policy policyFormat(const std::string& format, const Backend& backend);

/// The plan of a sampler: the forward pass, as in validation. `attention`: the model's operation for attention, materialised or fused.
Plan samplerPlan(const PolicySettings& settings, const std::string& attention, const std::string& format, const Backend& backend);

class PolicyNetwork {
public:
    /// `weights` is the arena of fp32 weights; it must outlive the network.
    PolicyNetwork(Plan plan, const DigitTask& task, std::int64_t sequences, Backend& backend, Queue& queue, void* weights);

    /// Makes the low-precision copies of the weights, after a change of the weights.
    void takeWeights();
    /// The distributions of all answers' symbols, in one pass over complete windows, as a trainer computes them.
    LogProbabilities score(const Episodes& episodes);

    /// Chooses symbol `at` of a sequence's answer from its log-probabilities.
    using Choose = std::function<std::int32_t(std::int64_t sequence, std::int64_t at, std::span<const double> logProbabilities)>;
    /// Writes answers symbol by symbol, one pass for each, as a sampler does, and returns the distributions that it chose from. Passes are
    /// over the whole window, without a cache of keys and values; symbols that are not yet written are digits 0, which causal attention
    /// hides.
    LogProbabilities write(Episodes& episodes, const Choose& choose);
    /// As `write`, with the answers that the episodes already have.
    LogProbabilities rewrite(const Episodes& episodes);

    const Plan& plan() const { return m_plan; }
    Executor& executor() { return m_executor; }
    void* address(int buffer) const { return m_executor.address(buffer); }

private:
    Plan m_plan;
    DigitTask m_task;
    std::int64_t m_sequences;
    Backend& m_backend;
    Queue& m_queue;
    std::array<DeviceMemory, kArenaCount> m_arenas;
    Executor m_executor;

    ArenaPointers allocate(void* weights);
    void forward(const Episodes& episodes);
    void readInto(LogProbabilities& out, std::int64_t firstAt, std::int64_t count);
};

/// Draws each symbol from the distribution it is given, at temperature 1. A function of seed, `stream` and position; 0 where the
/// distribution is not finite.
PolicyNetwork::Choose drawing(const DigitTask& task, std::uint64_t seed, std::uint32_t stream);

}  // namespace mantissa
