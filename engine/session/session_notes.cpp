// SPDX-License-Identifier: Apache-2.0
// Users' notes at steps. They do not affect training, and are stored in the recording.
#include <algorithm>

#include "engine/experiment/values.h"
#include "engine/session/session_impl.h"

namespace mantissa {
namespace {

constexpr std::size_t kMostNoteBytes = 1000;  // a line of text; a flag on the plots shows far less

}  // namespace

void Session::Impl::followEvent(const Event& event) {
    if (const auto* written = std::get_if<NoteWritten>(&event)) {
        notes[written->note.id] = written->note;
        nextNote = std::max(nextNote, written->note.id + 1);
    } else if (const auto* gone = std::get_if<NoteRemoved>(&event)) {
        notes.erase(gone->note);
    } else if (const auto* removedRun = std::get_if<RunRemoved>(&event)) {
        std::erase_if(notes, [&](const auto& entry) { return entry.second.run == removedRun->run; });
    } else if (std::holds_alternative<ExperimentLoaded>(event)) {
        notes.clear();
        nextNote = 0;
        styles.clear();
    } else if (const auto* arranged = std::get_if<RunsArranged>(&event)) {
        styles = arranged->styles;
    }
}

void Session::Impl::carryOut(std::uint64_t id, const WriteNote& command) {
    requireExperiment();
    Note note = command.note;
    const auto isControl = [](unsigned char character) { return character < 0x20 || character == 0x7F; };
    if (note.text.empty()) throw InputError("", "", "a note has words");
    if (note.text.size() > kMostNoteBytes) throw InputError("", "", "a note has at most " + std::to_string(kMostNoteBytes) + " bytes");
    if (std::any_of(note.text.begin(), note.text.end(), isControl)) throw InputError("", "", "a note is one line of text");
    if (note.step < 0 || note.step > kMaxSteps) throw InputError("", "", "a note stands at a step");
    if (note.id >= std::max(nextNote, std::int32_t{0}) || note.id < -1)
        throw InputError("", "", "there is no note " + std::to_string(note.id));
    if (note.run != -1 && !shown.contains(note.run)) runOf(note.run);  // throws: no such run
    if (note.id == -1) note.id = nextNote;
    emit(NoteWritten{id, std::move(note)});
}

void Session::Impl::carryOut(std::uint64_t, const RemoveNote& command) {
    if (!notes.contains(command.note)) throw InputError("", "", "there is no note " + std::to_string(command.note));
    emit(NoteRemoved{command.note});
}

}  // namespace mantissa
