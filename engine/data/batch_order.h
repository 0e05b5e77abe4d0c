// SPDX-License-Identifier: Apache-2.0
// Which training samples a step uses: a pure function of (order, seed, step), so that any step can be revisited. One thread at a time;
// an epoch's permutation is drawn on another one while the epoch before it is used.
#pragma once

#include <cstdint>
#include <future>
#include <vector>

#include "engine/data/dataset.h"

namespace mantissa {

/// sequential: samples [k*B, (k+1)*B) modulo the count. shuffled: the same walk through a fresh permutation per epoch.
/// Of tokens an index is where a window begins. sequential: windows side by side, beginning again at the end. shuffled: each window begins
/// at a place of its own, drawn from all places.
class BatchOrder {
public:
    BatchOrder(const DataSettings& settings, const Dataset& dataset);
    /// Samples that are no tokens.
    BatchOrder(const DataSettings& settings, std::int64_t trainCount);
    /// Writes batchSize indices for micro-batch number `batch` (counted from 0 over the whole run).
    void indices(std::int64_t batch, std::int32_t* out);

private:
    DataSettings m_settings;
    std::int64_t m_count;
    std::int64_t m_stride = 1;  // from sample to sample: of tokens, the context
    std::int64_t m_starts = 0;  // where windows of tokens may begin; 0: no tokens
    std::int64_t m_epoch = -1;  // epoch whose permutation is held
    std::vector<std::int32_t> m_permutation;
    std::future<std::vector<std::int32_t>> m_next;  // the permutation of the epoch after that
    const std::vector<std::int32_t>& permutation(std::int64_t epoch);
    std::int64_t drawStart(std::int64_t position) const;
};

}  // namespace mantissa
