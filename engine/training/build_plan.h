// SPDX-License-Identifier: Apache-2.0
// Builds plans from settings: model, backward pass, policy, optimizer, memory layout. Nothing is allocated, so a plan may have any size.
// Pure; any thread. Throws std::invalid_argument, with a sentence, for settings that a user can fix.
#pragma once

#include <optional>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/plan/plan.h"
#include "engine/training/settings.h"

namespace mantissa {

/// All plans of one run.
struct RunPlans {
    Plan training;  // forward, backward, unscale and check, optimizer. Its ledger includes the extra memory of evaluation.
    std::vector<Plan>
        evaluation;  // the forward pass, with weights cast from the masters: one for whole chunks, one for a smaller last chunk
    std::vector<std::int64_t> evaluationRows;  // validation samples of each
    std::optional<Plan> sampling;              // for language models: the forward pass of one window of tokens
    std::int64_t transientBytes = 0;           // shared by all of them, since only one runs at a time
};
/// Builds all plans of a run. `level`: unless it is Off, the training plan also measures its tensors (engine/plan/tensor_statistics.h).
/// `keepsMomentum`: keeps SGD's filled momentum buffer for later steps even if this plan does not use it.
RunPlans buildPlans(const TrainingSettings& settings, const DataShape& shape, const Backend& backend, bool keepsMomentum = false,
                    Instrumentation level = Instrumentation::Off);

}  // namespace mantissa
