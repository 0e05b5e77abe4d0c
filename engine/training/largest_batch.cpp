// SPDX-License-Identifier: Apache-2.0
#include "engine/training/largest_batch.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mantissa {
namespace {

/// A batch and its memory.
struct Probe {
    std::int64_t batch = 0, bytes = 0;
};

/// Memory is nearly linear in the batch, except for scratch and packing. Returns where the line through both meets `bytes`.
double crossing(const Probe& a, const Probe& b, std::int64_t bytes) {
    const double slope = static_cast<double>(b.bytes - a.bytes) / static_cast<double>(b.batch - a.batch);
    return static_cast<double>(a.batch) + static_cast<double>(bytes - a.bytes) / std::max(slope, 1e-3);
}

}  // namespace

std::int64_t residentBytes(const Dataset& dataset) {
    const auto bytesOf = [](const auto&... arrays) { return (static_cast<std::int64_t>(arrays.size() * sizeof(arrays[0])) + ...); };
    // a stream of tokens counts twice, the second time as its labels
    return bytesOf(dataset.trainInputs, dataset.trainLabels, dataset.trainTargets, dataset.validationInputs, dataset.validationLabels,
                   dataset.validationTargets) +
           2 * bytesOf(dataset.tokens.train, dataset.tokens.validation);
}

std::int64_t largestBatch(const TrainingSettings& settings, const DataShape& shape, const Backend& backend, std::int64_t bytes,
                          const std::function<bool()>& isStale) {
    TrainingSettings probed = settings;
    const auto probe = [&](std::int64_t batch) {
        probed.data.batchSize = batch;
        return Probe{batch, buildPlans(probed, shape, backend).training.memory.total()};
    };
    const auto isOver = [&] { return isStale && isStale(); };
    // A batch norm with one value a channel has no plan for one sample; two are the minimum.
    const auto fewest = [&] {
        try {
            return probe(1);
        } catch (const std::invalid_argument&) {
            return probe(2);
        }
    };
    Probe fits = fewest(), tooLarge;
    if (fits.bytes > bytes) return 0;
    // Increases the batch by twice the linear estimate until one is too large, so that few plans are made.
    for (std::int64_t next = 2 * fits.batch; tooLarge.batch == 0;) {
        if (isOver()) return -1;
        const Probe here = probe(next);
        const double guess = crossing(fits, here, bytes);
        if (here.bytes > bytes) {
            tooLarge = here;
        } else {
            if (next == kMostBatch) return kMostBatch;
            fits = here;
            next = static_cast<std::int64_t>(std::clamp(guess + 1, 2.0 * static_cast<double>(next), static_cast<double>(kMostBatch)));
        }
    }
    // Interpolates linearly; bisects after a step that did not halve the interval.
    for (bool isMiddle = false; tooLarge.batch - fits.batch > 1;) {
        if (isOver()) return -1;
        const std::int64_t gap = tooLarge.batch - fits.batch;
        const auto onLine = static_cast<std::int64_t>(std::floor(crossing(fits, tooLarge, bytes)));
        const Probe here = probe(isMiddle ? fits.batch + gap / 2 : std::clamp(onLine, fits.batch + 1, tooLarge.batch - 1));
        (here.bytes <= bytes ? fits : tooLarge) = here;
        isMiddle = 2 * (tooLarge.batch - fits.batch) > gap;
    }
    return fits.batch;
}

}  // namespace mantissa
