// SPDX-License-Identifier: Apache-2.0
// Work that takes long, done in slices: its owner gives it some time, it rests where it stands, and goes on when it is given more. It has a
// thread of its own, which runs only while the owner waits for it. So the two can use the same objects without a lock, and the owner may be
// as slow as it likes.
//
// Threads: the owner's one, and the work's own.
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
    /// The work's own side: whether it goes on. Rests here while the slice is over. False: it is to end soon, and rests no more.
    using GoesOn = std::function<bool()>;

    explicit SlicedWork(std::function<void(const GoesOn&)> work);
    /// Stops the work and waits for its end.
    ~SlicedWork();
    SlicedWork(const SlicedWork&) = delete;
    SlicedWork& operator=(const SlicedWork&) = delete;

    /// Lets the work go on until then, or until it next asks after that. True when it has ended. Throws what it threw.
    bool goOn(Clock::time_point until);
    /// From now on the work is told to end.
    void stop() { m_isStopped = true; }
    bool isStopped() const { return m_isStopped; }

private:
    std::mutex m_mutex;  // of whose turn it is; all else belongs to whoever's turn it is
    std::condition_variable m_turned;
    bool m_isWorksTurn = false;
    bool m_isStopped = false, m_hasEnded = false;
    Clock::time_point m_until;
    std::exception_ptr m_error;
    std::thread m_thread;  // last: it begins when all else is there

    void handOver(bool toWork);
    bool asks();
};

}  // namespace mantissa
