// SPDX-License-Identifier: Apache-2.0
// Read-only runs of other files: recordings, and logs that may still grow. One thread: the session's; a feed calls the inbox on its own
// thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/session/command_inbox.h"
#include "engine/session/event_outbox.h"
#include "engine/session/log_feed.h"

namespace mantissa {

class ImportedRuns {
public:
    ImportedRuns(CommandInbox& inbox, RunTable& table, EventOutbox& outbox) : m_inbox(inbox), m_table(table), m_outbox(outbox) {}

    /// Adds the runs of a file, except of a probe's. Calls `beforeAdding` when nothing can fail any more, but not for a recording. Throws
    /// InputError.
    void add(const ImportRuns& command, const std::function<void()>& beforeAdding);
    /// Processes changes of followed logs.
    void takeArrivals();
    void stopFollowing(RunId run);
    /// Stops following all logs.
    void forget() { m_feeds.clear(); }
    /// Updates the runs after an event of a recording, without following their files.
    void recall(Event& event);

private:
    CommandInbox& m_inbox;
    RunTable& m_table;
    EventOutbox& m_outbox;
    std::vector<std::unique_ptr<LogFeed>> m_feeds;

    /// Adds a read-only run.
    RunId show(RunInfo info, const std::string& origin);
    void showRecording(const std::string& path);
    void followLog(const ImportRuns& command, const std::function<void()>& beforeAdding);
    void take(LogFeed& from);
};

}  // namespace mantissa
