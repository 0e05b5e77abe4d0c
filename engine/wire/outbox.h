// SPDX-License-Identifier: Apache-2.0
// A queue of frames for a reader that may be slow, stalled or gone: `push` never waits for it, and memory stays bounded.
//
// With more than `mostBytes` waiting the queue breaks: the reader needs every frame, since steps are consecutive, so none may be dropped.
//
// Threads: `push` from any, `writeAll` on a separate one.
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

    /// Adds a frame. Never blocks. A broken queue discards frames.
    void push(std::vector<std::uint8_t> frame);

    /// Waits until at most `bytes` bytes wait, the queue breaks, or `most` has passed. Returns false for the last.
    bool waitForRoom(std::size_t bytes, std::chrono::milliseconds most);

    /// Writes frames as they come. Returns when the queue breaks, or after a stop request: then all frames are written, unless the reader
    /// accepts nothing for `kPatienceMs`.
    void writeAll(int descriptor, std::stop_token stop);

    /// Why frames could not be written; empty without an error, and if the reader has closed the pipe, which is allowed.
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
