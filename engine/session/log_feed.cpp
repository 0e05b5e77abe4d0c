// SPDX-License-Identifier: Apache-2.0
#include "engine/session/log_feed.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace mantissa {

struct LogFeed::Impl {
    LogFollower follower;  // used only by the thread
    std::function<void()> onChange;
    std::mutex mutex;  // guards the following
    std::condition_variable wake;
    std::vector<LogChange> changes;
    bool isOver = false;
    std::thread thread;

    void follow() {
        std::unique_lock lock(mutex);
        while (!wake.wait_for(lock, std::chrono::milliseconds(kLogPollMs), [this] { return isOver; })) {
            if (!changes.empty()) continue;
            lock.unlock();
            std::vector<LogChange> come;
            try {
                come = follower.poll();
            } catch (const std::exception&) {  // no memory, or a file system error: read again later
            }
            const bool hasCome = !come.empty();
            lock.lock();
            changes = std::move(come);
            if (!hasCome) continue;
            lock.unlock();
            onChange();
            lock.lock();
        }
    }
};

LogFeed::LogFeed(const std::string& path, std::function<void()> onChange)
    : m_impl(new Impl{.follower = LogFollower(path), .onChange = std::move(onChange)}) {
    m_impl->changes = m_impl->follower.poll();
    m_impl->thread = std::thread([this] { m_impl->follow(); });
}

LogFeed::~LogFeed() {
    {
        const std::lock_guard lock(m_impl->mutex);
        m_impl->isOver = true;
    }
    m_impl->wake.notify_one();
    m_impl->thread.join();
}

std::vector<LogChange> LogFeed::take() {
    const std::lock_guard lock(m_impl->mutex);
    return std::exchange(m_impl->changes, {});
}

}  // namespace mantissa
