// SPDX-License-Identifier: Apache-2.0
// Reads a whole probe file as a watched run, for commands.
#pragma once

#include <string>

#include "engine/experiment/messages.h"
#include "engine/session/compare_runs.h"

namespace mantissa {

struct WatchedFile {
    std::string name;
    StatisticsByStep sketches;  // per step with statistics, its tensors that have a sketch, without their magnitudes
    std::string problem;        // why the file ends before the training; empty: it does not
};

/// Reads the whole file. Throws UsageError if it cannot be read or has no run.
WatchedFile readWatchedFile(const std::string& path);

}  // namespace mantissa
