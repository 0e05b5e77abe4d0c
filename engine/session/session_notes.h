// SPDX-License-Identifier: Apache-2.0
// Users' notes at steps. They do not affect training, and are stored in the recording. One thread: the session's.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/experiment/messages.h"

namespace mantissa {

class SessionNotes {
public:
    /// Updates the notes after an event, emitted or read from a recording.
    void follow(const Event& event);
    std::vector<Note> ofRun(RunId run) const;
    /// Returns the note with its number, a new one for -1. Throws InputError for an invalid note.
    Note numbered(Note note) const;
    /// Throws InputError if there is no such note.
    void requireNote(std::int32_t id) const;

private:
    std::map<std::int32_t, Note> m_notes;
    std::int32_t m_next = 0;
};

}  // namespace mantissa
