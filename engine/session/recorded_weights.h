// SPDX-License-Identifier: Apache-2.0
// The weights that the runs of a recording had at any step: trained again from the nearest state that it has stored. One thread at a time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/recording/recording.h"
#include "kernels/backend.h"

namespace mantissa {

struct WrittenWeights {
    std::vector<std::filesystem::path> files;
    /// Of runs that did not come out as they were recorded: another machine, or another build. Sentences.
    std::vector<std::string> remarks;
};

/// RUN.safetensors into `folder`, which exists, of each run as it was before `step`; without a step, where the run had come to. Runs that
/// have no such step are left out. Throws InputError when none has, and for a run that cannot be trained here.
WrittenWeights exportWeights(const Recording& recording, std::optional<std::int64_t> step, std::shared_ptr<Backend> backend,
                             const std::filesystem::path& folder);

}  // namespace mantissa
