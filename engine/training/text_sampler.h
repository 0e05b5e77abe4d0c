// SPDX-License-Identifier: Apache-2.0
// Text that a language model writes, in the precision it validates in. One thread at a time.
#pragma once

#include <string>

#include "engine/training/run_memory.h"

namespace mantissa {

struct SampleSettings {
    std::int64_t tokens = 0;
    std::uint64_t seed = 0;
    std::uint32_t stream = 0;  // another one, another text
    double temperature = 0.8;  // nanoGPT's
};

/// Begins after a newline (or the first token, where the vocabulary has none) and draws token by token. A draw is a function of logits,
/// seed, stream and place alone. Ends early at logits that are not finite, and after a second: a large model writes less, not longer.
std::string sampleText(const RunMemory& memory, Backend& backend, Queue& queue, const TokenData& tokens, const SampleSettings& settings);

}  // namespace mantissa
