// SPDX-License-Identifier: Apache-2.0
// A watched run as a command reads it from a probe's file, whole.
#pragma once

#include <string>

#include "engine/experiment/messages.h"
#include "engine/session/compare_runs.h"

namespace mantissa {

struct WatchedFile {
    std::string name;
    StatisticsByStep sketches;  // of each step with statistics its tensors that have a sketch, without their magnitudes
    std::string problem;        // why the file does not end with the training; empty: it does
};

/// Reads all that the file has. Throws UsageError where it cannot be read or has no run.
WatchedFile readWatchedFile(const std::string& path);

}  // namespace mantissa
