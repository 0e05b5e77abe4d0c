// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10: a counter-based generator (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
// A pure function of (key, counter), so any element of any stream can be recomputed, on host and device, in any order.
#pragma once

#include <cstdint>

#include "kernels/dtype/host_device.h"

namespace mantissa {

struct PhiloxCounter {
    std::uint32_t word[4];
};

MANTISSA_HD inline PhiloxCounter philox4x32(PhiloxCounter counter, std::uint32_t key0, std::uint32_t key1) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t product0 = 0xD2511F53ull * counter.word[0];
        const std::uint64_t product1 = 0xCD9E8D57ull * counter.word[2];
        counter = {{static_cast<std::uint32_t>(product1 >> 32) ^ counter.word[1] ^ key0, static_cast<std::uint32_t>(product1),
                    static_cast<std::uint32_t>(product0 >> 32) ^ counter.word[3] ^ key1, static_cast<std::uint32_t>(product0)}};
        key0 += 0x9E3779B9u;  // Weyl sequences of the golden ratio and sqrt(3) - 1
        key1 += 0xBB67AE85u;
    }
    return counter;
}

/// The use of random numbers: each has its own streams, so that equal seeds never share bits.
enum class RandomUse : std::uint32_t {
    InitialWeights = 1,
    Shuffle = 2,
    StochasticRounding = 3,
    Dropout = 4,
    WindowStart = 5,  // of tokens in a batch
    SyntheticData = 6,
    TextSample = 7
};

/// Random bits of elements 4 * block to 4 * block + 3 of stream `stream` of a use, under `seed`: 32 each.
MANTISSA_HD inline PhiloxCounter randomBlock(std::uint64_t seed, RandomUse use, std::uint32_t stream, std::uint64_t block) {
    return philox4x32(
        {{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), stream, static_cast<std::uint32_t>(use)}},
        static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

/// Random bits of one element.
MANTISSA_HD inline std::uint32_t randomBits(std::uint64_t seed, RandomUse use, std::uint32_t stream, std::uint64_t index) {
    return randomBlock(seed, use, stream, index / 4).word[index % 4];
}

}  // namespace mantissa
