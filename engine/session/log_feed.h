// SPDX-License-Identifier: Apache-2.0
// A thread that follows the log files of imported runs, so that reading and training do not wait for each other. It pauses until its
// changes are taken.
//
// Threads: `onChange` is called on the feed's thread; everything else on one other thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/exchange/log_follower.h"
#include "engine/experiment/messages.h"

namespace mantissa {

/// Milliseconds between polls; two polls and the reading take far less than the second within which values must appear.
inline constexpr int kLogPollMs = 250;

class LogFeed {
public:
    /// Reads the present content on the caller's thread. Throws like LogFollower.
    LogFeed(const std::string& path, std::function<void()> onChange);
    ~LogFeed();

    /// Returns the changes since the last call.
    std::vector<LogChange> take();

    struct Run {
        RunId id = -1;           // -1: removed
        std::string name;        // in the log
        std::string calledHere;  // in the session, derived from `name`
    };
    std::map<int, Run> runs;  // by LogChange::run

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace mantissa
