// SPDX-License-Identifier: Apache-2.0
#include "engine/session/log_feed.h"

#include <chrono>
#include <exception>
#include <utility>

namespace mantissa {

LogFeed::LogFeed(const std::string& path, std::function<void()> onChange)
    : m_follower(path),
      m_onChange(std::move(onChange)),
      m_changes(m_follower.poll()),
      m_thread([this](const std::stop_token& stop) { follow(stop); }) {}

void LogFeed::follow(const std::stop_token& stop) {
    std::unique_lock lock(m_mutex);
    while (!m_wake.wait_for(lock, stop, std::chrono::milliseconds(kLogPollMs), [&] { return stop.stop_requested(); })) {
        if (!m_changes.empty()) continue;
        lock.unlock();
        std::vector<LogChange> come;
        try {
            come = m_follower.poll();
        } catch (const std::exception&) {  // no memory, or a file system error: read again later
        }
        const bool hasCome = !come.empty();
        lock.lock();
        m_changes = std::move(come);
        if (!hasCome) continue;
        lock.unlock();
        m_onChange();
        lock.lock();
    }
}

std::vector<LogChange> LogFeed::take() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_changes, {});
}

}  // namespace mantissa
