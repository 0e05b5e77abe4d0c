// SPDX-License-Identifier: Apache-2.0
// Rewinding and forking runs, and the command that waits until runs are re-run: while there is one, all other commands wait. One thread:
// the session's.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "engine/session/run_editor.h"

namespace mantissa {

class Reruns {
public:
    Reruns(CommandInbox& inbox, RunTable& table, Journal& journal, EventOutbox& outbox, Questions& questions, Scheduler& scheduler,
           RunEditor& editor)
        : m_inbox(inbox),
          m_table(table),
          m_journal(journal),
          m_outbox(outbox),
          m_questions(questions),
          m_scheduler(scheduler),
          m_editor(editor) {}

    using Clock = std::chrono::steady_clock;
    void carryOut(std::uint64_t id, const RewindRuns& command);
    void carryOut(std::uint64_t id, const ForkRun& command);
    /// Lets a command wait for all lagging runs.
    void wait(Command&& command);
    /// Whether a command waits for runs.
    bool isPending() const { return m_pending.has_value(); }
    /// Sets the command that waits, after it was carried out so far.
    void setCommand(Command&& command) { m_pending->command = std::move(command); }
    /// Re-runs until the deadline, and finishes the waiting command when the runs have arrived. Returns the command if it is still to be
    /// carried out. Requires `isPending`.
    std::optional<Command> goOn(Clock::time_point deadline);

private:
    CommandInbox& m_inbox;
    RunTable& m_table;
    Journal& m_journal;
    EventOutbox& m_outbox;
    Questions& m_questions;
    Scheduler& m_scheduler;
    RunEditor& m_editor;
    /// A command for which runs must be re-run.
    struct Pending {
        Command command;
        std::vector<LiveRun*> runs;
        std::unique_ptr<LiveRun> newcomer;  // of ForkRun
        Clock::time_point lastReport;       // the epoch: not yet

        /// Whether only a new fork is re-run.
        bool isAside() const { return newcomer != nullptr; }
    };
    std::optional<Pending> m_pending;

    std::optional<Command> finish(Pending done);
    void stop(Pending left);
    void publishPosition(const LiveRun& run);
    void adopt(const ForkRun& fork, std::unique_ptr<LiveRun> run);
};

}  // namespace mantissa
