// SPDX-License-Identifier: Apache-2.0
// A thread that follows the log files of imported runs, so that reading and training do not wait for each other. It pauses until its
// changes are taken.
//
// Threads: `onChange` is called on the feed's thread; everything else on one other thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
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

    /// Returns the changes since the last call.
    std::vector<LogChange> take();

    struct Run {
        RunId id = -1;           // -1: removed
        std::string name;        // in the log
        std::string calledHere;  // in the session, derived from `name`
    };
    std::map<int, Run> runs;  // by LogChange::run

private:
    LogFollower m_follower;  // used only by the thread
    std::function<void()> m_onChange;
    std::mutex m_mutex;  // guards `m_changes`
    std::condition_variable_any m_wake;
    std::vector<LogChange> m_changes;
    std::jthread m_thread;  // last: it ends before what it uses

    void follow(const std::stop_token& stop);
};

}  // namespace mantissa
