// SPDX-License-Identifier: Apache-2.0
#include "engine/session/command_inbox.h"

#include <algorithm>
#include <utility>

namespace mantissa {

void CommandInbox::post(Command command) {
    {
        const std::lock_guard lock(m_mutex);
        m_commands.push_back(std::move(command));
    }
    m_wake.notify_one();
}

void CommandInbox::noteArrival() {
    {
        const std::lock_guard lock(m_mutex);
        m_hasArrivals = true;
    }
    m_wake.notify_one();
}

bool CommandInbox::isEmpty() const {
    const std::lock_guard lock(m_mutex);
    return m_commands.empty();
}

void CommandInbox::waitUntil(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(m_mutex);
    m_wake.wait_until(lock, deadline, [&] { return !m_commands.empty() || m_hasArrivals; });
}

std::optional<Command> CommandInbox::take() {
    const std::lock_guard lock(m_mutex);
    if (m_commands.empty()) return std::nullopt;
    Command command = std::move(m_commands.front());
    m_commands.pop_front();
    return command;
}

std::vector<Command> CommandInbox::takeStops() {
    const std::lock_guard lock(m_mutex);
    std::vector<Command> stops;
    const auto isStop = [](const Command& command) { return std::holds_alternative<StopQuestion>(command.body); };
    std::copy_if(m_commands.begin(), m_commands.end(), std::back_inserter(stops), isStop);
    std::erase_if(m_commands, isStop);
    return stops;
}

bool CommandInbox::takeArrival() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_hasArrivals, false);
}

bool CommandInbox::hasPauseOrQuit() const {
    const std::lock_guard lock(m_mutex);
    return std::any_of(m_commands.begin(), m_commands.end(), [](const Command& command) {
        return std::holds_alternative<Pause>(command.body) || std::holds_alternative<Quit>(command.body);
    });
}

}  // namespace mantissa
