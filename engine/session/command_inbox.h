// SPDX-License-Identifier: Apache-2.0
// The commands that wait for the session, and its sleep until one comes or a message of a watched training or a followed log does.
//
// Threads: `post`, `noteArrival` and `isEmpty` from any thread; everything else from the session's.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/experiment/messages.h"

namespace mantissa {

class CommandInbox {
public:
    void post(Command command);
    /// Notes that a source has messages to be taken.
    void noteArrival();
    bool isEmpty() const;

    /// Waits until `deadline` for a command or an arrival.
    void waitUntil(std::chrono::steady_clock::time_point deadline);
    /// Returns the next command; nothing: there is none.
    std::optional<Command> take();
    /// Returns all StopQuestion commands, which may overtake others.
    std::vector<Command> takeStops();
    /// Returns whether messages have arrived since the last call.
    bool takeArrival();
    /// Whether a Pause or Quit waits.
    bool hasPauseOrQuit() const;

private:
    mutable std::mutex m_mutex;  // guards all members
    std::condition_variable m_wake;
    std::deque<Command> m_commands;
    bool m_hasArrivals = false;
};

}  // namespace mantissa
