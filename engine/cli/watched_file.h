// SPDX-License-Identifier: Apache-2.0
// A watched run as a command reads it from a probe's file, whole.
#pragma once

#include <string>

#include "engine/experiment/messages.h"
#include "engine/session/twins.h"

namespace mantissa {

struct WatchedFile {
    RunInfo info;
    StatisticsByStep statistics;
};

/// Reads all that the file has; of several runs in it the first. Throws UsageError where it cannot be read or has no run.
WatchedFile readWatchedFile(const std::string& path);

}  // namespace mantissa
