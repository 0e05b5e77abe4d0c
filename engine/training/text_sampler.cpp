// SPDX-License-Identifier: Apache-2.0
#include "engine/training/text_sampler.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>

#include "kernels/dtype/rounding.h"
#include "kernels/random/philox.h"

namespace mantissa {
namespace {

constexpr std::chrono::seconds kLongest(1);

std::int32_t startToken(const Vocabulary& vocabulary) {
    const auto newline = std::find(vocabulary.characters.begin(), vocabulary.characters.end(), U'\n');
    if (vocabulary.isBytes()) return '\n';
    return newline == vocabulary.characters.end() ? 0 : static_cast<std::int32_t>(newline - vocabulary.characters.begin());
}

/// Samples a token from softmax(logits / temperature) by `unit` in [0, 1); nothing if a logit is not finite.
std::optional<std::int32_t> draw(std::span<const float> logits, double temperature, double unit) {
    const auto largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
    std::vector<double> sums;
    double sum = 0;
    for (const float logit : logits) sums.push_back(sum += std::exp((static_cast<double>(logit) - largest) / temperature));
    if (!std::isfinite(sum) || !std::isfinite(largest)) return std::nullopt;
    const auto place = std::upper_bound(sums.begin(), sums.end() - 1, unit * sum);
    return static_cast<std::int32_t>(place - sums.begin());
}

}  // namespace

std::string sampleText(const RunMemory& memory, Backend& backend, Queue& queue, const TokenData& tokens, const SampleSettings& settings) {
    const ReadyPlan& ready = memory.sampling();
    const Plan& plan = *ready.plan;
    const auto context = static_cast<std::size_t>(tokens.context), vocabulary = static_cast<std::size_t>(tokens.vocabulary.size());
    const Dtype dtype = *plan.buffers[static_cast<std::size_t>(plan.logits)].dtype;
    const std::size_t bytes = facts(dtype).storageBytes();
    const auto* logitsAt = static_cast<const std::byte*>(ready.executor->address(plan.logits));
    std::vector<std::byte> stored(vocabulary * bytes);
    std::vector<std::int32_t> text{startToken(tokens.vocabulary)};
    std::vector<float> logits(vocabulary);
    const DeviceMemory& window = memory.samplingWindow();  // unused rows hold token 0, not earlier text
    backend.fillZero(queue, window.data(), static_cast<std::size_t>(window.bytes()));
    ready.writeIndices(backend, queue, {0});
    ready.executor->run(queue, 0, plan.prologueEnd);
    const auto end = std::chrono::steady_clock::now() + kLongest;
    for (std::int64_t i = 0; i < settings.tokens && std::chrono::steady_clock::now() < end; ++i) {
        // rows after the last token have no effect, since attention is causal
        const std::size_t length = std::min(text.size(), context);
        backend.copyIn(queue, window.data(), text.data() + (text.size() - length), length * sizeof(std::int32_t));
        ready.executor->run(queue, plan.prologueEnd, plan.forwardEnd);
        backend.copyOut(queue, stored.data(), logitsAt + (length - 1) * stored.size(), stored.size());
        queue.wait();
        for (std::size_t j = 0; j < vocabulary; ++j) {
            std::uint32_t code = 0;
            std::memcpy(&code, stored.data() + j * bytes, bytes);
            logits[j] = decodeBits(dtype, code);
        }
        const std::uint32_t bits = randomBits(settings.seed, RandomUse::TextSample, settings.stream, static_cast<std::uint64_t>(i));
        const std::optional<std::int32_t> next = draw(logits, settings.temperature, static_cast<double>(bits) * 0x1p-32);
        if (!next) break;
        text.push_back(*next);
    }
    return tokens.vocabulary.decode(std::span(text).subspan(1));
}

}  // namespace mantissa
