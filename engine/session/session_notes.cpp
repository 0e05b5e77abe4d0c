// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session_notes.h"

#include <algorithm>

#include "engine/experiment/values.h"

namespace mantissa {
namespace {

constexpr std::size_t kMostNoteBytes = 1000;  // a line of text; a flag on the plots shows far less

}  // namespace

void SessionNotes::follow(const Event& event) {
    if (const auto* written = std::get_if<NoteWritten>(&event)) {
        m_notes[written->note.id] = written->note;
        m_next = std::max(m_next, written->note.id + 1);
    } else if (const auto* gone = std::get_if<NoteRemoved>(&event)) {
        m_notes.erase(gone->note);
    } else if (const auto* removedRun = std::get_if<RunRemoved>(&event)) {
        std::erase_if(m_notes, [&](const auto& entry) { return entry.second.run == removedRun->run; });
    } else if (std::holds_alternative<ExperimentLoaded>(event)) {
        m_notes.clear();
        m_next = 0;
    }
}

std::vector<Note> SessionNotes::ofRun(RunId run) const {
    std::vector<Note> notes;
    for (const auto& [id, note] : m_notes)
        if (note.run == run) notes.push_back(note);
    return notes;
}

Note SessionNotes::numbered(Note note) const {
    const auto isControl = [](unsigned char character) { return character < 0x20 || character == 0x7F; };
    if (note.text.empty()) throw InputError("", "", "a note has words");
    if (note.text.size() > kMostNoteBytes) throw InputError("", "", "a note has at most " + std::to_string(kMostNoteBytes) + " bytes");
    if (std::any_of(note.text.begin(), note.text.end(), isControl)) throw InputError("", "", "a note is one line of text");
    if (note.step < 0 || note.step > kMaxSteps) throw InputError("", "", "a note stands at a step");
    if (note.id >= std::max(m_next, std::int32_t{0}) || note.id < -1)
        throw InputError("", "", "there is no note " + std::to_string(note.id));
    if (note.id == -1) note.id = m_next;
    return note;
}

void SessionNotes::requireNote(std::int32_t id) const {
    if (!m_notes.contains(id)) throw InputError("", "", "there is no note " + std::to_string(id));
}

}  // namespace mantissa
