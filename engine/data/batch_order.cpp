// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <utility>

#include "engine/data/dataset.h"
#include "kernels/random/philox.h"

namespace mantissa {

BatchOrder::BatchOrder(const DataSettings& settings, std::int64_t trainCount) : m_settings(settings), m_count(trainCount) {}

/// Fisher and Yates' shuffle with the generator's stream `epoch`. The bias of the multiply-shift draw is below count / 2^32.
const std::vector<std::int32_t>& BatchOrder::permutation(std::int64_t epoch) {
    if (epoch != m_epoch) {
        m_permutation.resize(static_cast<std::size_t>(m_count));
        std::iota(m_permutation.begin(), m_permutation.end(), 0);
        for (std::size_t i = m_permutation.size(); i > 1; --i) {
            const std::uint64_t bits = randomBits(m_settings.seed, RandomUse::Shuffle, static_cast<std::uint32_t>(epoch), i);
            std::swap(m_permutation[i - 1], m_permutation[static_cast<std::size_t>(bits * i >> 32)]);
        }
        m_epoch = epoch;
    }
    return m_permutation;
}

void BatchOrder::indices(std::int64_t batch, std::int32_t* out) {
    const bool isShuffled = m_settings.order == "shuffled";
    for (std::int64_t i = 0; i < m_settings.batchSize; ++i) {
        const std::int64_t position = batch * m_settings.batchSize + i;  // in the endless stream of epochs
        const std::int64_t inEpoch = position % m_count;
        out[i] = isShuffled ? permutation(position / m_count)[static_cast<std::size_t>(inEpoch)] : static_cast<std::int32_t>(inEpoch);
    }
}

}  // namespace mantissa
