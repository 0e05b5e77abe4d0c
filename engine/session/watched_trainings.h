// SPDX-License-Identifier: Apache-2.0
// Watched PyTorch trainings: their probes' messages become events, and questions about them are answered from these messages. One thread:
// the session's; a source calls the inbox on its own thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "engine/attach/probe_source.h"
#include "engine/session/command_inbox.h"
#include "engine/session/questions.h"

namespace mantissa {

class WatchedTrainings {
public:
    WatchedTrainings(CommandInbox& inbox, RunTable& table, EventOutbox& outbox, Questions& questions)
        : m_inbox(inbox), m_table(table), m_outbox(outbox), m_questions(questions) {}

    /// Listens at the command's place or reads its file. Calls `beforeAdding` when nothing can fail any more. Throws InputError.
    void watch(const WatchTraining& command, const std::function<void()>& beforeAdding);
    void carryOut(std::uint64_t id, const StopListening& command);
    /// Stops accepting new trainings, and closes all connections.
    void endListening();
    /// Discards all runs and their sources, except listening ones.
    void forget();
    /// Closes a run's connections.
    void stopWatching(RunId run);
    /// Processes the messages that have arrived.
    void takeArrivals();

    /// Updates the runs after an event of a recording.
    void recall(const Event& event);
    /// Discards the runs that a recording has removed, after its last event.
    void forgetPutAside() { m_putAside.clear(); }

    /// Answers a question about a watched run from its messages; returns false for other runs. Throws InputError.
    bool answer(std::uint64_t id, RunId run, const CommandBody& question);
    /// Compares two runs by sketches, of which at least one is watched. Throws InputError.
    void compare(std::uint64_t id, const CompareRuns& question);

private:
    CommandInbox& m_inbox;
    RunTable& m_table;
    EventOutbox& m_outbox;
    Questions& m_questions;
    /// A source of probes' messages: a file, or a listening address, of which there is at most one.
    struct Source {
        std::unique_ptr<ProbeSource> source;
        ProbePlace asked;
        bool isListening = false;
        std::map<int, RunId> runs;  // by connection; -1: closed, its messages are ignored
    };
    std::vector<Source> m_sources;
    std::set<std::string> m_refusedKeys;                      // keys of runs beyond the limit of watched runs, already reported
    std::map<RunId, std::unique_ptr<WatchedRun>> m_putAside;  // removed by an opened recording, which may restore them

    /// Stops accepting new trainings.
    void stopListening();
    void take(Source& from, ProbeArrival&& arrival);
    RunId runFor(Source& from, const ProbeHello& hello);
    void publishFor(RunId id, Event&& event);
    void ask(RunId run, ProbeRequest request);
};

}  // namespace mantissa
