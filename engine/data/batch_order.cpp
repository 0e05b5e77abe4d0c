// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batch_order.h"

#include <numeric>
#include <system_error>
#include <utility>

#include "kernels/random/philox.h"

namespace mantissa {
namespace {

/// One epoch's permutation by a Fisher-Yates shuffle with the generator's stream `epoch`. The bias of the multiply-shift draw is below
/// count / 2^32.
std::vector<std::int32_t> shuffled(std::uint64_t seed, std::int64_t epoch, std::int64_t count) {
    std::vector<std::int32_t> permutation(static_cast<std::size_t>(count));
    std::iota(permutation.begin(), permutation.end(), 0);
    for (std::size_t i = permutation.size(); i > 1; --i) {
        const std::uint64_t bits = randomBits(seed, RandomUse::Shuffle, static_cast<std::uint32_t>(epoch), i);
        std::swap(permutation[i - 1], permutation[static_cast<std::size_t>(bits * i >> 32)]);
    }
    return permutation;
}

}  // namespace

BatchOrder::BatchOrder(const DataSettings& settings, std::int64_t trainCount) : m_settings(settings), m_count(trainCount) {}

BatchOrder::BatchOrder(const DataSettings& settings, const Dataset& dataset) : BatchOrder(settings, dataset.trainCount()) {
    if (dataset.kind != DataKind::Tokens) return;
    m_stride = dataset.tokens.context;
    m_starts = dataset.tokens.starts(dataset.tokens.train);
}

const std::vector<std::int32_t>& BatchOrder::permutation(std::int64_t epoch) {
    if (epoch == m_epoch) return m_permutation;
    const bool isPrepared = m_next.valid() && epoch == m_epoch + 1;
    m_permutation = isPrepared ? m_next.get() : shuffled(m_settings.seed, epoch, m_count);
    m_epoch = epoch;
    try {
        m_next = std::async(std::launch::async, shuffled, m_settings.seed, epoch + 1, m_count);
    } catch (const std::system_error&) {  // no thread available: drawn on demand
        m_next = {};
    }
    return m_permutation;
}

/// With replacement, as in nanoGPT. 64 bits modulo at most 2^31 places: the bias is below 2^-33.
std::int64_t BatchOrder::drawStart(std::int64_t position) const {
    const PhiloxCounter block = randomBlock(m_settings.seed, RandomUse::WindowStart, 0, static_cast<std::uint64_t>(position));
    const std::uint64_t bits = std::uint64_t{block.word[0]} << 32 | block.word[1];
    return static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(m_starts));
}

void BatchOrder::indices(std::int64_t batch, std::int32_t* out) {
    const bool isShuffled = m_settings.order == "shuffled";
    for (std::int64_t i = 0; i < m_settings.batchSize; ++i) {
        const std::int64_t position = batch * m_settings.batchSize + i;  // in the sequence of all epochs
        const std::int64_t inEpoch = position % m_count;
        if (!isShuffled) {
            out[i] = static_cast<std::int32_t>(inEpoch * m_stride);
        } else if (m_starts > 0) {
            out[i] = static_cast<std::int32_t>(drawStart(position));
        } else {
            out[i] = permutation(position / m_count)[static_cast<std::size_t>(inEpoch)];
        }
    }
}

}  // namespace mantissa
