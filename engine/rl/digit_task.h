// SPDX-License-Identifier: Apache-2.0
// The task of the policy gradient: a prompt of digits, and an answer with the same digits in ascending order. A program can check an
// answer, so no reward model is needed. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mantissa {

/// Prompts with their answers. Each sequence is a window for the model: the prompt, an equals sign, and all symbols of the answer but the
/// last. Symbols 0 to 9 are digits, 10 is the equals sign.
struct Episodes {
    std::int64_t sequences = 0;
    std::vector<std::int32_t> tokens;   // [sequences, context]
    std::vector<std::int32_t> answers;  // [sequences, digits]: the sampled symbols, which are the actions
};

struct DigitTask {
    static constexpr std::int64_t kVocabulary = 11;
    static constexpr std::int32_t kEquals = 10;

    std::int64_t digits = 4;  // of a prompt, and symbols of an answer

    /// Symbols of a window. The model's output at position `digits + i` is the distribution of the answer's symbol i.
    std::int64_t context() const { return 2 * digits; }

    /// Draws `prompts` prompts of uniform digits, each in `answersEach` adjacent sequences, with answers that are still all 0. A function
    /// of seed, `stream` and position.
    Episodes draw(std::uint64_t seed, std::uint32_t stream, std::int64_t prompts, std::int64_t answersEach) const;
    /// Sets symbol `at` of a sequence's answer, also in its window.
    void setAnswer(Episodes& episodes, std::int64_t sequence, std::int64_t at, std::int32_t symbol) const;
    /// Sets all answers to the correct ones.
    void answerCorrectly(Episodes& episodes) const;
    /// The reward of each sequence: the share of its answer's symbols that are correct, 0 to 1.
    std::vector<double> rewards(const Episodes& episodes) const;

private:
    std::vector<std::int32_t> sortedPrompt(const Episodes& episodes, std::int64_t sequence) const;
};

/// The advantage of each sequence: its reward minus the mean reward of the other answers to its prompt, a baseline that does not depend on
/// the answer itself, so that the gradient is unbiased (leave one out: Kool et al. 2019; Ahmadian et al. 2024). With a single answer a
/// prompt the baseline is 0.
std::vector<double> advantages(std::span<const double> rewards, std::int64_t answersEach);

}  // namespace mantissa
