// SPDX-License-Identifier: Apache-2.0
#include "engine/session/card_batch.h"

#include "engine/experiment/fields.h"

namespace mantissa {

std::int64_t batchForCard(const RunSettings& run, const Dataset& dataset, const Backend& backend, std::int64_t cardBytes,
                          const std::function<bool()>& isStale) {
    const std::int64_t fits = largestBatch(run.training, shapeOf(dataset), backend, cardBytes - residentBytes(dataset), isStale);
    RunSettings asked = run;
    const auto isAccepted = [&](std::int64_t batch) {
        asked.training.data.batchSize = batch;
        return !findMisfit(asked, dataset).has_value();
    };
    if (fits <= 0 || isAccepted(fits)) return fits;
    std::int64_t accepted = 0, refused = fits;
    while (refused - accepted > 1) {
        const std::int64_t middle = accepted + (refused - accepted) / 2;
        (isAccepted(middle) ? accepted : refused) = middle;
    }
    return accepted;
}

}  // namespace mantissa
