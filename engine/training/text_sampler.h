// SPDX-License-Identifier: Apache-2.0
// Text generation by a language model, in the precision of validation. One thread at a time.
#pragma once

#include <string>

#include "engine/training/run_memory.h"

namespace mantissa {

struct SampleSettings {
    std::int64_t tokens = 0;
    std::uint64_t seed = 0;
    std::uint32_t stream = 0;  // another stream gives another text
    double temperature = 0.8;  // nanoGPT's
};

/// Samples text token by token, beginning after a newline (or the first token, if the vocabulary has none). Each sample is a function of
/// logits, seed, stream and position. Ends early at non-finite logits, and after a second.
std::string sampleText(const RunMemory& memory, Backend& backend, Queue& queue, const TokenData& tokens, const SampleSettings& settings);

}  // namespace mantissa
