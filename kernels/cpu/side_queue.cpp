// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/side_queue.h"

#include <chrono>
#include <utility>

namespace mantissa::cpu {
namespace {

constexpr std::chrono::microseconds kNap(50);
constexpr int kMostNaps = 100;  // then the thread sleeps until notified

}  // namespace

SideQueue::~SideQueue() {
    {
        const std::lock_guard lock(m_mutex);
        m_isEnding = true;
    }
    m_wake.notify_one();
    if (m_thread.joinable()) m_thread.join();
}

/// Whether the range is free. Posted data is one range, or two: up to the end of the buffer and from its beginning.
bool SideQueue::fits(std::size_t begin, std::size_t bytes) {
    const std::size_t end = begin + bytes;
    if (isIdle() || end > kRoom) return end <= kRoom;
    const std::size_t first = job(m_done).begin, last = job(m_posted - 1).end;
    return first < last ? begin >= last || end <= first : begin >= last && end <= first;
}

std::optional<std::size_t> SideQueue::placeFor(std::size_t bytes) {
    if (bytes == 0 || m_posted - m_done == kMostJobs) return std::nullopt;
    if (!m_room) m_room = std::make_unique_for_overwrite<std::byte[]>(kRoom);
    const std::size_t after = isIdle() ? 0 : job(m_posted - 1).end;  // idle: from the beginning, which is in the cache
    if (fits(after, bytes)) return after;
    return fits(0, bytes) ? std::optional<std::size_t>(0) : std::nullopt;
}

void SideQueue::add(Posted posted) {
    if (!m_thread.joinable()) m_thread = std::thread([this] { work(); });
    job(m_posted++) = std::move(posted);
    if (std::exchange(m_isAsleep, false)) m_wake.notify_one();
}

void SideQueue::waitFor(const void* memory, std::size_t bytes) {
    const auto* const begin = static_cast<const std::byte*>(memory);
    std::unique_lock lock(m_mutex);
    const auto isDone = [&] {
        for (std::size_t i = m_done; i < m_posted; ++i) {
            if (std::less<>()(job(i).result, begin + bytes) && std::less<>()(begin, job(i).result + job(i).resultBytes)) return false;
        }
        return true;
    };
    if (!isDone()) {
        m_wake.notify_one();
        m_hasDone.wait(lock, isDone);
    }
    if (m_error) std::rethrow_exception(std::exchange(m_error, nullptr));
}

void SideQueue::finish() noexcept {
    std::unique_lock lock(m_mutex);
    if (isIdle()) return;
    m_wake.notify_one();
    m_hasDone.wait(lock, [this] { return isIdle(); });
}

/// Runs all posted jobs, then frees their memory together.
void SideQueue::doAll(std::unique_lock<std::mutex>& lock) {
    const std::size_t end = m_posted;
    lock.unlock();
    std::exception_ptr error;
    for (std::size_t i = m_done; i < end; ++i) {  // only this thread writes m_done
        try {
            job(i).job(m_room.get() + job(i).begin);
        } catch (...) {
            error = std::current_exception();
        }
    }
    lock.lock();
    if (error) m_error = error;
    m_done = end;
    m_hasDone.notify_all();
}

void SideQueue::work() {
    std::unique_lock lock(m_mutex);
    int naps = 0;
    while (true) {
        if (!isIdle()) {
            doAll(lock);
            naps = 0;
        } else if (m_isEnding) {
            return;
        } else if (++naps < kMostNaps) {
            m_wake.wait_for(lock, kNap);
        } else {
            m_isAsleep = true;
            m_wake.wait(lock, [this] { return !isIdle() || m_isEnding; });
        }
    }
}

}  // namespace mantissa::cpu
