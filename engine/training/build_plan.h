// SPDX-License-Identifier: Apache-2.0
// From settings to plans: model, backward pass, policy, optimizer, memory. Nothing is allocated, so a plan of any size can be looked at.
// Pure; any thread. Throws std::invalid_argument, in a sentence, for what a user can mend.
#pragma once

#include <optional>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/plan/plan.h"
#include "engine/training/settings.h"

namespace mantissa {

/// All plans of one run.
struct RunPlans {
    Plan training;  // forward, backward, unscale and check, optimizer. Its ledger counts what evaluation needs on top.
    std::vector<Plan>
        evaluation;  // the forward pass, weights cast from the masters: one for whole chunks, one more for a smaller last chunk
    std::vector<std::int64_t> evaluationRows;  // validation samples that each of them takes
    std::optional<Plan> sampling;              // of language models: one window of tokens, forward
    std::int64_t transientBytes = 0;           // shared by all of them, since only one runs at a time
};
/// `level`: unless it is off the training plan has looks at its tensors (engine/plan/looks.h); nothing else differs. `keepsMomentum`: SGD's
/// buffer holds something that a later step may go on from, so it stays though this plan does without.
RunPlans buildPlans(const TrainingSettings& settings, const DataShape& shape, const Backend& backend, bool keepsMomentum = false,
                    Instrumentation level = Instrumentation::Off);

}  // namespace mantissa
