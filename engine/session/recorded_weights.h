// SPDX-License-Identifier: Apache-2.0
// The weights of recorded runs at any step, trained again from the nearest stored state. One thread at a time.
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
    /// Sentences about runs that differ from the recording, because of another machine or build.
    std::vector<std::string> remarks;
    /// What of the recording could not be read, in a sentence; empty: all was.
    std::string leftOut;
};

/// Writes RUN.safetensors of each run before `step` into the existing `folder`; without a step, after its last one. Runs without this step
/// are omitted. Throws InputError if none has it, and for a run that cannot be trained here.
WrittenWeights exportWeights(const Recording& recording, std::optional<std::int64_t> step, std::shared_ptr<Backend> backend,
                             const std::filesystem::path& folder);

}  // namespace mantissa
