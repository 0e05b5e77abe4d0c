// SPDX-License-Identifier: Apache-2.0
// Frames on their way to a reader who may be slow, stand still or be gone: whoever pushes never waits for it, and memory stays bounded.
//
// With more than `mostBytes` waiting the box breaks: a reader counts on every frame, steps follow one another, so none may be left out.
//
// Threads: `push` from any, `writeAll` on one of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace mantissa {

class Outbox {
public:
    explicit Outbox(std::size_t mostBytes) : m_mostBytes(mostBytes) {}

    /// Never blocks. Once the box is broken, frames are thrown away.
    void push(std::vector<std::uint8_t> frame);

    /// Waits until at most so many bytes wait, the box is broken, or `most` has passed; false: the latter.
    bool waitForRoom(std::size_t bytes, std::chrono::milliseconds most);

    /// Writes frames as they come. Returns when the box breaks, or after a request to stop: then with all frames written, unless the reader
    /// takes nothing for `kPatienceMs`.
    void writeAll(int descriptor, std::stop_token stop);

    /// Why frames could not be handed over; empty while all is well, and when the reader has gone (a closed pipe), which is its right.
    std::string problem() const;

    static constexpr int kPatienceMs = 2000;

private:
    const std::size_t m_mostBytes;
    mutable std::mutex m_mutex;  // guards all below
    std::condition_variable_any m_wake;
    std::deque<std::vector<std::uint8_t>> m_frames;
    std::size_t m_waitingBytes = 0;
    bool m_isBroken = false;
    std::string m_problem;

    void breakBox(std::string problem);
    bool write(int descriptor, const std::vector<std::uint8_t>& bytes, const std::stop_token& stop);
};

}  // namespace mantissa
