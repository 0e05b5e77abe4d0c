// SPDX-License-Identifier: Apache-2.0
#include "engine/wire/outbox.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

namespace mantissa {

void Outbox::push(std::vector<std::uint8_t> frame) {
    const std::lock_guard lock(m_mutex);
    if (m_isBroken) return;
    if (m_waitingBytes + frame.size() > m_mostBytes) {
        return breakBox("the reader has taken nothing for so long that more than " + std::to_string(m_mostBytes >> 20) +
                        " MiB wait for it");
    }
    m_waitingBytes += frame.size();
    m_frames.push_back(std::move(frame));
    m_wake.notify_all();
}

bool Outbox::waitForRoom(std::size_t bytes, std::chrono::milliseconds most) {
    std::unique_lock lock(m_mutex);
    return m_wake.wait_for(lock, most, [&] { return m_isBroken || m_waitingBytes <= bytes; });
}

void Outbox::breakBox(std::string problem) {
    m_isBroken = true;
    m_problem = std::move(problem);
    m_frames.clear();
    m_waitingBytes = 0;
    m_wake.notify_all();
}

void Outbox::writeAll(int descriptor, std::stop_token stop) {
    std::unique_lock lock(m_mutex);
    while (true) {
        m_wake.wait(lock, stop, [&] { return m_isBroken || !m_frames.empty(); });
        if (m_isBroken || m_frames.empty()) return;
        const std::vector<std::uint8_t> frame = std::move(m_frames.front());
        m_frames.pop_front();
        m_waitingBytes -= frame.size();
        m_wake.notify_all();
        lock.unlock();
        const bool isWritten = write(descriptor, frame, stop);
        const int error = errno;
        lock.lock();
        if (isWritten || m_isBroken) continue;
        return breakBox(error == 0 || error == EPIPE ? "" : std::strerror(error));
    }
}

/// Returns false with errno if the reader is gone; with errno 0 if the box is broken, or if a stop was requested and the reader does not
/// read. A pipe ready for output takes PIPE_BUF bytes without blocking, so that a stop is always noticed.
bool Outbox::write(int descriptor, const std::vector<std::uint8_t>& bytes, const std::stop_token& stop) {
    constexpr int kTurnMs = 100;
    int waitedMs = 0;
    for (std::size_t done = 0; done < bytes.size();) {
        pollfd out{descriptor, POLLOUT, 0};
        const int ready = poll(&out, 1, kTurnMs);
        if (ready < 0) continue;  // a signal
        if (ready == 0) {
            waitedMs = stop.stop_requested() ? waitedMs + kTurnMs : 0;
            const std::lock_guard lock(m_mutex);
            errno = 0;
            if (m_isBroken || waitedMs >= kPatienceMs) return false;
            continue;
        }
        const ssize_t written = ::write(descriptor, bytes.data() + done, std::min<std::size_t>(bytes.size() - done, PIPE_BUF));
        if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
        if (written > 0) {
            done += static_cast<std::size_t>(written);
            waitedMs = 0;
        }
    }
    return true;
}

std::string Outbox::problem() const {
    const std::lock_guard lock(m_mutex);
    return m_problem;
}

}  // namespace mantissa
