// SPDX-License-Identifier: Apache-2.0
#include "engine/rl/digit_task.h"

#include <algorithm>
#include <numeric>

#include "kernels/random/philox.h"

namespace mantissa {
namespace {

/// A digit from 32 random bits.
std::int32_t digitFrom(std::uint32_t bits) {
    return static_cast<std::int32_t>(std::uint64_t{bits} * 10 >> 32);
}

}  // namespace

Episodes DigitTask::draw(std::uint64_t seed, std::uint32_t stream, std::int64_t prompts, std::int64_t answersEach) const {
    Episodes episodes{.sequences = prompts * answersEach, .tokens = {}, .answers = {}};
    episodes.tokens.resize(static_cast<std::size_t>(episodes.sequences * context()));
    episodes.answers.resize(static_cast<std::size_t>(episodes.sequences * digits));
    for (std::int64_t sequence = 0; sequence < episodes.sequences; ++sequence) {
        std::int32_t* const window = episodes.tokens.data() + sequence * context();
        for (std::int64_t i = 0; i < digits; ++i) {
            const auto place = static_cast<std::uint64_t>(sequence / answersEach * digits + i);
            window[i] = digitFrom(randomBits(seed, RandomUse::SyntheticData, stream, place));
        }
        window[digits] = kEquals;
    }
    return episodes;
}

void DigitTask::setAnswer(Episodes& episodes, std::int64_t sequence, std::int64_t at, std::int32_t symbol) const {
    episodes.answers[static_cast<std::size_t>(sequence * digits + at)] = symbol;
    if (at + 1 < digits) episodes.tokens[static_cast<std::size_t>(sequence * context() + digits + 1 + at)] = symbol;
}

std::vector<std::int32_t> DigitTask::sortedPrompt(const Episodes& episodes, std::int64_t sequence) const {
    const auto prompt = episodes.tokens.begin() + sequence * context();
    std::vector<std::int32_t> sorted(prompt, prompt + digits);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

void DigitTask::answerCorrectly(Episodes& episodes) const {
    for (std::int64_t sequence = 0; sequence < episodes.sequences; ++sequence) {
        const std::vector<std::int32_t> correct = sortedPrompt(episodes, sequence);
        for (std::int64_t i = 0; i < digits; ++i) setAnswer(episodes, sequence, i, correct[static_cast<std::size_t>(i)]);
    }
}

std::vector<double> DigitTask::rewards(const Episodes& episodes) const {
    std::vector<double> rewards;
    for (std::int64_t sequence = 0; sequence < episodes.sequences; ++sequence) {
        const std::vector<std::int32_t> correct = sortedPrompt(episodes, sequence);
        const auto answer = episodes.answers.begin() + sequence * digits;
        const int hits = std::inner_product(correct.begin(), correct.end(), answer, 0, std::plus<>(), std::equal_to<>());
        rewards.push_back(static_cast<double>(hits) / static_cast<double>(digits));
    }
    return rewards;
}

std::vector<double> advantages(std::span<const double> rewards, std::int64_t answersEach) {
    std::vector<double> advantages(rewards.begin(), rewards.end());
    if (answersEach == 1) return advantages;
    const auto each = static_cast<std::size_t>(answersEach);
    for (std::size_t first = 0; first < rewards.size(); first += each) {
        const auto group = rewards.subspan(first, each);
        const double sum = std::accumulate(group.begin(), group.end(), 0.0);
        for (std::size_t i = first; i < first + each; ++i)
            advantages[i] = rewards[i] - (sum - rewards[i]) / static_cast<double>(answersEach - 1);
    }
    return advantages;
}

}  // namespace mantissa
