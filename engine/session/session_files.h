// SPDX-License-Identifier: Apache-2.0
// Commands about files: exporting runs, listing and deleting recordings. One thread: the session's.
#pragma once

#include "engine/session/scheduler.h"

namespace mantissa {

class SessionFiles {
public:
    SessionFiles(RunTable& table, Journal& journal, EventOutbox& outbox, Scheduler& scheduler)
        : m_table(table), m_journal(journal), m_outbox(outbox), m_scheduler(scheduler) {}

    void carryOut(std::uint64_t id, const ExportRuns& command);
    void carryOut(std::uint64_t id, const WriteSnippet& command);
    void carryOut(std::uint64_t id, const ListRecordings& command);
    void carryOut(std::uint64_t id, const DeleteRecording& command);

private:
    RunTable& m_table;
    Journal& m_journal;
    EventOutbox& m_outbox;
    Scheduler& m_scheduler;
};

}  // namespace mantissa
