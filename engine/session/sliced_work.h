// SPDX-License-Identifier: Apache-2.0
// Long work in slices: the owner runs it for some time, and it pauses in between. It has its own thread, which runs only while the owner
// waits for it, so both can use shared objects without a lock.
//
// Threads: the owner's, and the work's own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace mantissa {

class SlicedWork {
public:
    using Clock = std::chrono::steady_clock;
    /// Called by the work: pauses at the end of a slice, and returns whether to continue. False: the work must end soon, and does not pause
    /// again.
    using GoesOn = std::function<bool()>;

    explicit SlicedWork(std::function<void(const GoesOn&)> work);
    /// Stops the work and waits for its end.
    ~SlicedWork();
    SlicedWork(const SlicedWork&) = delete;
    SlicedWork& operator=(const SlicedWork&) = delete;

    /// Runs the work until its first GoesOn call after `until`. Returns true if it has ended. Rethrows its exception.
    bool goOn(Clock::time_point until);
    /// Makes GoesOn return false from now on.
    void stop() { m_isStopped = true; }
    bool isStopped() const { return m_isStopped; }

private:
    std::mutex m_mutex;  // guards `m_isWorksTurn`; all else belongs to the side whose turn it is
    std::condition_variable m_turned;
    bool m_isWorksTurn = false;
    bool m_isStopped = false, m_hasEnded = false;
    Clock::time_point m_until;
    std::exception_ptr m_error;
    std::thread m_thread;  // last: it starts when all else is initialised

    void handOver(bool toWork);
    bool asks();
};

}  // namespace mantissa
