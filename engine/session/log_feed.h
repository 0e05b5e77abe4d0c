// SPDX-License-Identifier: Apache-2.0
// Logs of imported runs, followed by a thread of its own: reading them never waits for a step, nor a step for them. It reads no more while
// what it has read waits to be taken.
//
// Threads: `onChange` is called on the feed's thread; everything else belongs to one other.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/exchange/log_follower.h"
#include "engine/experiment/messages.h"

namespace mantissa {

/// A file is polled so often: two polls and what it takes to read are far below the second within which its values are to be seen.
inline constexpr int kLogPollMs = 250;

class LogFeed {
public:
    /// Reads what is there, on the caller's thread. Throws as LogFollower does.
    LogFeed(const std::string& path, std::function<void()> onChange);
    ~LogFeed();

    /// What has come since the last call.
    std::vector<LogChange> take();

    struct Run {
        RunId id = -1;           // -1: it was removed
        std::string name;        // in its log
        std::string calledHere;  // for that name
    };
    std::map<int, Run> runs;  // by LogChange::run

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace mantissa
