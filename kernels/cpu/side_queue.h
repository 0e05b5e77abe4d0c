// SPDX-License-Identifier: Apache-2.0
// A thread for work that a step does not wait for: jobs run in order, each with a copy of its data, since their tensors are overwritten
// meanwhile. Waking a thread costs more than most jobs, so it polls for work while jobs arrive frequently. Any thread may call.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace mantissa::cpu {

class SideQueue {
public:
    using Job = std::function<void(const std::byte* data)>;

    SideQueue() = default;
    ~SideQueue();
    SideQueue(const SideQueue&) = delete;
    SideQueue& operator=(const SideQueue&) = delete;

    /// Copies a job's data by `fill`, aligned for any number, and enqueues the job; `result`: the memory that it writes. Returns false,
    /// without effect, if the queue is full; the caller then does the work itself.
    template <typename Fill>
    bool tryPost(std::size_t bytes, Fill&& fill, const void* result, std::size_t resultBytes, Job job) {
        const std::lock_guard lock(m_mutex);
        const std::size_t taken = (bytes + kAlignment - 1) / kAlignment * kAlignment;
        const auto begin = placeFor(taken);
        if (!begin) return false;
        fill(m_room.get() + *begin);
        add({std::move(job), *begin, *begin + taken, static_cast<const std::byte*>(result), resultBytes});
        return true;
    }

    /// Waits until no pending job writes into this memory. Rethrows a job's exception.
    void waitFor(const void* memory, std::size_t bytes);
    /// Waits until all jobs are done.
    void finish() noexcept;

private:
    // a part of a core's cache
    static constexpr std::size_t kRoom = std::size_t{1} << 20, kMostJobs = 128, kAlignment = alignof(std::max_align_t);

    struct Posted {
        Job job;
        std::size_t begin = 0, end = 0;  // in the room
        const std::byte* result = nullptr;
        std::size_t resultBytes = 0;
    };
    Posted& job(std::size_t number) { return m_jobs[number % kMostJobs]; }
    bool isIdle() const { return m_done == m_posted; }

    std::optional<std::size_t> placeFor(std::size_t bytes);
    bool fits(std::size_t begin, std::size_t bytes);
    void add(Posted posted);
    void work();
    void doAll(std::unique_lock<std::mutex>& lock);

    std::mutex m_mutex;  // guards the following members, except running jobs and their data
    std::condition_variable m_wake, m_hasDone;
    std::unique_ptr<std::byte[]> m_room;
    std::array<Posted, kMostJobs> m_jobs;
    std::size_t m_done = 0, m_posted = 0;  // number of jobs so far
    bool m_isAsleep = false, m_isEnding = false;
    std::exception_ptr m_error;
    std::thread m_thread;  // started with the first job
};

}  // namespace mantissa::cpu
