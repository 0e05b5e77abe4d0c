// SPDX-License-Identifier: Apache-2.0
// Where the events of a session go: into the recording, to the table of runs and the notes, which follow them, and to the client. One
// thread: the session's.
#pragma once

#include <exception>
#include <functional>

#include "engine/session/journal.h"
#include "engine/session/run_table.h"
#include "engine/session/session_notes.h"

namespace mantissa {

class EventOutbox {
public:
    using Sink = std::function<void(Event&&)>;
    EventOutbox(Journal& journal, RunTable& table, SessionNotes& notes, Sink sink)
        : m_journal(journal), m_table(table), m_notes(notes), m_sink(std::move(sink)) {}

    /// Records an event, and sends it.
    void emit(Event&& event);
    /// Sends an event that is not recorded: an answer, or a repetition.
    void send(Event&& event) { m_sink(std::move(event)); }
    /// Updates notes and styles after an event read from a recording.
    void follow(const Event& event);
    /// Sends the state of the recording if it has changed.
    void sendRecordingState();

    /// Emits the end of a command, and the new text of an experiment that it changes.
    void answer(const Command& command);
    /// Emits the refusal of a command.
    void refuse(const Command& command, const std::exception& error);

private:
    Journal& m_journal;
    RunTable& m_table;
    SessionNotes& m_notes;
    Sink m_sink;
};

}  // namespace mantissa
