// SPDX-License-Identifier: Apache-2.0
#include "engine/session/log_feed.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace mantissa {

struct LogFeed::Impl {
    LogFollower follower;  // of the thread, once there is one
    std::function<void()> onNews;
    std::mutex mutex;  // guards what follows
    std::condition_variable wake;
    std::vector<LogNews> news;
    bool isOver = false;
    std::thread thread;

    void follow() {
        std::unique_lock lock(mutex);
        while (!wake.wait_for(lock, std::chrono::milliseconds(kLogPollMs), [this] { return isOver; })) {
            if (!news.empty()) continue;
            lock.unlock();
            std::vector<LogNews> come;
            try {
                come = follower.poll();
            } catch (const std::exception&) {  // of memory, or a file system: the next time may be a better one
            }
            const bool hasCome = !come.empty();
            lock.lock();
            news = std::move(come);
            if (!hasCome) continue;
            lock.unlock();
            onNews();
            lock.lock();
        }
    }
};

LogFeed::LogFeed(const std::string& path, std::function<void()> onNews)
    : m_impl(new Impl{.follower = LogFollower(path), .onNews = std::move(onNews)}) {
    m_impl->news = m_impl->follower.poll();
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

std::vector<LogNews> LogFeed::take() {
    const std::lock_guard lock(m_impl->mutex);
    return std::exchange(m_impl->news, {});
}

}  // namespace mantissa
