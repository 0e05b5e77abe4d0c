// SPDX-License-Identifier: Apache-2.0
// The runs of other programs' files while they grow: what is there, then what comes. One thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/exchange/run_builder.h"

namespace mantissa {

/// Of a run, from 0 in the order in which they were found: what has come of it since it was reported last.
struct LogChange {
    int run = 0;
    bool isNew = false;
    std::string name, path;  // its own, which a file may say later on; of the file or folder that it is read from
    RunChange values;
    std::string trouble;  // why nothing of it is read now: its file has gone, or what is wrong with it; empty: it is read
};

class LogFollower {
public:
    /// Reads what is there. A log without a step is waited for. Throws InputError, as importRuns does, for a path that is no log.
    explicit LogFollower(const std::string& path);
    ~LogFollower();

    /// What has come since the last call: at first, all that is there. A file that is shorter than it was, or another one of its name, is
    /// read as a whole; of its values those that differ are reported.
    std::vector<LogChange> poll();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace mantissa
