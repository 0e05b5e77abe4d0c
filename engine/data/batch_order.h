// SPDX-License-Identifier: Apache-2.0
// Selects the training samples of a step: a pure function of (order, seed, step), so any step can be repeated. One thread at a time;
// another thread draws an epoch's permutation during the epoch before it.
#pragma once

#include <cstdint>
#include <future>
#include <vector>

#include "engine/data/dataset.h"

namespace mantissa {

/// The order of training samples. sequential: samples [k*B, (k+1)*B) modulo the count. shuffled: sequential through a new permutation per
/// epoch.
/// For tokens an index is the start of a window. sequential: adjacent windows, wrapping at the end. shuffled: each window's start is drawn
/// from all positions.
class BatchOrder {
public:
    BatchOrder(const DataSettings& settings, const Dataset& dataset);
    /// The order of samples that are not tokens.
    BatchOrder(const DataSettings& settings, std::int64_t trainCount);
    /// Writes batchSize indices for micro-batch number `batch` (counted from 0 over the whole run).
    void indices(std::int64_t batch, std::int32_t* out);

private:
    DataSettings m_settings;
    std::int64_t m_count;
    std::int64_t m_stride = 1;  // distance of two samples: for tokens, the context
    std::int64_t m_starts = 0;  // number of possible window starts; 0: no tokens
    std::int64_t m_epoch = -1;  // epoch of m_permutation
    std::vector<std::int32_t> m_permutation;
    std::future<std::vector<std::int32_t>> m_next;  // the next epoch's permutation
    const std::vector<std::int32_t>& permutation(std::int64_t epoch);
    std::int64_t drawStart(std::int64_t position) const;
};

}  // namespace mantissa
