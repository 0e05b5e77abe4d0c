// SPDX-License-Identifier: Apache-2.0
// Follows the runs of other programs' files while they grow. One thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/exchange/run_builder.h"

namespace mantissa {

/// New data of a run since the last report. Runs are numbered from 0 in the order in which they were found.
struct LogChange {
    int run = 0;
    bool isNew = false;
    std::string name, path;  // the run's name, which a file may contain only later; the path of its file or folder
    RunChange values;
    std::string trouble;  // why it cannot be read now: its file is missing, or an error; empty: it is read
};

class LogFollower {
public:
    /// Reads the existing content. A log without a step is waited for. Throws InputError, as importRuns does, for a path without a log.
    explicit LogFollower(const std::string& path);
    ~LogFollower();

    /// Returns the new data since the last call; the first call returns everything. A file that became shorter, or was replaced, is read as
    /// a whole; only its changed values are reported.
    std::vector<LogChange> poll();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace mantissa
