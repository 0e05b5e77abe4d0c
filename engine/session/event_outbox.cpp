// SPDX-License-Identifier: Apache-2.0
#include "engine/session/event_outbox.h"

#include "engine/session/command_kinds.h"

namespace mantissa {

void EventOutbox::emit(Event&& event) {
    m_journal.event(event);
    follow(event);
    m_sink(std::move(event));
}

void EventOutbox::follow(const Event& event) {
    m_notes.follow(event);
    m_table.follow(event);
}

void EventOutbox::sendRecordingState() {
    if (auto changed = m_journal.takeChange()) m_sink(std::move(*changed));
}

void EventOutbox::answer(const Command& command) {
    // Lagging runs do not have their former settings yet, so their order is written with the next text.
    const bool isTooEarly = std::holds_alternative<ArrangeRuns>(command.body) && (m_table.isAnyLagging() || m_table.live.empty());
    if (changesExperiment(command.body) && !isTooEarly) emit(ExperimentText{m_table.text()});
    emit(CommandDone{command.id, m_table.furthestStep()});
}

void EventOutbox::refuse(const Command& command, const std::exception& error) {
    const auto* change = std::get_if<ChangeSetting>(&command.body);
    const auto* input = dynamic_cast<const InputError*>(&error);
    const std::string pointer = input != nullptr ? input->pointer() : change != nullptr ? change->pointer : "";
    emit(CommandRefused{command.id, change != nullptr ? change->run : -1, pointer, refusalSentence(error)});
}

}  // namespace mantissa
