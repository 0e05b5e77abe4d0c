// SPDX-License-Identifier: Apache-2.0
// A thread for what a step does not wait for: jobs in order, each with a copy of its data, as the tensors that they come from are written
// over meanwhile. Waking a thread costs more than most jobs, so it looks for work by itself as long as there is some now and then.
// Any thread may call.
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

    /// Calls `fill` with room for the job's data, aligned for any number, and does the job some time; `result`: what it writes into. False,
    /// with nothing done, while there is no room: then whoever asks is not slower than this thread.
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

    /// Until no job is left that writes into this memory. Throws what a job threw.
    void waitFor(const void* memory, std::size_t bytes);
    /// Until all is done.
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

    std::mutex m_mutex;  // guards what follows, but for jobs that are under way and their data
    std::condition_variable m_wake, m_hasDone;
    std::unique_ptr<std::byte[]> m_room;
    std::array<Posted, kMostJobs> m_jobs;
    std::size_t m_done = 0, m_posted = 0;  // jobs so far
    bool m_isAsleep = false, m_isEnding = false;
    std::exception_ptr m_error;
    std::thread m_thread;  // begun with the first job
};

}  // namespace mantissa::cpu
